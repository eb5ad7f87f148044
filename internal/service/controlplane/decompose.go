package controlplane

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose shows in attributes what differs from what the prior state composes to. Everything else keeps the user's
// spelling, and attributes that were left out stay so.
//
// The version of Cilium is not among them: the frozen default would take on whatever somebody else made of it. It shows as
// drift instead.
func decompose(live composite.Live, prior Model) Model {
	out := composite.ThreeWay(Kind, live, prior, parse)
	out.CiliumVersion = prior.CiliumVersion
	return out
}

// parse reads every attribute from the objects of a control plane. Defaults are left out, so that what an import brings
// in reads like what a person would write.
func parse(live composite.Live, m Model) Model {
	cluster, _ := composite.As[clusterapi.Cluster](live, clusterapi.ClusterKind, "")
	plane, ok := composite.As[controlplane.K0smotronControlPlane](live, controlplane.K0smotronControlPlaneKind, "")
	if !ok {
		return m
	}
	spec := plane.Spec
	m.Version = tf.VersionOf(spec.Version)
	m.Replicas = types.Int64Value(defaultReplicas)
	if spec.Replicas != nil {
		m.Replicas = types.Int64Value(int64(*spec.Replicas))
	}
	m.Expose = tf.ObjectOf(parseExpose(spec))
	m.Storage = tf.ObjectOf(parseStorage(spec.Storage))
	m.Resources = parseResources(spec.Resources)
	placement, annotations := parsePatches(spec.Patches)
	placement.TopologySpread = parseSpread(spec.TopologySpreadConstraints)
	m.Placement = tf.NullObject[Placement]()
	if !placement.NodeSelector.IsNull() || !placement.Tolerations.IsNull() || !placement.TopologySpread.IsNull() {
		m.Placement = tf.ObjectOf(placement)
	}
	if len(annotations) > 0 {
		expose, _ := m.Expose.Get()
		expose.Annotations = textMap(annotations)
		m.Expose = tf.ObjectOf(expose)
	}
	return parseK0sConfig(m, cluster, spec)
}

func parseExpose(spec k0smotron.ClusterSpec) Expose {
	e := Expose{
		Type: types.StringNull(), ExternalAddress: textOrNull(spec.ExternalAddress), APIPort: types.Int64Null(), KonnectivityPort: types.Int64Null(),
		Annotations: tf.NullMap[types.String](), Ingress: tf.NullObject[Ingress](),
	}
	kind := exposeClusterIP
	if spec.Service != nil {
		kind = string(spec.Service.Type)
	}
	if in := spec.Ingress; in != nil {
		kind = exposeIngress
		class := ""
		if in.ClassName != nil {
			class = *in.ClassName
		}
		e.Ingress = tf.ObjectOf(Ingress{
			APIHost: types.StringValue(in.APIHost), KonnectivityHost: types.StringValue(in.KonnectivityHost), ClassName: textOrNull(class),
			Port: unless(in.Port, defaultIngressPort), Annotations: textMap(in.Annotations),
		})
	}
	if kind != exposeLoadBalancer {
		e.Type = types.StringValue(kind)
	}
	api, konnectivity := ports(kind)
	if spec.Service != nil {
		e.APIPort, e.KonnectivityPort = unless(int64(spec.Service.APIPort), api), unless(int64(spec.Service.KonnectivityPort), konnectivity)
	}
	return e
}

func parseStorage(s *k0smotron.Storage) Storage {
	out := Storage{Type: types.StringNull(), Etcd: tf.NullObject[Etcd](), Kine: tf.NullObject[Kine]()}
	switch {
	case s == nil:
	case s.Type == k0smotron.StorageKine:
		out.Type = types.StringValue(storageKine)
		if s.Kine != nil {
			out.Kine = tf.ObjectOf(Kine{Secret: types.StringValue(s.Kine.DataSourceSecretName)})
		}
	case s.Etcd != nil:
		etcd := Etcd{Size: tf.NullQuantity(), StorageClass: types.StringNull(), AutoDelete: types.BoolValue(s.Etcd.AutoDeletePVCs != nil && *s.Etcd.AutoDeletePVCs), Defrag: tf.NullObject[Defrag]()}
		if p := s.Etcd.Persistence; p != nil {
			etcd.StorageClass = textOrNull(p.StorageClass)
			if size := p.Size.String(); size != "" && size != defaultEtcdSize {
				etcd.Size = tf.QuantityOf(size)
			}
		}
		if job := s.Etcd.DefragJob; job != nil && job.Enabled {
			schedule := types.StringNull()
			if job.Schedule != defaultDefrag {
				schedule = textOrNull(job.Schedule)
			}
			etcd.Defrag = tf.ObjectOf(Defrag{Schedule: schedule})
		}
		out.Etcd = tf.ObjectOf(etcd)
	}
	return out
}

