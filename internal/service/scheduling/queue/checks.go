package queue

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

var checks = []composite.Check[Model]{nameHolds, poolFits, sharesHold, namespacesServe, kueueHasNoWordFor}

func engineOf(m Model) string { return m.Engine.ValueString() }

// nameHolds finds names that the scheduler takes for itself, and a queue that is its own parent: below one, the scheduler of
// the whole pool would never come to an end.
func nameHolds(m Model) []composite.Finding {
	var out []composite.Finding
	name := m.Name.ValueString()
	if wrong := scheduling.WrongQueueName(engineOf(m), name); wrong != "" {
		out = append(out, composite.Finding{Path: path.Root("name"), Summary: "Unusable name of a queue", Detail: fmt.Sprintf("The queue cannot be made: %s. Choose another name.", wrong)})
	}
	if name != "" && engineOf(m) == scheduling.EngineKAI && m.Parent.ValueString() == name {
		out = append(out, composite.Finding{Path: path.Root("parent"), Summary: "A queue that is its own parent", Detail: fmt.Sprintf(
			"Queue %s names itself as its parent. KAI does not refuse that, and the first pod in it puts the scheduler of the pool into an endless loop: nothing in the pool is scheduled any more. Name the queue of its department.", name)})
	}
	return out
}

// poolFits finds pools of which not enough is said.
func poolFits(m Model) []composite.Finding {
	ref, ok := m.Pool.Get()
	if !ok {
		return nil
	}
	var out []composite.Finding
	if ref.Resource.IsNull() {
		out = append(out, composite.Finding{Path: path.Root("pool").AtName("resource"), Summary: "Nothing is known of the pool", Detail: fmt.Sprintf(
			"The pool %s says no resource, so nobody knows what its GPUs are offered as. Use k0smos_scheduling_pool.<name>.ref, or set resource, such as %q.", ref.NodePool.ValueString(), scheduling.NVIDIAGPU)})
	}
	if engine := ref.Engine.ValueString(); engine != "" && engineOf(m) != "" && engine != engineOf(m) {
		out = append(out, composite.Finding{Path: path.Root("pool").AtName("engine"), Summary: "Pool of another engine", Detail: fmt.Sprintf(
			"Pool %s is one of engine %q, and queue %s of %q. Use a scheduling pool of the same engine.", ref.NodePool.ValueString(), engine, m.Name.ValueString(), engineOf(m))})
	}
	return out
}

func node(m Model) scheduling.Node {
	return scheduling.Node{Who: "queue " + m.Name.ValueString(), At: path.Empty(), Shares: m.Shares}
}

func poolOf(m Model) scheduling.Pool {
	ref, _ := m.Pool.Get()
	return scheduling.PoolOf(ref)
}

func sharesHold(m Model) []composite.Finding {
	return append(scheduling.CheckNode(engineOf(m), poolOf(m), node(m)), scheduling.CheckCapacity(engineOf(m), poolOf(m), node(m), scheduling.OversubscribeError)...)
}

func namespacesServe(m Model) []composite.Finding {
	if engineOf(m) != scheduling.EngineKueue || m.Namespaces.IsUnknown() || len(m.Namespaces.Elements()) > 0 {
		return nil
	}
	return []composite.Finding{{Warning: true, Path: path.Root("namespaces"), Summary: "A queue that no namespace can use", Detail: fmt.Sprintf(
		"Queue %s lists no namespaces. A ClusterQueue without a namespaceSelector admits work from no namespace at all, so its quota only is lent to others. List the namespaces of its workloads.", m.Name.ValueString())}}
}

// kueueHasNoWordFor names what the declaration says and Kueue cannot be told.
func kueueHasNoWordFor(m Model) []composite.Finding {
	if engineOf(m) != scheduling.EngineKueue {
		return nil
	}
	var out []composite.Finding
	dropped := func(set bool, attribute, reason string) {
		if set {
			out = append(out, composite.Finding{Warning: true, Path: path.Root(attribute), Summary: "No effect on Kueue", Detail: attribute + ": " + reason})
		}
	}
	dropped(!m.Priority.IsNull(), "priority", scheduling.KueueNoPriority)
	dropped(!m.PreemptMinRuntime.IsNull(), "preempt_min_runtime", scheduling.KueueNoRuntime)
	dropped(!m.ReclaimMinRuntime.IsNull(), "reclaim_min_runtime", scheduling.KueueNoRuntime)
	if quota := m.Of(scheduling.GPU).Quota; quota.Known() && quota.Units > 0 {
		out = append(out, composite.Finding{Warning: true, Path: path.Root("gpu").AtName("quota"), Summary: "The quota adds to that of the parent", Detail: fmt.Sprintf(
			"Queue %s has %s below Cohort %s. On Kueue the quota of a queue adds to that of its Cohort: the department has that much more, unless its own gpu.quota is lowered by as much.", m.Name.ValueString(), quota.Said(scheduling.GPU), m.Parent.ValueString())})
	}
	return out
}
