package controlplane

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var checks = []composite.Check[Model]{addressGiven, portsApart, storageComplete, evenMembers, networkSane, k0sConfigFree, chartsKnown}

func fault(at path.Path, summary, detail string) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: detail}
}

// addressGiven: outside of LoadBalancer, k0smotron finds no address or an unstable one, and waits without end.
func addressGiven(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Expose.IsUnknown() || e.expose.Type.IsUnknown() {
		return nil
	}
	at := path.Root("expose")
	switch {
	case e.exposeType == exposeIngress && e.expose.Ingress.IsNull():
		return []composite.Finding{fault(at.AtName("ingress"), "Missing ingress", "expose.type is Ingress, which needs expose.ingress with api_host and konnectivity_host: the names under which the ingress controller passes TLS through.")}
	case e.exposeType != exposeIngress && !e.expose.Ingress.IsNull():
		return []composite.Finding{fault(at.AtName("ingress"), "Unused ingress", fmt.Sprintf("expose.ingress only means something with expose.type = \"Ingress\", and the type is %q. Remove one of them.", e.exposeType))}
	case (e.exposeType == exposeNodePort || e.exposeType == exposeClusterIP) && e.expose.ExternalAddress.IsNull():
		return []composite.Finding{fault(at.AtName("external_address"), "Missing external_address", fmt.Sprintf(
			"expose.type is %s, and k0smotron then finds no stable address for nodes by itself: the control plane would never become available. Set expose.external_address to the host name or address under which nodes reach it, for example \"api.train.example.net\".", e.exposeType))}
	}
	return nil
}

// portsApart: each port is used in the container, in the Service and, for NodePort, on the nodes.
func portsApart(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Expose.IsUnknown() || e.expose.Type.IsUnknown() || e.expose.APIPort.IsUnknown() || e.expose.KonnectivityPort.IsUnknown() {
		return nil
	}
	at := path.Root("expose")
	if e.apiPort == e.konnectivityPort {
		return []composite.Finding{fault(at.AtName("konnectivity_port"), "Ports clash", fmt.Sprintf("expose.api_port and expose.konnectivity_port are both %d. They are two ports of one Service and must differ.", e.apiPort))}
	}
	if e.exposeType != exposeNodePort {
		return nil
	}
	var out []composite.Finding
	for name, port := range map[string]int64{"api_port": e.apiPort, "konnectivity_port": e.konnectivityPort} {
		if port < 1024 || port >= 30000 && port <= 32767 {
			continue
		}
		out = append(out, composite.Finding{Path: at.AtName(name), Warning: true, Summary: "Unusual node port",
			Detail: fmt.Sprintf("expose.%s is %d, outside of the usual node port range 30000-32767. The management cluster refuses it unless its API server was given another range.", name, port)})
	}
	return out
}

func storageComplete(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Storage.IsUnknown() || e.storage.Type.IsUnknown() {
		return nil
	}
	at := path.Root("storage")
	switch {
	case e.storageType == storageEtcd && e.storage.Etcd.IsNull():
		return []composite.Finding{fault(at.AtName("etcd"), "Missing etcd", "storage.type is etcd, so storage.etcd must say at least auto_delete: true deletes the data with the cluster, false keeps the volumes.")}
	case e.storageType == storageKine && e.storage.Kine.IsNull():
		return []composite.Finding{fault(at.AtName("kine"), "Missing kine", "storage.type is kine, so storage.kine.secret must name the Secret that holds the database's address.")}
	case e.storageType == storageKine && !e.storage.Etcd.IsNull():
		return []composite.Finding{fault(at.AtName("etcd"), "Unused etcd", "storage.type is kine, so storage.etcd means nothing. Remove it.")}
	case e.storageType == storageEtcd && !e.storage.Kine.IsNull():
		return []composite.Finding{fault(at.AtName("kine"), "Unused kine", "storage.type is etcd, so storage.kine means nothing. Remove it, or set storage.type = \"kine\".")}
	}
	return nil
}