func parseResources(r *api.Resources) tf.Object[Resources] {
	if r == nil {
		return tf.NullObject[Resources]()
	}
	list := func(l api.ResourceList) tf.Map[tf.Quantity] {
		if len(l) == 0 {
			return tf.NullMap[tf.Quantity]()
		}
		out := map[string]tf.Quantity{}
		for name, q := range l {
			out[name] = tf.QuantityOf(q.String())
		}
		return tf.MapOf(out)
	}
	return tf.ObjectOf(Resources{Requests: list(r.Requests), Limits: list(r.Limits)})
}

func parseSpread(list []api.TopologySpreadConstraint) tf.Map[tf.Object[Spread]] {
	if len(list) == 0 {
		return tf.NullMap[tf.Object[Spread]]()
	}
	out := map[string]tf.Object[Spread]{}
	for _, c := range list {
		when := types.StringNull()
		if c.WhenUnsatisfiable != "DoNotSchedule" {
			when = textOrNull(c.WhenUnsatisfiable)
		}
		out[c.TopologyKey] = tf.ObjectOf(Spread{MaxSkew: unless(int64(c.MaxSkew), 1), WhenUnsatisfiable: when})
	}
	return tf.MapOf(out)
}

// parsePatches reads back the patches that compose writes; others are not ours to show.
func parsePatches(patches []k0smotron.Patch) (Placement, map[string]string) {
	placement := Placement{NodeSelector: tf.NullMap[types.String](), Tolerations: tf.NullMap[tf.Object[Toleration]](), TopologySpread: tf.NullMap[tf.Object[Spread]]()}
	var annotations map[string]string
	for _, p := range patches {
		var content struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Spec struct {
				Template struct {
					Spec struct {
						NodeSelector map[string]string   `json:"nodeSelector"`
						Tolerations  []map[string]string `json:"tolerations"`
					} `json:"spec"`
				} `json:"template"`
			} `json:"spec"`
		}
		if json.Unmarshal([]byte(p.Patch.Content), &content) != nil || p.Target.Component != "control-plane" {
			continue
		}
		switch p.Target.Kind {
		case "Service":
			annotations = content.Metadata.Annotations
		case "StatefulSet":
			placement.NodeSelector = textMap(content.Spec.Template.Spec.NodeSelector)
			placement.Tolerations = parseTolerations(content.Spec.Template.Spec.Tolerations)
		}
	}
	return placement, annotations
}

// parseTolerations names tolerations by their key and effect, since the user's names are nowhere in the objects.
func parseTolerations(list []map[string]string) tf.Map[tf.Object[Toleration]] {
	if len(list) == 0 {
		return tf.NullMap[tf.Object[Toleration]]()
	}
	out := map[string]tf.Object[Toleration]{}
	for _, t := range list {
		name := t["key"]
		if t["effect"] != "" {
			name += ":" + t["effect"]
		}
		out[name] = tf.ObjectOf(Toleration{Key: textOrNull(t["key"]), Operator: textOrNull(t["operator"]), Value: textOrNull(t["value"]), Effect: textOrNull(t["effect"])})
	}
	return tf.MapOf(out)
}

