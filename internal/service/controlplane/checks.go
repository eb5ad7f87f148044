package controlplane

import (
	"fmt"
	"net/netip"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = []composite.Check[Model]{addressGiven, portsApart, storageComplete, evenMembers, networkSane, tolerationsSane, k0sConfigFree, chartsKnown}

func fault(at path.Path, summary, detail string) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: detail}
}

// given tells a value that is certainly there. One that is not known may still turn out to be null.
func given(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

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
	case e.exposeType != exposeIngress && given(e.expose.Ingress):
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
	for _, p := range []struct {
		name string
		port int64
	}{{"api_port", e.apiPort}, {"konnectivity_port", e.konnectivityPort}} {
		if p.port < 30000 || p.port > 32767 {
			out = append(out, composite.Finding{Path: at.AtName(p.name), Warning: true, Summary: "Unusual node port",
				Detail: fmt.Sprintf("expose.%s is %d, outside of the usual node port range 30000-32767. The management cluster refuses it unless its API server was given another range.", p.name, p.port)})
		}
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
	case e.storageType == storageKine && given(e.storage.Etcd):
		return []composite.Finding{fault(at.AtName("etcd"), "Unused etcd", "storage.type is kine, so storage.etcd means nothing. Remove it.")}
	case e.storageType == storageEtcd && given(e.storage.Kine):
		return []composite.Finding{fault(at.AtName("kine"), "Unused kine", "storage.type is etcd, so storage.kine means nothing. Remove it, or set storage.type = \"kine\".")}
	}
	return nil
}

// evenMembers: a majority of an even number is no safer than of the odd number below it.
func evenMembers(m Model) []composite.Finding {
	e, n := effectiveOf(m), tf.NumberOr(m.Replicas, defaultReplicas)
	if m.Replicas.IsUnknown() || n%2 == 1 || !e.etcdForSure(m) {
		return nil
	}
	return []composite.Finding{{Path: path.Root("replicas"), Warning: true, Summary: "Even number of members",
		Detail: fmt.Sprintf("%d members survive the loss of no more members than %d do, and etcd is given %d. Use an odd number.", n, n-1, n+1)}}
}

// etcdForSure tells that the storage is etcd, and known to be.
func (e effective) etcdForSure(m Model) bool {
	return !m.Storage.IsUnknown() && !e.storage.Type.IsUnknown() && e.storageType == storageEtcd
}

// ciliumForSure tells that the network provider is Cilium, and known to be.
func (e effective) ciliumForSure(m Model) bool {
	return !m.Network.IsUnknown() && !e.network.Provider.IsUnknown() && e.provider == networkCilium
}

func networkSane(m Model) []composite.Finding {
	e := effectiveOf(m)
	if m.Network.IsUnknown() {
		return nil
	}
	at := path.Root("network")
	var out []composite.Finding
	if !e.network.Provider.IsUnknown() && e.provider != networkCilium && given(e.network.Cilium) {
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
		for _, of := range []struct{ key, attribute string }{{"encryption", "encryption"}, {"MTU", "mtu"}} {
			if _, there := values[of.key]; there {
				out = append(out, fault(at.AtName("cilium").AtName("values"), "Use the attribute for "+of.key, fmt.Sprintf("The Helm value %s is set by network.cilium.%s. Write it there and remove it here.", of.key, of.attribute)))
			}
		}
	}
	return out
}

// tolerationsSane says what Kubernetes would say of the pods, where only the operator would read it.
func tolerationsSane(m Model) []composite.Finding {
	tolerations := effectiveOf(m).placement.Tolerations
	var out []composite.Finding
	for _, name := range tolerations.Keys() {
		t, ok := tolerations.Known()[name].Get()
		if !ok || t.Operator.IsUnknown() || t.Value.IsUnknown() || t.Key.IsUnknown() {
			continue
		}
		at := path.Root("placement").AtName("tolerations").AtMapKey(name)
		switch said := tolerationOf(t); {
		case said.Operator == "Exists" && said.Value != "":
			out = append(out, fault(at.AtName("value"), "Toleration with a value for every value", fmt.Sprintf("Operator Exists tolerates every value of the taint, so there can be no value %q. Remove one of them, or set operator = \"Equal\".", said.Value)))
		case said.Key == "" && said.Operator != "Exists":
			out = append(out, fault(at.AtName("key"), "Toleration of a value without a key", "A toleration without a key is one of every taint, which has no value to compare. Set the key, or remove value and operator."))
		}
	}
	return out
}