// evenMembers: a majority of an even number is no safer than of the odd number below it.
func evenMembers(m Model) []composite.Finding {
	n := numberOr(m.Replicas, defaultReplicas)
	if m.Replicas.IsUnknown() || n%2 == 1 || effectiveOf(m).storageType != storageEtcd {
		return nil
	}
	return []composite.Finding{{Path: path.Root("replicas"), Warning: true, Summary: "Even number of members",
		Detail: fmt.Sprintf("%d members survive the loss of no more members than %d do, and etcd is given %d. Use an odd number.", n, n-1, n+1)}}
}

func networkSane(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Network.IsUnknown() {
		return nil
	}
	at := path.Root("network")
	var out []composite.Finding
	if !e.network.Provider.IsUnknown() && e.provider != networkCilium && !e.network.Cilium.IsNull() {
		out = append(out, fault(at.AtName("cilium"), "Unused cilium", fmt.Sprintf("network.cilium only means something with network.provider = \"cilium\", and the provider is %q. Remove one of them.", e.provider)))
	}
	if !e.network.PodCIDR.IsUnknown() && !e.network.ServiceCIDR.IsUnknown() {
		pods, errPods := netip.ParsePrefix(e.podCIDR)
		services, errServices := netip.ParsePrefix(e.serviceCIDR)
		if errPods == nil && errServices == nil && pods.Overlaps(services) {
			out = append(out, fault(at.AtName("service_cidr"), "Address ranges overlap", fmt.Sprintf("Pods (%s) and services (%s) would share addresses. Choose ranges that do not overlap.", pods, services)))
		}
	}
	if text := e.cilium.Values.ValueString(); text != "" {
		values, ok := object(text)
		if !ok {
			return append(out, fault(at.AtName("cilium").AtName("values"), "Not a JSON object", "network.cilium.values must be a JSON object of Helm values, for example jsonencode({ hubble = { enabled = true } })."))
		}
		for key, attribute := range map[string]string{"encryption": "encryption", "MTU": "mtu"} {
			if _, there := values[key]; there {
				out = append(out, fault(at.AtName("cilium").AtName("values"), "Use the attribute for "+key, fmt.Sprintf("The Helm value %s is set by network.cilium.%s. Write it there and remove it here.", key, attribute)))
			}
		}
	}
	return out
}

func object(text string) (map[string]any, bool) {
	var out map[string]any
	return out, json.Unmarshal([]byte(text), &out) == nil && out != nil
}

// overridden are the keys of a ClusterConfig that k0smotron writes itself, whatever the user says.
var overridden = []string{"spec.api.port", "spec.api.externalAddress", "spec.konnectivity.agentPort", "spec.storage"}

// attributed are the keys that attributes of this resource write.
var attributed = map[string]string{
	"spec.network.provider": "network.provider", "spec.network.podCIDR": "network.pod_cidr", "spec.network.serviceCIDR": "network.service_cidr",
	"spec.network.clusterDomain": "network.cluster_domain", "spec.network.kubeProxy.disabled": "network.provider", "spec.extensions.helm": "helm",
}

func k0sConfigFree(m Model) []composite.Finding {
	at := path.Root("k0s_config")
	text := m.K0sConfig.ValueString()
	if text == "" {
		return nil
	}
	config, ok := object(text)
	if !ok {
		return []composite.Finding{fault(at, "Not a JSON object", "k0s_config must be a JSON object, for example jsonencode({ spec = { telemetry = { enabled = true } } }).")}
	}
	var out []composite.Finding
	for _, key := range overridden {
		if has(config, key) {
			out = append(out, fault(at, key+" is k0smotron's", fmt.Sprintf("k0smotron overrides %s in the final configuration, so it has no effect here. Remove it; expose and storage say the same.", key)))
		}
	}
	for key, attribute := range attributed {
		if has(config, key) {
			out = append(out, fault(at, "Use the attribute for "+key, fmt.Sprintf("%s is set by %s. Write it there and remove it from k0s_config.", key, attribute)))
		}
	}
	for key, want := range map[string]string{"apiVersion": k0sAPIVersion, "kind": k0sKind} {
		if v, there := config[key]; there && v != want {
			out = append(out, fault(at, "Wrong "+key, fmt.Sprintf("%s must be %q, or be left out.", key, want)))
		}
	}
	return out
}