// parseK0sConfig takes the ClusterConfig apart: the network provider, the charts, and the rest.
func parseK0sConfig(m Model, cluster clusterapi.Cluster, spec k0smotron.ClusterSpec) Model {
	network := Network{Provider: types.StringNull(), PodCIDR: cidrtypes.NewIPPrefixNull(), ServiceCIDR: cidrtypes.NewIPPrefixNull(), ClusterDomain: types.StringNull(), Cilium: tf.NullObject[Cilium]()}
	if n := cluster.Spec.ClusterNetwork; n != nil {
		if n.Pods != nil && len(n.Pods.CIDRBlocks) > 0 && n.Pods.CIDRBlocks[0] != defaultPodCIDR {
			network.PodCIDR = cidrtypes.NewIPPrefixValue(n.Pods.CIDRBlocks[0])
		}
		if n.Services != nil && len(n.Services.CIDRBlocks) > 0 && n.Services.CIDRBlocks[0] != defaultServiceCIDR {
			network.ServiceCIDR = cidrtypes.NewIPPrefixValue(n.Services.CIDRBlocks[0])
		}
		network.ClusterDomain = textOrNull(n.ServiceDomain)
	}
	rest, _ := copyOf(spec.K0sConfig).(map[string]any)
	k0s, _ := rest["spec"].(map[string]any)
	provider, _ := take(k0s, "network", "provider").(string)
	take(k0s, "network", "kubeProxy", "disabled")
	for _, written := range []string{"podCIDR", "serviceCIDR", "clusterDomain"} {
		take(k0s, "network", written)
	}
	if telemetry, ok := take(k0s, "telemetry", "enabled").(bool); ok && telemetry {
		k0s["telemetry"] = map[string]any{"enabled": true}
	}
	helm, _ := take(k0s, "extensions", "helm").(map[string]any)
	delete(rest, "apiVersion")
	delete(rest, "kind")
	delete(rest, "metadata")
	if len(k0s) == 0 {
		delete(rest, "spec")
	}
	m.K0sConfig = jsonOrNull(rest)

	charts, cilium := parseCharts(helm)
	m.CiliumVersion = types.StringNull()
	if cilium != nil {
		provider = networkCilium
		network.Cilium, m.CiliumVersion = parseCilium(cilium)
	}
	if provider != networkCilium {
		network.Provider = types.StringValue(provider)
	}
	repositories := parseRepositories(helm, cilium != nil)
	m.Helm = tf.NullObject[Helm]()
	if !charts.IsNull() || !repositories.IsNull() {
		m.Helm = tf.ObjectOf(Helm{Charts: charts, Repositories: repositories})
	}
	m.Network = tf.NullObject[Network]()
	if !network.Provider.IsNull() || !network.PodCIDR.IsNull() || !network.ServiceCIDR.IsNull() || !network.ClusterDomain.IsNull() || !network.Cilium.IsNull() {
		m.Network = tf.ObjectOf(network)
	}
	return m
}

func parseRepositories(helm map[string]any, cilium bool) tf.Map[tf.Object[Repository]] {
	out := map[string]tf.Object[Repository]{}
	list, _ := helm["repositories"].([]any)
	for _, item := range list {
		r, _ := item.(map[string]any)
		name, _ := r["name"].(string)
		url, _ := r["url"].(string)
		if name != "" && (!cilium || name != ciliumRepository) {
			out[name] = tf.ObjectOf(Repository{URL: types.StringValue(url)})
		}
	}
	if len(out) == 0 {
		return tf.NullMap[tf.Object[Repository]]()
	}
	return tf.MapOf(out)
}

// parseCharts tells the release of Cilium that the network provider makes from the user's.
func parseCharts(helm map[string]any) (charts tf.Map[tf.Object[Chart]], cilium map[string]any) {
	out := map[string]tf.Object[Chart]{}
	list, _ := helm["charts"].([]any)
	for _, item := range list {
		c, _ := item.(map[string]any)
		text := func(key string) string {
			s, _ := c[key].(string)
			return s
		}
		if text("name") == ciliumChart && text("chartname") == ciliumRepository+"/cilium" {
			cilium = c
			continue
		}
		chart := Chart{Chart: types.StringValue(text("chartname")), Version: textOrNull(text("version")), Namespace: types.StringNull(), Values: jsontypes.NewNormalizedNull(), Order: types.Int64Null(), Timeout: tf.NullDuration()}
		if space := text("namespace"); space != defaultChartSpace {
			chart.Namespace = textOrNull(space)
		}
		switch order := c["order"].(type) {
		case int64:
			chart.Order = types.Int64Value(order)
		case float64:
			chart.Order = types.Int64Value(int64(order))
		}
		if d := text("timeout"); d != "" {
			chart.Timeout = tf.DurationOf(d)
		}
		values := map[string]any{}
		if yaml.Unmarshal([]byte(text("values")), &values) == nil {
			chart.Values = jsonOrNull(values)
		}
		out[text("name")] = tf.ObjectOf(chart)
	}
	if len(out) == 0 {
		return tf.NullMap[tf.Object[Chart]](), cilium
	}
	return tf.MapOf(out), cilium
}

