package pool

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/topology"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose reads a pool where it differs from the model. An object that is gone shows as drift.
func decompose(live composite.Live, m Model) Model {
	if m.Engine.ValueString() == scheduling.EngineKueue {
		return decomposeKueue(live, m)
	}
	s, ok := composite.As[shard.SchedulingShard](live, shard.Kind, m.Name.ValueString())
	if !ok {
		return m
	}
	m = withRecord(m, s.Annotations)
	m.NodePool = scheduling.TextWith(m.NodePool, s.Spec.PartitionLabelValue)
	m.Placement = placementWith(m.Placement, s.Spec.PlacementStrategy)
	m.MinRuntime = runtimeWith(m.MinRuntime, s.Spec.MinRuntime)
	m.Args = argsWith(m.Args, s.Spec.Args)
	m.FairShareHistory = historyWith(m.FairShareHistory, s.Spec)
	if t, ok := composite.As[topology.Topology](live, topology.Kind, m.Name.ValueString()); ok {
		var labels []string
		for _, level := range t.Spec.Levels {
			labels = append(labels, level.NodeLabel)
		}
		m.Topology = levelsWith(m.Topology, labels)
	}
	return m
}

func decomposeKueue(live composite.Live, m Model) Model {
	f, ok := composite.As[kueue.ResourceFlavor](live, kueue.ResourceFlavorKind, m.Name.ValueString())
	if !ok {
		return m
	}
	m = withRecord(m, f.Annotations)
	m.NodePool = scheduling.TextWith(m.NodePool, f.Spec.NodeLabels[scheduling.LabelNodePool])
	if t, ok := composite.As[kueue.Topology](live, kueue.TopologyKind, m.Name.ValueString()); ok {
		var labels []string
		for _, level := range t.Spec.Levels {
			labels = append(labels, level.NodeLabel)
		}
		m.Topology = levelsWith(m.Topology, labels)
	}
	return m
}

// withRecord reads what was recorded. A record that cannot be read shows as drift.
func withRecord(m Model, annotations map[string]string) Model {
	text, has := annotations[scheduling.AnnotationDeclared]
	var r record
	if has && json.Unmarshal([]byte(text), &r) != nil {
		return m
	}
	m.Resource = scheduling.TextWith(m.Resource, r.Resource)
	if now := types.Int64PointerValue(r.Capacity); !m.Capacity.Equal(now) {
		m.Capacity = now
	}
	return m
}

func placementWith(was tf.Object[Placement], live *shard.PlacementStrategy) tf.Object[Placement] {
	p, set := was.Get()
	if live == nil {
		live = &shard.PlacementStrategy{}
	}
	if p.GPU.ValueString() == live.GPU && p.CPU.ValueString() == live.CPU {
		return was
	}
	if !set {
		p = Placement{types.StringNull(), types.StringNull()}
	}
	return tf.ObjectOf(Placement{GPU: scheduling.TextWith(p.GPU, live.GPU), CPU: scheduling.TextWith(p.CPU, live.CPU)})
}

func runtimeWith(was tf.Object[MinRuntime], live *shard.MinRuntime) tf.Object[MinRuntime] {
	r, set := was.Get()
	if live == nil {
		live = &shard.MinRuntime{}
	}
	if r.Preempt.ValueString() == live.PreemptMinRuntime && r.Reclaim.ValueString() == live.ReclaimMinRuntime {
		return was
	}
	if !set {
		r = MinRuntime{tf.NullDuration(), tf.NullDuration()}
	}
	return tf.ObjectOf(MinRuntime{Preempt: scheduling.DurationWith(r.Preempt, live.PreemptMinRuntime), Reclaim: scheduling.DurationWith(r.Reclaim, live.ReclaimMinRuntime)})
}

func argsWith(was tf.Map[types.String], live map[string]string) tf.Map[types.String] {
	known, same := was.Known(), true
	now := map[string]types.String{}
	for name, value := range live {
		now[name] = types.StringValue(value)
		same = same && known[name].Equal(now[name])
	}
	switch {
	case same && len(known) == len(live):
		return was
	case len(live) == 0:
		return tf.NullMap[types.String]()
	}
	return tf.MapOf(now)
}

// historyWith reads the history. One that is read from anything but Prometheus has no attribute; it shows as drift.
func historyWith(was tf.Object[History], live shard.Spec) tf.Object[History] {
	h, set := was.Get()
	if live.UsageDBConfig == nil {
		if set {
			return tf.NullObject[History]()
		}
		return was
	}
	params := live.UsageDBConfig.UsageParams
	if params == nil {
		params = &shard.UsageParams{}
	}
	if !set {
		h = History{types.StringNull(), types.StringNull(), types.StringNull(), tf.NullDuration(), types.Float64Null()}
	}
	now := History{
		PrometheusURL: scheduling.TextWith(h.PrometheusURL, live.UsageDBConfig.ConnectionString),
		Window:        scheduling.TextWith(h.Window, params.WindowSize), WindowType: scheduling.TextWith(h.WindowType, params.WindowType),
		HalfLife: scheduling.DurationWith(h.HalfLife, params.HalfLifePeriod), Weight: types.Float64PointerValue(live.KValue),
	}
	if set && now.PrometheusURL.Equal(h.PrometheusURL) && now.Window.Equal(h.Window) && now.WindowType.Equal(h.WindowType) && now.HalfLife.Equal(h.HalfLife) && now.Weight.Equal(h.Weight) {
		return was
	}
	return tf.ObjectOf(now)
}

func levelsWith(was tf.List[types.String], live []string) tf.List[types.String] {
	if slices.Equal(scheduling.Texts(was), live) {
		return was
	}
	var list []types.String
	for _, label := range live {
		list = append(list, types.StringValue(label))
	}
	return tf.ListOf(list...)
}

// locate names the objects of an import.
func locate(m Model, _ composite.Live) []composite.Ref {
	name := m.Name.ValueString()
	if m.Engine.ValueString() == scheduling.EngineKueue {
		return []composite.Ref{{Kind: kueue.ResourceFlavorKind, Name: name}, {Kind: kueue.TopologyKind, Name: name}}
	}
	return []composite.Ref{{Kind: shard.Kind, Name: name}, {Kind: topology.Kind, Name: name}}
}
