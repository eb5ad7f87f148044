package controlplane

import (
	"encoding/json"
	"maps"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose shows in attributes what differs from what the prior state composes to. Everything else keeps the user's
// spelling, and attributes that were left out stay so. The default version of Cilium stays the one of the create: what
// somebody installed by hand shows as network.cilium.version, and is taken back.
func decompose(live composite.Live, prior Model) Model {
	m := composite.ThreeWay(Kind, live, prior, parse)
	m.CiliumVersion = prior.CiliumVersion
	return keepFixed(m, prior)
}

// imported reads every attribute and leaves out the defaults, so that what comes in reads like what a person would write.
func imported(live composite.Live, prior Model) Model {
	return brief(parse(live, prior))
}

// parse reads every attribute from the objects of a control plane, defaults included. Each attribute is read from its own
// fields, so that a change of one field moves no other attribute.
func parse(live composite.Live, m Model) Model {
	cluster, _ := composite.As[clusterapi.Cluster](live, clusterapi.ClusterKind, "")
	plane, ok := composite.As[controlplane.K0smotronControlPlane](live, controlplane.K0smotronControlPlaneKind, "")
	if !ok {
		return m
	}
	prior, spec := m, plane.Spec
	m.Version = tf.NullVersion()
	if spec.Version != "" {
		m.Version = tf.VersionOf(spec.Version)
	}
	m.Replicas = types.Int64Value(defaultReplicas)
	if spec.Replicas != nil {
		m.Replicas = types.Int64Value(int64(*spec.Replicas))
	}
	placement, annotations := parsePatches(spec.Patches, prior)
	expose := parseExpose(spec)
	expose.Annotations = textMap(annotations)
	m.Expose = tf.ObjectOf(expose)
	m.Storage = tf.ObjectOf(parseStorage(spec.Storage))
	m.Resources = parseResources(spec.Resources)
	m.Placement = tf.NullObject[Placement]()
	if o := tf.ObjectOf(placement); !hollow(o) {
		m.Placement = o
	}
	return parseK0sConfig(m, prior, cluster, spec)
}

func parseExpose(spec k0smotron.ClusterSpec) Expose {
	e := Expose{
		Type: types.StringValue(exposeClusterIP), ExternalAddress: tf.TextOrNull(spec.ExternalAddress), APIPort: types.Int64Null(), KonnectivityPort: types.Int64Null(),
		Annotations: tf.NullMap[types.String](), Ingress: tf.NullObject[Ingress](),
	}
	if s := spec.Service; s != nil {
		if s.Type != "" {
			e.Type = types.StringValue(string(s.Type))
		}
		e.APIPort, e.KonnectivityPort = numberOrNull(int64(s.APIPort)), numberOrNull(int64(s.KonnectivityPort))
	}
	if in := spec.Ingress; in != nil {
		e.Type = types.StringValue(exposeIngress)
		class := ""
		if in.ClassName != nil {
			class = *in.ClassName
		}
		e.Ingress = tf.ObjectOf(Ingress{
			APIHost: types.StringValue(in.APIHost), KonnectivityHost: types.StringValue(in.KonnectivityHost), ClassName: tf.TextOrNull(class),
			Port: numberOrNull(in.Port), Annotations: textMap(in.Annotations),
		})
	}
	return e
}

func parseStorage(s *k0smotron.Storage) Storage {
	out := Storage{Type: types.StringNull(), Etcd: tf.NullObject[Etcd](), Kine: tf.NullObject[Kine]()}
	if s == nil {
		return out
	}
	out.Type = tf.TextOrNull(string(s.Type))
	if s.Kine != nil && s.Type == k0smotron.StorageKine {
		out.Kine = tf.ObjectOf(Kine{Secret: types.StringValue(s.Kine.DataSourceSecretName)})
	}
	if s.Etcd != nil && s.Type != k0smotron.StorageKine {
		etcd := Etcd{Size: tf.NullQuantity(), StorageClass: types.StringNull(), AutoDelete: types.BoolValue(s.Etcd.AutoDeletePVCs != nil && *s.Etcd.AutoDeletePVCs), Defrag: tf.NullObject[Defrag]()}
		if p := s.Etcd.Persistence; p != nil {
			etcd.StorageClass = tf.TextOrNull(p.StorageClass)
			if size := p.Size.String(); size != "" {
				etcd.Size = tf.QuantityOf(size)
			}
		}
		if job := s.Etcd.DefragJob; job != nil && job.Enabled {
			etcd.Defrag = tf.ObjectOf(Defrag{Schedule: tf.TextOrNull(job.Schedule)})
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

// parsePatches reads back the patches that compose writes; others are not ours to show. What the members of etcd get is
// what the members of the control plane get.
func parsePatches(patches []k0smotron.Patch, prior Model) (Placement, map[string]string) {
	placement := Placement{NodeSelector: tf.NullMap[types.String](), Tolerations: tf.NullMap[tf.Object[Toleration]](), TopologySpread: tf.NullMap[tf.Object[Spread]]()}
	var annotations map[string]string
	for _, p := range patches {
		var content patch
		if json.Unmarshal([]byte(p.Patch.Content), &content) != nil || p.Target.Component != componentPlane {
			continue
		}
		switch {
		case p.Target.Kind == "Service" && content.Metadata != nil:
			annotations = content.Metadata.Annotations
		case p.Target.Kind == "StatefulSet" && content.Spec != nil:
			pod := content.Spec.Template.Spec
			placement.NodeSelector = textMap(pod.NodeSelector)
			placement.Tolerations = parseTolerations(pod.Tolerations, prior)
			placement.TopologySpread = parseSpread(pod.TopologySpreadConstraints)
		}
	}
	return placement, annotations
}

// parseTolerations calls tolerations as the user did, and others by what they say, since names are nowhere in the objects.
func parseTolerations(list []tolerationPatch, prior Model) tf.Map[tf.Object[Toleration]] {
	if len(list) == 0 {
		return tf.NullMap[tf.Object[Toleration]]()
	}
	named := map[tolerationPatch]string{}
	tolerations := effectiveOf(prior).placement.Tolerations
	for _, name := range tolerations.Keys() {
		if t, ok := tolerations.Known()[name].Get(); ok {
			named[tolerationOf(t)] = name
		}
	}
	out := map[string]tf.Object[Toleration]{}
	for _, t := range list {
		name, ok := named[t]
		if !ok {
			name = t.name()
		}
		out[name] = tf.ObjectOf(Toleration{Key: tf.TextOrNull(t.Key), Operator: tf.TextOrNull(t.Operator), Value: tf.TextOrNull(t.Value), Effect: tf.TextOrNull(t.Effect)})
	}
	return tf.MapOf(out)
}

// name spells a toleration as kubectl spells a taint; one for every key is called all.
func (t tolerationPatch) name() string {
	name := t.Key
	if name == "" {
		name = "all"
	}
	if t.Operator == "Equal" {
		name += "=" + t.Value
	}
	if t.Effect != "" {
		name += ":" + t.Effect
	}
	return name
}

func parseSpread(list []constraintsPatch) tf.Map[tf.Object[Spread]] {
	if len(list) == 0 {
		return tf.NullMap[tf.Object[Spread]]()
	}
	out := map[string]tf.Object[Spread]{}
	for _, c := range list {
		out[c.TopologyKey] = tf.ObjectOf(Spread{MaxSkew: numberOrNull(c.MaxSkew), WhenUnsatisfiable: tf.TextOrNull(c.WhenUnsatisfiable)})
	}
	return tf.MapOf(out)
}

func copyOf(m map[string]any) map[string]any {
	m = maps.Clone(m)
	for k, v := range m {
		if inner, ok := v.(map[string]any); ok {
			m[k] = copyOf(inner)
		}
	}
	return m
}

func numberOrNull(n int64) types.Int64 {
	if n == 0 {
		return types.Int64Null()
	}
	return types.Int64Value(n)
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