// generatedCilium are the values that ciliumOf writes from other attributes.
var generatedCilium = []string{"kubeProxyReplacement", "routingMode", "tunnelProtocol", "operator", "ipam", "k8sServicePort", "k8sServiceHost", "k8sServiceHostRef"}

func parseCilium(chart map[string]any) (tf.Object[Cilium], types.String) {
	version, _ := chart["version"].(string)
	text, _ := chart["values"].(string)
	values := map[string]any{}
	_ = yaml.Unmarshal([]byte(text), &values) // what is no YAML has no values to show
	c := Cilium{Version: types.StringNull(), Encryption: types.StringNull(), MTU: types.Int64Null(), Values: jsontypes.NewNormalizedNull()}
	if encryption, _ := values["encryption"].(map[string]any); encryption["enabled"] == true && encryption["type"] == encryptionWireGuard {
		c.Encryption = types.StringValue(encryptionWireGuard)
	}
	if mtu, ok := values["MTU"].(float64); ok {
		c.MTU = types.Int64Value(int64(mtu))
	}
	for _, key := range append(slices.Clone(generatedCilium), "encryption", "MTU") {
		delete(values, key)
	}
	c.Values = jsonOrNull(values)
	if c.Encryption.IsNull() && c.MTU.IsNull() && c.Values.IsNull() {
		return tf.NullObject[Cilium](), types.StringValue(version)
	}
	return tf.ObjectOf(c), types.StringValue(version)
}

// take removes a value from nested maps, and the maps that it leaves empty.
func take(m map[string]any, steps ...string) any {
	if len(steps) == 1 {
		v := m[steps[0]]
		delete(m, steps[0])
		return v
	}
	inner, ok := m[steps[0]].(map[string]any)
	if !ok {
		return nil
	}
	v := take(inner, steps[1:]...)
	if len(inner) == 0 {
		delete(m, steps[0])
	}
	return v
}

func copyOf(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	m = maps.Clone(m)
	for k, e := range m {
		m[k] = copyOf(e)
	}
	return m
}

func jsonOrNull(m map[string]any) tf.JSON {
	if len(m) == 0 {
		return jsontypes.NewNormalizedNull()
	}
	text, err := json.Marshal(m)
	if err != nil { // plain data always encodes
		return jsontypes.NewNormalizedNull()
	}
	return jsontypes.NewNormalizedValue(string(text))
}

func textOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

func unless(v, standard int64) types.Int64 {
	if v == standard || v == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(v)
}

func textMap(m map[string]string) tf.Map[types.String] {
	if len(m) == 0 {
		return tf.NullMap[types.String]()
	}
	out := map[string]types.String{}
	for k, v := range m {
		out[k] = types.StringValue(v)
	}
	return tf.MapOf(out)
}

// locate names the objects of an import: the Cluster, and what it refers to.
func locate(m Model, found composite.Live) []composite.Ref {
	namespace := m.Namespace.ValueString()
	refs := []composite.Ref{{Kind: clusterapi.ClusterKind, Namespace: namespace, Name: m.Name.ValueString()}}
	if cluster, ok := composite.As[clusterapi.Cluster](found, clusterapi.ClusterKind, ""); ok {
		if r := cluster.Spec.InfrastructureRef; r != nil && r.Kind == infrastructure.RemoteClusterKind.Kind {
			refs = append(refs, composite.Ref{Kind: infrastructure.RemoteClusterKind, Namespace: namespace, Name: r.Name})
		}
		if r := cluster.Spec.ControlPlaneRef; r != nil && r.Kind == controlplane.K0smotronControlPlaneKind.Kind {
			refs = append(refs, composite.Ref{Kind: controlplane.K0smotronControlPlaneKind, Namespace: namespace, Name: r.Name})
		}
	}
	return refs
}
