package pool

import (
	"fmt"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// leaving keeps the scheduler of a pool while something waits for it, and a flavor while quotas are given of it: Kueue would
// keep that by a finalizer, and say nothing.
func leaving(m Model, ref composite.Ref) *composite.Step {
	switch ref.Kind {
	case shard.Kind:
		return leavingShard(ref, m.NodePool.ValueString())
	case kueue.ResourceFlavorKind:
		return leavingFlavor(ref)
	}
	return nil
}

func leavingShard(ref composite.Ref, nodePool string) *composite.Step {
	return &composite.Step{
		Name: "wait until no work is queued in pool " + nodePool,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: kai.QueueKind, Selector: scheduling.LabelNodePool + "=" + nodePool}}
		},
		Next: func(seen composite.Live) composite.Move {
			var busy []string
			for _, q := range composite.All[kai.Queue](seen, kai.QueueKind) {
				if q.Labels[scheduling.LabelNodePool] == nodePool && working(q) {
					busy = append(busy, q.Name)
				}
			}
			if len(busy) == 0 {
				return composite.Move{Done: true}
			}
			return composite.Move{Later: true, Why: fmt.Sprintf("%s of pool %s still has work, running or waiting. Without SchedulingShard %s nothing of it would be scheduled any more. "+
				"Stop that work, or move it to another pool; see it with: kubectl get podgroups -A -l %s=%s", listed("Queue", busy), nodePool, ref.Name, scheduling.LabelNodePool, nodePool)}
		},
	}
}

// working: a Queue has no condition that says so.
func working(q kai.Queue) bool { return some(q.Status.Requested) || some(q.Status.Allocated) }

func leavingFlavor(ref composite.Ref) *composite.Step {
	return &composite.Step{
		Name: "wait until no quota is given of ResourceFlavor " + ref.Name,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: kueue.ClusterQueueKind}, {Kind: kueue.CohortKind}}
		},
		Next: func(seen composite.Live) composite.Move {
			users := usersOf(seen, ref.Name)
			if len(users) == 0 {
				return composite.Move{Done: true}
			}
			return composite.Move{Later: true, Why: fmt.Sprintf("ResourceFlavor %s is still part of the quotas of %s, which would stop admitting work without it. "+
				"Destroy these departments and queues first, or take the pool out of them. To rename a pool, set the lifecycle argument create_before_destroy.", ref.Name, strings.Join(users, " and "))}
		},
	}
}

func usersOf(seen composite.Live, flavor string) []string {
	var queues, cohorts, out []string
	for _, q := range composite.All[kueue.ClusterQueue](seen, kueue.ClusterQueueKind) {
		if has(q.Spec.ResourceGroups, flavor) {
			queues = append(queues, q.Name)
		}
	}
	for _, c := range composite.All[kueue.Cohort](seen, kueue.CohortKind) {
		if has(c.Spec.ResourceGroups, flavor) {
			cohorts = append(cohorts, c.Name)
		}
	}
	if len(queues) > 0 {
		out = append(out, listed("ClusterQueue", queues))
	}
	if len(cohorts) > 0 {
		out = append(out, listed("Cohort", cohorts))
	}
	return out
}

func has(groups []kueue.ResourceGroup, flavor string) bool {
	for _, g := range groups {
		for _, f := range g.Flavors {
			if f.Name == flavor {
				return true
			}
		}
	}
	return false
}

// listed names a few and counts the rest.
func listed(kind string, names []string) string {
	const few = 5
	slices.Sort(names)
	if len(names) > few {
		return fmt.Sprintf("%s %s and %d more", kind, strings.Join(names[:few], ", "), len(names)-few)
	}
	return kind + " " + strings.Join(names, ", ")
}
