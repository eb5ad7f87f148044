package department

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// namespacesMade are the namespaces that are to be made where they are missing.
func namespacesMade(m Model) []string {
	out := map[string]bool{}
	for _, p := range projectsOf(m) {
		for _, n := range p.namespaces() {
			out[n] = out[n] || p.create
		}
	}
	maps.DeleteFunc(out, func(_ string, create bool) bool { return !create })
	return slices.Sorted(maps.Keys(out))
}

func marksOf(m *Model) scheduling.Marks {
	out := scheduling.Marks{}
	if m == nil {
		return out
	}
	for _, p := range projectsOf(*m) {
		for _, n := range p.namespaces() {
			out.Add(n, p.name, m.Name.ValueString())
		}
	}
	return out
}

// after labels the namespaces of projects.
func after(prior *Model, m Model) []composite.Step {
	return scheduling.MarkNamespaces(marksOf(prior), marksOf(&m))
}

// leaving keeps queues that others need. Projects have children only where somebody made a mistake, and their status tells; for
// the queues of the department itself, every Queue is looked at.
func leaving(m Model, ref composite.Ref) *composite.Step {
	if engineOf(m) == scheduling.EngineKueue {
		return scheduling.LeavingKueue(ref, m.ForceDestroy.ValueBool())
	}
	if ref.Kind.Kind != kai.QueueKind.Kind || m.ForceDestroy.ValueBool() {
		return nil
	}
	return scheduling.LeavingKAI(ref, strings.HasPrefix(ref.Name, m.Name.ValueString()+"-"))
}

// before waits for projects that move here from another department: in one run both are changed in any order. Taken over with
// adopt, they move with the work in them.
func before(prior *Model, m Model) []composite.Step {
	come := map[string]bool{}
	for _, p := range projectsOf(m) {
		for _, name := range p.queues(engineOf(m)) {
			come[name] = true
		}
	}
	if prior != nil {
		for _, p := range projectsOf(*prior) {
			for _, name := range p.queues(engineOf(*prior)) {
				delete(come, name)
			}
		}
	}
	if len(come) == 0 || m.Adopt.ValueBool() {
		return nil
	}
	kind := kai.QueueKind
	if engineOf(m) == scheduling.EngineKueue {
		kind = kueue.ClusterQueueKind
	}
	return []composite.Step{{
		Name: "take over projects from other departments",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: kind, Selector: scheduling.LabelDepartment}}
		},
		Next: func(seen composite.Live) composite.Move {
			var held []string
			for _, o := range seen {
				other := o.GetLabels()[scheduling.LabelDepartment]
				if come[o.GetName()] && other != "" && other != m.Name.ValueString() {
					held = append(held, fmt.Sprintf("%s of department %s", o.GetName(), other))
				}
			}
			slices.Sort(held)
			return composite.Move{Done: len(held) == 0, Why: fmt.Sprintf(
				"queues of this name belong to other departments: %s. Take the projects out of those, in the same run; a queue goes when its work is done. To move queues with the work in them, set adopt = true and on_destroy = \"delete\" here", scheduling.Few(held))}
		},
	}}
}
