package department

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// relatedQueries selects the whole live tree: others may have put queues into it, and other departments share its pools.
func relatedQueries(m Model) []composite.Query {
	if engineOf(m) == scheduling.EngineKueue {
		return []composite.Query{{Kind: kueue.CohortKind}, {Kind: kueue.ClusterQueueKind}}
	}
	return []composite.Query{{Kind: kai.QueueKind}}
}

// survey compares the declaration with what else is in the tree.
func survey(m Model, live composite.Live) []composite.Finding {
	if engineOf(m) == scheduling.EngineKueue {
		return surveyKueue(m, live)
	}
	queues := scheduling.LiveQueues(live)
	projects := projectsOf(m)
	out := cycles(m, projects, queues)
	ours := ourQueues(m, projects)
	for _, p := range poolsOf(m) {
		top, below := departmentNode(m, p), children(projects, p.key)
		p.Label = p.key
		name := scheduling.QueueName(m.Name.ValueString(), p.key)
		var others []string
		for _, q := range sorted(queues) {
			if q.Parent != name || ours[q.Name] || q.Department == m.Name.ValueString() {
				continue // what is ours and leaves goes when its work is done
			}
			others = append(others, q.Name)
			below = append(below, scheduling.Node{Who: "queue " + q.Name + ", which somebody else made,", At: atPool(p.key), Shares: scheduling.Shares{}.With(q.Shares)})
			if q.Pool != p.key {
				out = append(out, composite.Finding{Warning: true, Path: atPool(p.key), Summary: "A child of another pool", Detail: fmt.Sprintf(
					"Queue %s, which somebody else made, names %s as its parent and has the pool label %q. The scheduler of pool %s does not see it, and that of its own pool does not see its parent.", q.Name, name, q.Pool, p.key)})
			}
		}
		if len(others) > 0 {
			for _, f := range scheduling.CheckSum(p.Pool, top, below, m.Oversubscribe.ValueString()) {
				f.Detail += fmt.Sprintf(" Among them are queues that are not part of this resource: %s.", scheduling.Few(others))
				out = append(out, f)
			}
		}
		out = append(out, rootsAboveCapacity(m, p, queues)...)
		if q, there := queues[name]; there {
			out = append(out, scheduling.CheckShrink(p.Pool, top, q.Allocated, q.Pinned)...)
		}
		for _, project := range projects {
			if _, has := project.pools[p.key]; !has {
				continue
			}
			queue := scheduling.QueueName(project.name, p.key)
			if q, there := queues[queue]; there {
				out = append(out, scheduling.CheckShrink(p.Pool, project.node(p.key), q.Allocated, q.Pinned)...)
			}
			out = append(out, notALeaf(queue, project.node(p.key).At, queues)...)
		}
	}
	return out
}

// ourQueues are the names of all queues of the department.
func ourQueues(m Model, projects []project) map[string]bool {
	out := map[string]bool{}
	for _, key := range m.Pools.Keys() {
		out[scheduling.QueueName(m.Name.ValueString(), key)] = true
	}
	for _, p := range projects {
		for _, queue := range p.queues(scheduling.EngineKAI) {
			out[queue] = true
		}
	}
	return out
}

func sorted(queues map[string]scheduling.LiveQueue) []scheduling.LiveQueue {
	out := make([]scheduling.LiveQueue, 0, len(queues))
	for _, name := range slices.Sorted(maps.Keys(queues)) {
		out = append(out, queues[name])
	}
	return out
}

// rootsAboveCapacity: the quotas of all roots of a pool compete for its nodes. Above the capacity, reclaim does not work as
// the quotas say.
func rootsAboveCapacity(m Model, p pool, queues map[string]scheduling.LiveQueue) []composite.Finding {
	has, counted := p.GPUs(scheduling.EngineKAI)
	quota := p.shares.Of(scheduling.GPU).Quota
	if !counted || has.Units == 0 || !quota.Known() || m.Oversubscribe.ValueString() == scheduling.OversubscribeAllow {
		return nil
	}
	sum := quota
	var others []string
	for _, q := range sorted(queues) {
		other := q.Shares[scheduling.GPU].Quota
		if q.Pool == p.key && q.Parent == "" && q.Name != scheduling.QueueName(m.Name.ValueString(), p.key) && other.Known() && other.Units > 0 {
			sum = sum.Plus(other)
			others = append(others, q.Name+" "+other.Text(scheduling.GPU))
		}
	}
	if len(others) == 0 || !sum.Above(has) {
		return nil
	}
	return []composite.Finding{{Warning: true, Path: atPool(p.key).AtName("gpu").AtName("quota"), Summary: "Quotas above the capacity of the pool", Detail: fmt.Sprintf(
		"Department %s has %s in pool %s, and others have %s: together %s, and the pool has %s. Guarantees are then worth less than they say.", m.Name.ValueString(), quota.Said(scheduling.GPU), p.key, scheduling.Few(others), sum.Text(scheduling.GPU), has.Text(scheduling.GPU))}}
}

// notALeaf: only queues without children schedule work.
func notALeaf(queue string, at path.Path, queues map[string]scheduling.LiveQueue) []composite.Finding {
	var below []string
	for _, q := range sorted(queues) {
		if q.Parent == queue {
			below = append(below, q.Name)
		}
	}
	if len(below) == 0 {
		return nil
	}
	return []composite.Finding{{Warning: true, Path: at, Summary: "A queue with queues below it runs no work", Detail: fmt.Sprintf(
		"Somebody else has put %s below %s. Only queues without children schedule work: pods that name %s stay Pending, without a message. Move these queues under the department, or remove them.", scheduling.Few(below), queue, queue)}}
}
