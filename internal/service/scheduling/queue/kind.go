// Package queue declares one queue under a parent that exists.
package queue

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

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
	Target: func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
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