func has(config map[string]any, dotted string) bool {
	steps := strings.Split(dotted, ".")
	for i, step := range steps {
		v, there := config[step]
		if !there || i == len(steps)-1 {
			return there
		}
		if config, there = v.(map[string]any); !there {
			return false
		}
	}
	return false
}

// helmSince is the first k0s whose Helm extensions work in hosted control planes.
var helmSince = tf.K0sVersion{Major: 1, Minor: 35, Patch: 4}

// ingressSince is the first k0s of the line that works behind an ingress.
var ingressSince = tf.K0sVersion{Major: 1, Minor: 34, Patch: 1}

const longestRelease = 53

func chartsKnown(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	charts, repositories := e.helm.Charts.Known(), e.helm.Repositories.Known()
	if version, ok := m.Version.Get(); ok {
		uses := ""
		switch {
		case len(charts) > 0:
			uses = "helm.charts"
		case e.provider == networkCilium && !m.Network.IsUnknown() && !e.network.Provider.IsUnknown():
			uses = "network.provider = \"cilium\""
		}
		if uses != "" && !version.AtLeast(helmSince) {
			out = append(out, fault(path.Root("version"), "k0s is too old for Helm charts", fmt.Sprintf("%s installs Helm charts, which takes k0s %s or later in a hosted control plane; the version is %s.", uses, helmSince, version)))
		}
		if e.exposeType == exposeIngress && !version.AtLeast(ingressSince) {
			out = append(out, fault(path.Root("version"), "k0s is too old for an ingress", fmt.Sprintf("expose.type = \"Ingress\" takes k0s %s or later; the version is %s.", ingressSince, version)))
		}
	}
	at := path.Root("helm").AtName("charts")
	if _, taken := repositories[ciliumRepository]; taken && e.provider == networkCilium {
		out = append(out, fault(path.Root("helm").AtName("repositories").AtMapKey(ciliumRepository), "Reserved repository", "The repository cilium is added by network.provider = \"cilium\". Remove it here, or give it another name."))
	}
	for name, c := range charts {
		chart, _ := c.Get()
		if len(name) > longestRelease {
			out = append(out, fault(at.AtMapKey(name), "Name of the release is too long", fmt.Sprintf("%s has %d characters; Helm allows %d.", name, len(name), longestRelease)))
		}
		if name == ciliumChart && e.provider == networkCilium {
			out = append(out, fault(at.AtMapKey(name), "Reserved release", "The release cilium is made by network.provider = \"cilium\". Use network.cilium, or network.provider = \"custom\" to install it yourself."))
		}
		if text := chart.Values.ValueString(); text != "" {
			if _, ok := object(text); !ok {
				out = append(out, fault(at.AtMapKey(name).AtName("values"), "Not a JSON object", "values must be a JSON object of Helm values, for example jsonencode({ replicas = 2 })."))
			}
		}
		if chart.Chart.IsUnknown() || e.helm.Repositories.IsUnknown() || strings.HasPrefix(chart.Chart.ValueString(), "oci://") {
			continue
		}
		repository, _, found := strings.Cut(chart.Chart.ValueString(), "/")
		if _, known := repositories[repository]; !found || !known && (repository != ciliumRepository || e.provider != networkCilium) {
			out = append(out, fault(at.AtMapKey(name).AtName("chart"), "Unknown repository", fmt.Sprintf("%q is not <repository>/<chart> with a repository of helm.repositories, nor an oci:// URL.", chart.Chart.ValueString())))
		}
	}
	return out
}
