package pool

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/topology"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

const prometheus = "prometheus"

// compose returns the pool's Topology, where it has levels, and then its SchedulingShard or ResourceFlavor.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	annotations, err := declared(m)
	if err != nil {
		return nil, err
	}
	meta := metav1.ObjectMeta{Annotations: annotations}
	if m.Engine.ValueString() == scheduling.EngineKueue {
		return composeKueue(m, meta)
	}
	return composeKAI(m, meta)
}

func composeKAI(m Model, meta metav1.ObjectMeta) ([]composite.Object, error) {
	name := m.Name.ValueString()
	var out []composite.Object
	if labels := levelsOf(m); len(labels) > 0 {
		var t topology.Topology
		for _, label := range labels {
			t.Spec.Levels = append(t.Spec.Levels, topology.Level{NodeLabel: label})
		}
		o, err := composite.NewObject(topology.Kind, "", name, t)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	o, err := composite.NewObject(shard.Kind, "", name, shard.SchedulingShard{ObjectMeta: meta, Spec: shardOf(m)})
	return append(out, o), err
}

func composeKueue(m Model, meta metav1.ObjectMeta) ([]composite.Object, error) {
	name := m.Name.ValueString()
	flavor := kueue.ResourceFlavor{ObjectMeta: meta, Spec: kueue.ResourceFlavorSpec{NodeLabels: map[string]string{scheduling.LabelNodePool: m.NodePool.ValueString()}}}
	var out []composite.Object
	if labels := levelsOf(m); len(labels) > 0 {
		flavor.Spec.TopologyName = name
		var t kueue.Topology
		for _, label := range labels {
			t.Spec.Levels = append(t.Spec.Levels, kueue.TopologyLevel{NodeLabel: label})
		}
		o, err := composite.NewObject(kueue.TopologyKind, "", name, t)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	o, err := composite.NewObject(kueue.ResourceFlavorKind, "", name, flavor)
	return append(out, o), err
}

// shardOf leaves out whatever is not set: KAI has its own defaults.
func shardOf(m Model) shard.Spec {
	spec := shard.Spec{PartitionLabelValue: m.NodePool.ValueString()}
	if p, ok := m.Placement.Get(); ok && (!p.GPU.IsNull() || !p.CPU.IsNull()) {
		spec.PlacementStrategy = &shard.PlacementStrategy{GPU: p.GPU.ValueString(), CPU: p.CPU.ValueString()}
	}
	if r, ok := m.MinRuntime.Get(); ok && (!r.Preempt.IsNull() || !r.Reclaim.IsNull()) {
		spec.MinRuntime = &shard.MinRuntime{PreemptMinRuntime: r.Preempt.ValueString(), ReclaimMinRuntime: r.Reclaim.ValueString()}
	}
	for name, value := range m.Args.Known() {
		if spec.Args == nil {
			spec.Args = map[string]string{}
		}
		spec.Args[name] = value.ValueString()
	}
	if h, ok := m.FairShareHistory.Get(); ok {
		spec.KValue = h.Weight.ValueFloat64Pointer()
		spec.UsageDBConfig = &shard.UsageDBConfig{ClientType: prometheus, ConnectionString: h.PrometheusURL.ValueString()}
		if !h.Window.IsNull() || !h.WindowType.IsNull() || !h.HalfLife.IsNull() {
			spec.UsageDBConfig.UsageParams = &shard.UsageParams{WindowSize: h.Window.ValueString(), WindowType: h.WindowType.ValueString(), HalfLifePeriod: h.HalfLife.ValueString()}
		}
	}
	return spec
}

// record is what the objects themselves do not show of a pool, in an annotation for imports.
type record struct {
	Resource string `json:"resource,omitempty"`
	Capacity *int64 `json:"capacity,omitempty"`
}

func declared(m Model) (map[string]string, error) {
	r := record{Resource: m.Resource.ValueString(), Capacity: m.Capacity.ValueInt64Pointer()}
	if r == (record{}) {
		return nil, nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record what was declared: %w", err)
	}
	return map[string]string{scheduling.AnnotationDeclared: string(text)}, nil
}

// derive fills the reference to the pool. What is not known yet stays so.
func derive(m, _ *Model) {
	m.Ref = tf.ObjectOf(scheduling.PoolRef{Name: m.Name, Engine: m.Engine, NodePool: m.NodePool, Resource: m.Resource, Capacity: m.Capacity})
}
