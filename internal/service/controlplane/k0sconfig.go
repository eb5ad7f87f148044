package controlplane

import (
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"
)

const (
	k0sAPIVersion = "k0s.k0sproject.io/v1beta1"
	k0sKind       = "ClusterConfig"

	ciliumRepository = "cilium"
	ciliumURL        = "https://helm.cilium.io/"
	ciliumChart      = "cilium"
	ciliumNamespace  = "kube-system"
)

// k0sConfigOf is the ClusterConfig of k0s: what the attributes say, with k0s_config merged over it. apiVersion is
// required by the operator.
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
		more := map[string]any{}
		if err := json.Unmarshal([]byte(text), &more); err != nil {
			return nil, fmt.Errorf("k0s_config is not a JSON object: %w", err)
		}
		merge(config, more)
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
		chart := map[string]any{"name": name, "chartname": c.Chart.ValueString(), "namespace": textOr(c.Namespace, defaultChartSpace)}
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

// ciliumOf is the Helm release of Cilium in place of kube-proxy. The API server's address must be known to it before any
// service network works: the given one, or the one that k0smotron writes into ConfigMap kube-system/control-plane-endpoint.
func ciliumOf(m Model, e effective) (map[string]any, error) {
	values := map[string]any{
		"kubeProxyReplacement": true,
		"routingMode":          "tunnel",
		"tunnelProtocol":       "vxlan",
		"operator":             map[string]any{"replicas": 1},
		"ipam":                 map[string]any{"mode": "cluster-pool", "operator": map[string]any{"clusterPoolIPv4PodCIDRList": []any{e.podCIDR}}},
		"k8sServicePort":       e.apiPort,
	}
	switch address := e.expose.ExternalAddress.ValueString(); {
	case e.exposeType == exposeIngress:
		values["k8sServiceHost"], values["k8sServicePort"] = e.ingress.APIHost.ValueString(), numberOr(e.ingress.Port, defaultIngressPort)
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
	if text := e.cilium.Values.ValueString(); text != "" {
		more := map[string]any{}
		if err := json.Unmarshal([]byte(text), &more); err != nil {
			return nil, fmt.Errorf("network.cilium.values is not a JSON object: %w", err)
		}
		merge(values, more)
	}
	text, err := yaml.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode the values of Cilium: %w", err)
	}
	return map[string]any{
		"name": ciliumChart, "chartname": ciliumRepository + "/cilium", "version": textOr(m.CiliumVersion, defaultCilium),
		"namespace": ciliumNamespace, "values": string(text),
	}, nil
}
