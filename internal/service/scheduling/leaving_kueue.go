package scheduling

import (
	"fmt"
	"slices"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// LeavingKueue keeps a ClusterQueue or LocalQueue while work is in it, and a Cohort while it has members. With force, work is
// evicted first: a finalizer of Kueue would hold a queue in use for ever.
func LeavingKueue(ref composite.Ref, force bool) *composite.Step {
	switch ref.Kind.Kind {
	case kueue.CohortKind.Kind:
		if force {
			return nil
		}
		return leavingCohort(ref)
	case kueue.ClusterQueueKind.Kind, kueue.LocalQueueKind.Kind:
		return leavingQueue(ref, force)
	default:
		return nil
	}
}

func leavingCohort(ref composite.Ref) *composite.Step {
	return &composite.Step{
		Name: "delete Cohort " + ref.Name,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: kueue.ClusterQueueKind}, {Kind: kueue.CohortKind}}
		},
		Next: func(seen composite.Live) composite.Move {
			var members []string
			for _, q := range composite.All[kueue.ClusterQueue](seen, kueue.ClusterQueueKind) {
				if q.Spec.CohortName == ref.Name {
					members = append(members, q.Name)
				}
			}
			for _, c := range composite.All[kueue.Cohort](seen, kueue.CohortKind) {
				if c.Spec.ParentName == ref.Name {
					members = append(members, c.Name)
				}
			}
			if len(members) == 0 {
				return composite.Move{Done: true}
			}
			slices.Sort(members)
			return composite.Move{Later: true, Why: fmt.Sprintf("Cohort %s has the members %s, which would lose its quota and all limits on what they borrow. Remove them, or give them another cohort, or set force_destroy = true and apply that first", ref.Name, Few(members))}
		},
	}
}

// load is how much work a queue has.
type load struct {
	there                        bool
	stopped                      bool
	pending, reserving, admitted int32
}

func loadOf(ref composite.Ref, seen composite.Live) load {
	if ref.Kind.Kind == kueue.LocalQueueKind.Kind {
		for _, q := range composite.All[kueue.LocalQueue](seen, kueue.LocalQueueKind) {
			if q.Name == ref.Name && q.Namespace == ref.Namespace {
				return load{true, q.Spec.StopPolicy == kueue.StopHoldAndDrain, q.Status.PendingWorkloads, q.Status.ReservingWorkloads, q.Status.AdmittedWorkloads}
			}
		}
		return load{}
	}
	q, ok := composite.As[kueue.ClusterQueue](seen, kueue.ClusterQueueKind, ref.Name)
	return load{ok, q.Spec.StopPolicy == kueue.StopHoldAndDrain, q.Status.PendingWorkloads, q.Status.ReservingWorkloads, q.Status.AdmittedWorkloads}
}

func leavingQueue(ref composite.Ref, force bool) *composite.Step {
	what := ref.Kind.Kind + " " + ref.Name
	if ref.Namespace != "" {
		what = ref.Kind.Kind + " " + ref.Namespace + "/" + ref.Name
	}
	return &composite.Step{
		Name: "delete " + what,
		Look: func(seen composite.Live) []composite.Query {
			out := []composite.Query{{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}}
			if l := loadOf(ref, seen); l.pending+l.reserving+l.admitted > 0 {
				out = append(out, composite.Query{Kind: kueue.WorkloadKind, Namespace: ref.Namespace})
			}
			return out
		},
		Next: func(seen composite.Live) composite.Move {
			l := loadOf(ref, seen)
			running := max(l.reserving, l.admitted)
			switch {
			case !l.there || running == 0 && (force || l.pending == 0):
				return composite.Move{Done: true}
			case !force:
				return composite.Move{Later: true, Why: fmt.Sprintf("%s is in use: %d workloads run and %d wait%s. End the work, or set force_destroy = true and apply that first, which evicts it", what, running, l.pending, listed(workloadsOf(ref, seen)))}
			case !l.stopped:
				return composite.Move{Patch: []composite.Patch{{Ref: ref, JSON: []byte(`[{"op":"add","path":"/spec/stopPolicy","value":"` + kueue.StopHoldAndDrain + `"}]`)}}, Why: "work is being evicted from " + what}
			default:
				return composite.Move{Why: fmt.Sprintf("%d workloads of %s are being evicted%s", running, what, listed(workloadsOf(ref, seen)))}
			}
		},
	}
}

func listed(work []string) string {
	if len(work) == 0 {
		return ""
	}
	return ", among them " + Few(work)
}

// workloadsOf lists the Workloads of a queue: those that it has admitted, or that name it in its namespace.
func workloadsOf(ref composite.Ref, seen composite.Live) []string {
	var out []string
	for _, o := range seen {
		if o.GetKind() != kueue.WorkloadKind.Kind {
			continue
		}
		spec, _ := o.Object["spec"].(map[string]any)
		status, _ := o.Object["status"].(map[string]any)
		admission, _ := status["admission"].(map[string]any)
		if ref.Kind.Kind == kueue.LocalQueueKind.Kind && spec["queueName"] == ref.Name || ref.Kind.Kind == kueue.ClusterQueueKind.Kind && admission["clusterQueue"] == ref.Name {
			out = append(out, o.GetNamespace()+"/"+o.GetName())
		}
	}
	slices.Sort(out)
	return out
}
