// Package pool declares a scheduling pool: nodes of one kind that quotas are given of.
package pool

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/topology"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_scheduling_pool resource.
var Kind = composite.Kind[Model]{
	Name:           "scheduling_pool",
	Schema:         resourceSchema,
	Checks:         checks,
	Derive:         derive,
	ID:             func(m Model) composite.ID { return scheduling.ID(m.Cluster, m.Engine, m.Name) },
	SetID:          setID,
	Target:         func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Compose:        compose,
	Decompose:      decompose,
	Locate:         locate,
	Replace:        replace,
	Ready:          map[string]composite.Readiness{shard.Kind.Kind: scheduled},
	DeleteOrder:    []string{shard.Kind.Kind, kueue.ResourceFlavorKind.Kind, topology.Kind.Kind},
	Attribute:      attribute,
	RelatedQueries: relatedQueries,
	Survey:         survey,
	Leaving:        leaving,
}

func setID(m *Model, id composite.ID) error {
	return scheduling.SetID("scheduling pool", id, &m.Cluster, &m.Engine, &m.Name)
}

// replace: the levels of a Topology cannot be edited, and neither can a flavor of Kueue that has one.
func replace(prior, plan Model) []path.Path {
	out := scheduling.Replace(prior.Engine, plan.Engine, prior.Name, plan.Name)
	if !plan.NodePool.IsUnknown() && !prior.NodePool.Equal(plan.NodePool) {
		out = append(out, path.Root("node_pool"))
	}
	was, now := levelsOf(prior), levelsOf(plan)
	pruned := len(now) == 0 && plan.Engine.ValueString() == scheduling.EngineKAI
	if len(was) > 0 && known(plan) && !pruned && !slices.Equal(was, now) {
		out = append(out, path.Root("topology"))
	}
	return out
}

func known(m Model) bool {
	if m.Topology.IsUnknown() {
		return false
	}
	for _, level := range m.Topology.Known() {
		if level.IsUnknown() {
			return false
		}
	}
	return true
}

// scheduled is the rule of a SchedulingShard: its operator says Ready of the generation that is there.
func scheduled(live map[string]any) composite.ReadyState {
	state := composite.Condition(shard.ConditionReady)(live)
	generation, _, _ := unstructured.NestedInt64(live, "metadata", "generation")
	conditions, _, _ := unstructured.NestedSlice(live, "status", "conditions")
	for _, c := range conditions {
		c, _ := c.(map[string]any)
		if observed, set := c["observedGeneration"].(int64); set && c["type"] == shard.ConditionReady && observed < generation {
			return composite.ReadyState{Why: "KAI's operator has not looked at the last change yet"}
		}
	}
	if state.Why == "condition "+shard.ConditionReady+" is not set yet" {
		state.Why = "KAI's operator has not looked at it yet; is it running? See: kubectl get pods -n kai-scheduler"
	}
	return state
}

// attribute maps a field of an object to the attribute that it comes from.
func attribute(kind, field string) path.Path {
	for _, f := range []struct {
		kind, field string
		attribute   path.Path
	}{
		{shard.Kind.Kind, "spec.partitionLabelValue", path.Root("node_pool")},
		{shard.Kind.Kind, "spec.placementStrategy.gpu", path.Root("placement").AtName("gpu")},
		{shard.Kind.Kind, "spec.placementStrategy.cpu", path.Root("placement").AtName("cpu")},
		{shard.Kind.Kind, "spec.minRuntime.preemptMinRuntime", path.Root("min_runtime").AtName("preempt")},
		{shard.Kind.Kind, "spec.minRuntime.reclaimMinRuntime", path.Root("min_runtime").AtName("reclaim")},
		{shard.Kind.Kind, "spec.args", path.Root("args")},
		{shard.Kind.Kind, "spec.kValue", path.Root("fair_share_history").AtName("weight")},
		{shard.Kind.Kind, "spec.usageDBConfig", path.Root("fair_share_history")},
		{kueue.ResourceFlavorKind.Kind, "spec.nodeLabels", path.Root("node_pool")},
		{kueue.ResourceFlavorKind.Kind, "spec.topologyName", path.Root("topology")},
		{topology.Kind.Kind, "spec.levels", path.Root("topology")},
		{kind, "metadata.name", path.Root("name")},
		{kind, "metadata.labels", path.Root("labels")},
		{kind, "metadata.annotations", path.Root("annotations")},
	} {
		if rest, ok := strings.CutPrefix(field, f.field); ok && kind == f.kind && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.attribute
		}
	}
	return path.Empty()
}
