package standin

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

const k0sAPIVersion = "k0s.k0sproject.io/v1beta1"

// enrichWithNetwork writes the Cluster's CIDRs and domain into the control plane's k0s configuration, where it says
// nothing else.
func enrichWithNetwork(kcp, cluster *unstructured.Unstructured) {
	network := map[string]any{}
	for key, path := range map[string]string{"podCIDR": "pods", "serviceCIDR": "services"} {
		if blocks, _ := lookup[[]any](cluster.Object, "spec", "clusterNetwork", path, "cidrBlocks"); len(blocks) > 0 {
			network[key] = joined(blocks)
		}
	}
	if domain := text(cluster.Object, "spec", "clusterNetwork", "serviceDomain"); domain != "" {
		network["clusterDomain"] = domain
	}
	if len(network) == 0 {
		return
	}
	config, _ := lookup[map[string]any](kcp.Object, "spec", "k0sConfig")
	defaults := map[string]any{
		"apiVersion": k0sAPIVersion,
		"kind":       "ClusterConfig",
		"spec":       map[string]any{"network": network},
	}
	put(kcp.Object, merged(defaults, config), "spec", "k0sConfig")
}

// configure writes what the operator itself decides into the derived Cluster's k0s configuration, and mounts the
// manifest that tells the hosted cluster its own address. Once the hosted cluster answers, the configuration is also
// kept in it, and then has a name and no storage.
func configure(derived *unstructured.Unstructured) error {
	name := derived.GetName()
	if text(derived.Object, "spec", "externalAddress") != "" {
		mountEndpoint(derived, shortName("kmc-"+name+"-endpoint"))
	}
	config, given := lookup[map[string]any](derived.Object, "spec", "k0sConfig")
	if !given {
		return nil
	}
	if version := text(config, "apiVersion"); version != k0sAPIVersion {
		return fmt.Errorf("unsupported k0s config version: %s", version)
	}
	spec := ownSettings(derived, config)
	config = merged(config, map[string]any{"spec": spec})
	if isTrue(derived, "ControlPlaneFunctional") {
		put(config, "k0s", "metadata", "name")
		put(config, "kube-system", "metadata", "namespace")
		unstructured.RemoveNestedField(config, "spec", "storage")
		unstructured.RemoveNestedField(config, "spec", "network", "controlPlaneLoadBalancing")
	}
	put(derived.Object, config, "spec", "k0sConfig")
	return nil
}

// ownSettings are the keys of a k0s configuration that a user cannot decide.
func ownSettings(derived *unstructured.Unstructured, config map[string]any) map[string]any {
	spec := map[string]any{}
	put(spec, number(derived.Object, "spec", "service", "apiPort"), "api", "port")
	put(spec, names(derived, config), "api", "sans")
	put(spec, number(derived.Object, "spec", "service", "konnectivityPort"), "konnectivity", "agentPort")
	ingress, behindIngress := lookup[map[string]any](derived.Object, "spec", "ingress")
	loadBalanced, _ := lookup[bool](config, "spec", "network", "nodeLocalLoadBalancing", "enabled")
	switch {
	case behindIngress:
		host, port := endpoint(derived)
		put(spec, fmt.Sprintf("%s:%d", host, port), "api", "externalAddress")
		put(spec, "none", "api", "extraArgs", "endpoint-reconciler-type")
		put(spec, text(ingress, "konnectivityHost"), "konnectivity", "externalAddress")
	case !loadBalanced:
		put(spec, text(derived.Object, "spec", "externalAddress"), "api", "externalAddress")
	}
	if text(derived.Object, "spec", "storage", "type") == "kine" {
		put(spec, "kine", "storage", "type")
		put(spec, text(derived.Object, "spec", "storage", "kine", "dataSourceURL"), "storage", "kine", "dataSource")
		return spec
	}
	put(spec, "etcd", "storage", "type")
	put(spec, map[string]any{
		"endpoints":      []any{fmt.Sprintf("https://%s:2379", shortName("kmc-"+derived.GetName()+"-etcd"))},
		"etcdPrefix":     derived.GetName(),
		"caFile":         "/var/lib/k0s/pki/etcd-ca.crt",
		"clientCertFile": "/var/lib/k0s/pki/apiserver-etcd-client.crt",
		"clientKeyFile":  "/var/lib/k0s/pki/apiserver-etcd-client.key",
	}, "storage", "etcd", "externalCluster")
	return spec
}

// names are under what the API server is reached: those that the user wrote, the address, and the Service.
func names(derived *unstructured.Unstructured, config map[string]any) []any {
	service := shortName("kmc-" + derived.GetName() + serviceSuffix(derived))
	all := []string{service, service + "." + derived.GetNamespace(), service + "." + derived.GetNamespace() + ".svc",
		service + "." + derived.GetNamespace() + ".svc.cluster.local"}
	if address := text(derived.Object, "spec", "externalAddress"); address != "" {
		all = append(all, address)
	}
	if host := text(derived.Object, "spec", "ingress", "apiHost"); host != "" {
		all = append(all, "127.0.0.1", "localhost", host)
	}
	if host := text(derived.Object, "spec", "ingress", "konnectivityHost"); host != "" {
		all = append(all, host)
	}
	written, _, _ := unstructured.NestedStringSlice(config, "spec", "api", "sans")
	all = append(all, written...)
	slices.Sort(all)
	var list []any
	for _, name := range slices.Compact(all) {
		list = append(list, name)
	}
	return list
}

func serviceSuffix(derived *unstructured.Unstructured) string {
	switch text(derived.Object, "spec", "service", "type") {
	case "LoadBalancer":
		return "-lb"
	case "NodePort":
		return "-nodeport"
	default:
		return ""
	}
}

func mountEndpoint(derived *unstructured.Unstructured, volume string) {
	manifests, _ := lookup[[]any](derived.Object, "spec", "manifests")
	for _, entry := range manifests {
		if m, ok := entry.(map[string]any); ok && m["name"] == volume {
			return
		}
	}
	put(derived.Object, append(slices.Clone(manifests), map[string]any{
		"name":      volume,
		"configMap": map[string]any{"name": volume},
	}), "spec", "manifests")
}

// merged returns base with the values of over, maps merged key by key.
func merged(base, over map[string]any) map[string]any {
	result := runtime.DeepCopyJSON(base)
	if result == nil {
		result = map[string]any{}
	}
	for key, value := range over {
		below, isMap := value.(map[string]any)
		under, wasMap := result[key].(map[string]any)
		switch {
		case isMap && wasMap:
			result[key] = merged(under, below)
		default:
			result[key] = runtime.DeepCopyJSONValue(value)
		}
	}
	return result
}

func joined(list []any) string {
	var out string
	for i, entry := range list {
		if i > 0 {
			out += ","
		}
		out += fmt.Sprint(entry)
	}
	return out
}
