package controlplane

import (
	"bytes"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// parseK0sConfig takes the ClusterConfig apart: the network, the charts, and the rest. What the operator writes into it
// from the Cluster (podCIDR, serviceCIDR, clusterDomain) is read from the Cluster.
func parseK0sConfig(m, prior Model, cluster clusterapi.Cluster, spec k0smotron.ClusterSpec) Model {
	network := Network{Provider: types.StringNull(), PodCIDR: cidrtypes.NewIPPrefixNull(), ServiceCIDR: cidrtypes.NewIPPrefixNull(), ClusterDomain: types.StringNull(), Cilium: tf.NullObject[Cilium]()}
	if n := cluster.Spec.ClusterNetwork; n != nil {
		network.PodCIDR, network.ServiceCIDR, network.ClusterDomain = firstRange(n.Pods), firstRange(n.Services), tf.TextOrNull(n.ServiceDomain)
	}
	rest := copyOf(spec.K0sConfig)
	k0s, _ := rest["spec"].(map[string]any)
	provider, _ := take(k0s, "network", "provider").(string)
	if provider == "" {
		provider = networkKubeRouter // that of k0s itself
	}
	for _, written := range []string{"podCIDR", "serviceCIDR", "clusterDomain"} {
		take(k0s, "network", written)
	}
	if telemetry, ok := k0s["telemetry"].(map[string]any); ok && (len(telemetry) == 0 || telemetry["enabled"] == false) {
		if delete(telemetry, "enabled"); len(telemetry) == 0 {
			delete(k0s, "telemetry")
		}
	}
	helm, _ := take(k0s, "extensions", "helm").(map[string]any)
	charts, cilium := entriesOf(helm, "charts"), map[string]any(nil)
	repositories := entriesOf(helm, "repositories")
	if c := charts[ciliumChart]; isOurs(c, k0s, repositories, prior) {
		if cilium = c; provider == networkCustom {
			provider = networkCilium
		}
		take(k0s, "network", "kubeProxy", "disabled")
		delete(charts, ciliumChart)
		delete(repositories, ciliumRepository)
	}
	network.Provider = types.StringValue(provider)
	m.Helm = tf.NullObject[Helm]()
	if o := tf.ObjectOf(Helm{Charts: parseCharts(charts), Repositories: parseRepositories(repositories)}); !hollow(o) {
		m.Helm = o
	}

	delete(rest, "apiVersion")
	delete(rest, "kind")
	if len(k0s) == 0 {
		delete(rest, "spec")
	}
	m.K0sConfig = jsonOrNull(rest)

	m.Network, m.CiliumVersion = tf.ObjectOf(network), types.StringNull()
	if cilium != nil {
		network.Cilium = parseCilium(m, network, prior, cilium)
		m.Network, m.CiliumVersion = tf.ObjectOf(network), tf.TextOrNull(text(cilium, "version"))
	}
	return m
}

func firstRange(r *clusterapi.NetworkRanges) tf.IPPrefix {
	if r == nil || len(r.CIDRBlocks) == 0 {
		return cidrtypes.NewIPPrefixNull()
	}
	return cidrtypes.NewIPPrefixValue(r.CIDRBlocks[0])
}

// isOurs tells the release that network.provider = "cilium" makes from one that the user made of the same chart. A prior
// state knows; an import has to go by what is there.
func isOurs(chart, k0s map[string]any, repositories map[string]map[string]any, prior Model) bool {
	if text(chart, "chartname") != ciliumRepository+"/cilium" {
		return false
	}
	if !isImport(prior) {
		return effectiveOf(prior).provider == networkCilium
	}
	network, _ := k0s["network"].(map[string]any)
	proxy, _ := network["kubeProxy"].(map[string]any)
	values := valuesOf(chart)
	_, mode := values["routingMode"]
	return proxy["disabled"] == true && text(chart, "namespace") == ciliumNamespace && text(repositories[ciliumRepository], "url") == ciliumURL &&
		mode && values["kubeProxyReplacement"] == true
}

// isImport tells a model that knows nothing but names: the version is required.
func isImport(m Model) bool { return m.Version.IsNull() }

// entriesOf lists repositories or charts by name.
func entriesOf(helm map[string]any, key string) map[string]map[string]any {
	out := map[string]map[string]any{}
	list, _ := helm[key].([]any)
	for _, item := range list {
		if entry, ok := item.(map[string]any); ok && text(entry, "name") != "" {
			out[text(entry, "name")] = entry
		}
	}
	return out
}

func parseRepositories(entries map[string]map[string]any) tf.Map[tf.Object[Repository]] {
	if len(entries) == 0 {
		return tf.NullMap[tf.Object[Repository]]()
	}
	out := map[string]tf.Object[Repository]{}
	for name, r := range entries {
		out[name] = tf.ObjectOf(Repository{URL: types.StringValue(text(r, "url"))})
	}
	return tf.MapOf(out)
}

func parseCharts(entries map[string]map[string]any) tf.Map[tf.Object[Chart]] {
	if len(entries) == 0 {
		return tf.NullMap[tf.Object[Chart]]()
	}
	out := map[string]tf.Object[Chart]{}
	for name, c := range entries {
		chart := Chart{Chart: types.StringValue(text(c, "chartname")), Version: tf.TextOrNull(text(c, "version")), Namespace: tf.TextOrNull(text(c, "namespace")), Values: jsontypes.NewNormalizedNull(), Order: types.Int64Null(), Timeout: tf.NullDuration()}
		switch order := c["order"].(type) {
		case int64:
			chart.Order = types.Int64Value(order)
		case float64:
			chart.Order = types.Int64Value(int64(order))
		}
		if d := text(c, "timeout"); d != "" {
			chart.Timeout = tf.DurationOf(d)
		}
		if wire, err := yaml.YAMLToJSON([]byte(text(c, "values"))); err == nil && !bytes.Equal(wire, []byte("null")) {
			chart.Values = jsontypes.NewNormalizedValue(string(wire))
		}
		out[name] = tf.ObjectOf(chart)
	}
	return tf.MapOf(out)
}

// valuesOf reads the values of a chart; what is no YAML object has none to show.
func valuesOf(chart map[string]any) map[string]any {
	wire, err := yaml.YAMLToJSON([]byte(text(chart, "values")))
	if err != nil {
		return nil
	}
	values, _ := object(string(wire))
	return values
}

// parseCilium reads the settings of Cilium. Values that follow from other attributes are left out, by what these say now
// and by what they said in the prior state: somebody who changes an address does not write it into the values as well.
func parseCilium(m Model, network Network, prior Model, chart map[string]any) tf.Object[Cilium] {
	values := valuesOf(chart)
	c := Cilium{Version: tf.TextOrNull(text(chart, "version")), Encryption: types.StringValue(encryptionNone), MTU: types.Int64Null(), Values: jsontypes.NewNormalizedNull()}
	if encryption, _ := values["encryption"].(map[string]any); encryption["enabled"] == true && encryption["type"] == encryptionWireGuard {
		c.Encryption = types.StringValue(encryptionWireGuard)
	}
	if mtu, ok := values["MTU"].(int64); ok {
		c.MTU = types.Int64Value(mtu)
	}
	delete(values, "encryption")
	delete(values, "MTU")

	network.Cilium = tf.ObjectOf(c)
	m.Network = tf.ObjectOf(network)
	subtract(values, ciliumValues(effectiveOf(m)))
	if !isImport(prior) {
		subtract(values, ciliumValues(effectiveOf(prior)))
	}
	c.Values = jsonOrNull(values)
	return tf.ObjectOf(c)
}

// subtract removes from nested maps what the others have as well, and the maps that it leaves empty.
func subtract(m, others map[string]any) {
	for k, other := range others {
		v, there := m[k]
		if !there {
			continue
		}
		inner, isMap := v.(map[string]any)
		outer, both := other.(map[string]any)
		switch {
		case isMap && both:
			if subtract(inner, outer); len(inner) == 0 {
				delete(m, k)
			}
		case sameJSON(v, other):
			delete(m, k)
		}
	}
}

func sameJSON(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// take removes a value from nested maps, and the maps that it leaves empty.
func take(m map[string]any, steps ...string) any {
	v, there := m[steps[0]]
	if !there {
		return nil
	}
	if len(steps) == 1 {
		delete(m, steps[0])
		return v
	}
	inner, ok := v.(map[string]any)
	if !ok || len(inner) == 0 {
		return nil
	}
	taken := take(inner, steps[1:]...)
	if len(inner) == 0 {
		delete(m, steps[0])
	}
	return taken
}

func jsonOrNull(m map[string]any) tf.JSON {
	if len(m) == 0 {
		return jsontypes.NewNormalizedNull()
	}
	wire, err := json.Marshal(m)
	if err != nil { // plain data always encodes
		return jsontypes.NewNormalizedNull()
	}
	return jsontypes.NewNormalizedValue(string(wire))
}
