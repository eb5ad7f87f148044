// Package queue declares one queue under a parent that exists.
package queue

import (
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_queue resource.
var Kind = composite.Kind[Model]{
	Name:   "queue",
	Schema: resourceSchema,
	Checks: checks,
	Derive: derive,
	ID:     func(m Model) composite.ID { return scheduling.ID(m.Cluster, m.Engine, m.Name) },
	SetID: func(m *Model, id composite.ID) error {
		return scheduling.SetID("queue", id, &m.Cluster, &m.Engine, &m.Name)
	},
	Target:         func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Compose:        compose,
	Decompose:      decompose,
	Import:         imported,
	Locate:         locate,
	Ready:          map[string]composite.Readiness{kueue.ClusterQueueKind.Kind: composite.Condition(kueue.ConditionActive)},
	Attribute:      attribute,
	Namespaces:     namespacesMade,
	Related:        related,
	RelatedFurther: relatedFurther,
	RelatedQueries: relatedQueries,
	Survey:         survey,
	After:          after,
	Leaving:        leaving,
	Replace: func(prior, plan Model) []path.Path {
		return scheduling.Replace(prior.Engine, plan.Engine, prior.Name, plan.Name)
	},
}

// derive fills the labels for workloads.
func derive(m, _ *Model) {
	m.PodLabels = tf.UnknownMap[types.String]()
	ref, ok := m.Pool.Get()
	if !ok || m.Name.IsUnknown() || m.Engine.IsUnknown() || ref.NodePool.IsUnknown() {
		return
	}
	set := map[string]types.String{}
	for k, v := range scheduling.PodLabels(engineOf(*m), m.Name.ValueString(), ref.NodePool.ValueString()) {
		set[k] = types.StringValue(v)
	}
	m.PodLabels = tf.MapOf(set)
}

// namespacesOf are the known namespaces, sorted: their order means nothing.
func namespacesOf(m Model) []string {
	return slices.Compact(slices.Sorted(slices.Values(scheduling.Texts(m.Namespaces))))
}

// attribute maps a field of an object to the attribute that it comes from.
func attribute(kind, field string) path.Path {
	for _, f := range []struct {
		field     string
		attribute path.Path
	}{
		{"spec.resources.gpu", path.Root("gpu")},
		{"spec.resources.cpu", path.Root("cpu")},
		{"spec.resources.memory", path.Root("memory")},
		{"spec.resources", path.Root("gpu")},
		{"spec.resourceGroups", path.Root("gpu")},
		{"spec.fairSharing", path.Root("gpu").AtName("over_quota_weight")},
		{"spec.parentQueue", path.Root("parent")},
		{"spec.cohortName", path.Root("parent")},
		{"spec.displayName", path.Root("display_name")},
		{"spec.priority", path.Root("priority")},
		{"spec.preemptMinRuntime", path.Root("preempt_min_runtime")},
		{"spec.reclaimMinRuntime", path.Root("reclaim_min_runtime")},
		{"spec.namespaceSelector", path.Root("namespaces")},
		{"metadata.namespace", path.Root("namespaces")},
		{"metadata.name", path.Root("name")},
		{"metadata.labels[" + scheduling.LabelNodePool + "]", path.Root("pool").AtName("node_pool")},
		{"metadata.labels", path.Root("labels")},
		{"metadata.annotations", path.Root("annotations")},
	} {
		if rest, ok := strings.CutPrefix(field, f.field); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.attribute
		}
	}
	return path.Empty()
}
