package controlplane

import (
	"fmt"
	"maps"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

const (
	k0sAPIVersion = "k0s.k0sproject.io/v1beta1"
	k0sKind       = "ClusterConfig"

	ciliumRepository = "cilium"
	ciliumURL        = "https://helm.cilium.io/"
	ciliumChart      = "cilium"
	ciliumNamespace  = "kube-system"
)

// object reads a JSON object. Whole numbers keep all of their digits.
func object(text string) (map[string]any, bool) {
	var out map[string]any
	return out, utiljson.Unmarshal([]byte(text), &out) == nil && out != nil
}

// k0sConfigOf is the ClusterConfig of k0s: what the attributes say, with k0s_config merged over it. apiVersion is
// required by the operator. A null in k0s_config says nothing, as a null attribute does.
func k0sConfigOf(m Model, e effective) (map[string]any, error) {
	provider := e.provider
	network := map[string]any{}
	if provider == networkCilium {
		provider = networkCustom
		network["kubeProxy"] = map[string]any{"disabled": true} // Cilium replaces it
	}
	network["provider"] = provider
	spec := map[string]any{"telemetry": map[string]any{"enabled": false}, "network": network}
	helm, err := helmOf(m, e)
	if err != nil {
		return nil, err
	}
	if len(helm) > 0 {
		spec["extensions"] = map[string]any{"helm": helm}
	}
	config := map[string]any{"apiVersion": k0sAPIVersion, "kind": k0sKind, "spec": spec}
	if text := m.K0sConfig.ValueString(); text != "" {
		more, ok := object(text)
		if !ok {
			return nil, fmt.Errorf("k0s_config is not a JSON object")
		}
		merge(config, withoutNulls(more))
	}
	return config, nil
}

// merge puts more over base, map by map. Lists and scalars replace.
func merge(base, more map[string]any) {
	for k, v := range more {
		was, isMap := base[k].(map[string]any)
		now, both := v.(map[string]any)
		if isMap && both {
			merge(was, now)
			continue
		}
		base[k] = v
	}
}

func withoutNulls(m map[string]any) map[string]any {
	maps.DeleteFunc(m, func(_ string, v any) bool {
		if inner, ok := v.(map[string]any); ok {
			withoutNulls(inner)
		}
		return v == nil
	})
	return m
}

// helmOf lists repositories and charts, sorted by name, Cilium first.
func helmOf(m Model, e effective) (map[string]any, error) {
	var repositories, charts []any
	if e.provider == networkCilium {
		chart, err := ciliumOf(m, e)
		if err != nil {
			return nil, err
		}
		repositories = append(repositories, map[string]any{"name": ciliumRepository, "url": ciliumURL})
		charts = append(charts, chart)
	}
	for _, name := range e.helm.Repositories.Keys() {
		if r, ok := e.helm.Repositories.Known()[name].Get(); ok {
			repositories = append(repositories, map[string]any{"name": name, "url": r.URL.ValueString()})
		}
	}
	for _, name := range e.helm.Charts.Keys() {
		c, ok := e.helm.Charts.Known()[name].Get()
		if !ok {
			continue
		}
		chart := map[string]any{"name": name, "chartname": c.Chart.ValueString(), "namespace": tf.TextOr(c.Namespace, defaultChartSpace)}
		if v := c.Version.ValueString(); v != "" {
			chart["version"] = v
		}
		if !c.Order.IsNull() {
			chart["order"] = c.Order.ValueInt64()
		}
		if d, ok := c.Timeout.Get(); ok {
			chart["timeout"] = d.String()
		}
		if text := c.Values.ValueString(); text != "" {
			values, err := yaml.JSONToYAML([]byte(text))
			if err != nil {
				return nil, fmt.Errorf("values of chart %s: %w", name, err)
			}
			chart["values"] = string(values)
		}
		charts = append(charts, chart)
	}
	helm := map[string]any{}
	if len(repositories) > 0 {
		helm["repositories"] = repositories
	}
	if len(charts) > 0 {
		helm["charts"] = charts
	}
	return helm, nil
}

// ciliumOf is the Helm release of Cilium in place of kube-proxy.
func ciliumOf(m Model, e effective) (map[string]any, error) {
	values := ciliumValues(e)
	if text := e.cilium.Values.ValueString(); text != "" {
		more, ok := object(text)
		if !ok {
			return nil, fmt.Errorf("network.cilium.values is not a JSON object")
		}
		merge(values, more)
	}
	text, err := yaml.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode the values of Cilium: %w", err)
	}
	return map[string]any{
		"name": ciliumChart, "chartname": ciliumRepository + "/cilium", "version": tf.TextOr(e.cilium.Version, tf.TextOr(m.CiliumVersion, defaultCilium)),
		"namespace": ciliumNamespace, "values": string(text),
	}, nil
}

// ciliumValues are the values that follow from attributes. The API server's address must be known to Cilium before any
// service network works: the given one, or the one that k0smotron writes into ConfigMap kube-system/control-plane-endpoint.
func ciliumValues(e effective) map[string]any {
	values := map[string]any{
		"kubeProxyReplacement": true,
		"routingMode":          "tunnel",
		"tunnelProtocol":       "vxlan",
		"operator":             map[string]any{"replicas": int64(1)},
		"ipam":                 map[string]any{"mode": "cluster-pool", "operator": map[string]any{"clusterPoolIPv4PodCIDRList": []any{e.podCIDR}}},
		"k8sServicePort":       e.apiPort,
	}
	switch address := e.expose.ExternalAddress.ValueString(); {
	case e.exposeType == exposeIngress:
		values["k8sServiceHost"], values["k8sServicePort"] = e.ingress.APIHost.ValueString(), tf.NumberOr(e.ingress.Port, defaultIngressPort)
	case address != "":
		values["k8sServiceHost"] = address
	default:
		values["k8sServiceHostRef"] = map[string]any{"name": "control-plane-endpoint", "key": "apiServerHost"}
	}
	if e.encryption == encryptionWireGuard {
		values["encryption"] = map[string]any{"enabled": true, "type": encryptionWireGuard}
	}
	if !e.cilium.MTU.IsNull() {
		values["MTU"] = e.cilium.MTU.ValueInt64()
	}
	return values
}
