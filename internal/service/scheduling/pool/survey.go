package pool

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// relatedQueries: other schedulers, and the nodes of the pool.
func relatedQueries(m Model) []composite.Query {
	if m.Engine.IsUnknown() || m.NodePool.IsUnknown() {
		return nil
	}
	out := []composite.Query{{Kind: core.NodeKind, Selector: scheduling.LabelNodePool + "=" + m.NodePool.ValueString()}}
	if m.Engine.ValueString() == scheduling.EngineKAI {
		out = append(out, composite.Query{Kind: shard.Kind})
	}
	return out
}

// survey finds another scheduler of the same nodes, and a capacity that the nodes do not have. Nodes may yet come, so that
// missing ones are no error.
func survey(m Model, related composite.Live) []composite.Finding {
	var out []composite.Finding
	name, nodePool := m.Name.ValueString(), m.NodePool.ValueString()
	for _, s := range composite.All[shard.SchedulingShard](related, shard.Kind) {
		if s.Name != name && s.Spec.PartitionLabelValue == nodePool && s.DeletionTimestamp == nil {
			out = append(out, composite.Finding{Path: path.Root("node_pool"), Summary: "Pool has a scheduler already", Detail: fmt.Sprintf(
				"SchedulingShard %q of this cluster already schedules the nodes with %s=%s. Two would fight over the same nodes and the same lease. Use the scheduling pool that it belongs to, import it under the name %q, or delete it.",
				s.Name, scheduling.LabelNodePool, nodePool, s.Name)})
		}
	}
	offered, nodes := offers(composite.All[core.Node](related, core.NodeKind), m.Resource.ValueString())
	if capacity := m.Capacity.ValueInt64(); nodes > 0 && m.Resource.ValueString() != "" && capacity > offered {
		out = append(out, composite.Finding{Path: path.Root("capacity"), Warning: true, Summary: "Nodes offer less than the capacity", Detail: fmt.Sprintf(
			"capacity is %d, and the %d nodes with %s=%s offer %d %s by now. Quotas are judged by the capacity: as long as nodes are missing, they promise more than there is.",
			capacity, nodes, scheduling.LabelNodePool, nodePool, offered, m.Resource.ValueString())})
	}
	return out
}

func offers(nodes []core.Node, name string) (devices int64, of int) {
	for _, n := range nodes {
		if q, err := resource.ParseQuantity(n.Status.Allocatable[name].String()); err == nil {
			devices += q.Value()
		}
	}
	return devices, len(nodes)
}

// some tells whether there is any of a resource.
func some(list api.ResourceList) bool {
	for _, amount := range list {
		if q, err := resource.ParseQuantity(amount.String()); err == nil && q.Sign() > 0 {
			return true
		}
	}
	return false
}
