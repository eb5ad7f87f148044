package queue

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

func treeKind(m Model) (kind, above composite.Ref) {
	name, parent := m.Name.ValueString(), m.Parent.ValueString()
	if engineOf(m) == scheduling.EngineKueue {
		return composite.Ref{Kind: kueue.ClusterQueueKind, Name: name}, composite.Ref{Kind: kueue.CohortKind, Name: parent}
	}
	return composite.Ref{Kind: kai.QueueKind, Name: name}, composite.Ref{Kind: kai.QueueKind, Name: parent}
}

// related are the queue itself, for what it has now, and its parent.
func related(m Model) []composite.Ref {
	if m.Name.IsUnknown() || m.Parent.IsUnknown() || m.Engine.IsUnknown() {
		return nil
	}
	itself, parent := treeKind(m)
	return []composite.Ref{itself, parent}
}

// relatedFurther follows the parents up, one by one, so that a cycle is seen also where it closes through queues of others.
func relatedFurther(m Model, found composite.Live) []composite.Ref {
	_, parent := treeKind(m)
	var out []composite.Ref
	for _, o := range found {
		if above := parentOf(o.Object); above != "" && o.GetKind() == parent.Kind.Kind && o.GetName() != m.Name.ValueString() {
			out = append(out, composite.Ref{Kind: parent.Kind, Name: above})
		}
	}
	return out
}

// relatedQueries selects all queues, for sums. They warn only, so that what another queue of this run was told is good enough.
func relatedQueries(m Model) []composite.Query {
	if engineOf(m) != scheduling.EngineKAI {
		return nil
	}
	return []composite.Query{{Kind: kai.QueueKind, Shared: true}}
}

func parentOf(object map[string]any) string {
	spec, _ := object["spec"].(map[string]any)
	for _, field := range []string{"parentQueue", "parentName"} {
		if parent, _ := spec[field].(string); parent != "" {
			return parent
		}
	}
	return ""
}

// survey judges the place in the live tree.
func survey(m Model, live composite.Live) []composite.Finding {
	if m.Name.IsUnknown() || m.Parent.IsUnknown() || m.Engine.IsUnknown() {
		return nil
	}
	out := placed(m, live)
	if engineOf(m) == scheduling.EngineKueue {
		return out
	}
	return append(append(out, parentFits(m, live)...), usage(m, live)...)
}

// placed finds a parent that is missing, and a way up that comes back.
func placed(m Model, live composite.Live) []composite.Finding {
	name, parent := m.Name.ValueString(), m.Parent.ValueString()
	_, above := treeKind(m)
	parents := map[string]string{}
	there := false
	for _, o := range live { // the first one counts: what was asked for by name is newer than the list
		if o.GetKind() != above.Kind.Kind {
			continue
		}
		there = there || o.GetName() == parent
		if _, seen := parents[o.GetName()]; !seen {
			parents[o.GetName()] = parentOf(o.Object)
		}
	}
	if !there {
		what := "The scheduler ignores a queue without its parent, and all work in it stays Pending: QueueDoesNotExist, although the queue is there."
		if engineOf(m) == scheduling.EngineKueue {
			what = "Kueue takes a Cohort that does not exist as one without limits, so nothing of the department would count."
		}
		return []composite.Finding{{Path: path.Root("parent"), Summary: "The parent does not exist", Detail: fmt.Sprintf(
			"%s %s, the parent of queue %s, does not exist. %s Name it by k0smos_department.<name>.parents[\"<pool>\"], which also makes it come first, or let its workspace make it before.", above.Kind.Kind, parent, name, what)}}
	}
	if engineOf(m) == scheduling.EngineKAI {
		parents[name] = parent
	}
	start := name
	if engineOf(m) == scheduling.EngineKueue {
		start = parent
	}
	if cycle := scheduling.Loop(start, parents); cycle != nil {
		what := "The first pod below it puts the scheduler of the pool into an endless loop: nothing in the pool is scheduled any more, and no log says why."
		if engineOf(m) == scheduling.EngineKueue {
			what = "Kueue admits no work in any of them."
		}
		return []composite.Finding{{Path: path.Root("parent"), Summary: "A cycle of queues", Detail: fmt.Sprintf("The parents of queue %s lead back: %s. %s Choose another parent, or change that of the others first.", name, scheduling.Way(cycle), what)}}
	}
	return nil
}

// parentFits compares pool, limits and sums with those of the parent.
func parentFits(m Model, live composite.Live) []composite.Finding {
	parent, ok := composite.As[kai.Queue](live, kai.QueueKind, m.Parent.ValueString())
	if !ok {
		return nil
	}
	var out []composite.Finding
	pool := poolOf(m)
	if label := parent.Labels[scheduling.LabelNodePool]; label != pool.Label && pool.Label != "" {
		out = append(out, composite.Finding{Path: path.Root("parent"), Summary: "A parent of another pool", Detail: fmt.Sprintf(
			"Queue %s is of pool %s, and its parent %s has the pool label %q. The scheduler of a pool sees only the queues with its label, so that this one would have no parent there. Use the department's queue of this pool.", m.Name.ValueString(), pool.Label, parent.Name, label)})
	}
	shares := scheduling.LiveQueues(composite.Live{{Object: first(live, parent.Name)}})[parent.Name]
	top := scheduling.Node{Who: "queue " + parent.Name, At: path.Empty(), Shares: scheduling.Shares{}.With(shares.Shares)}
	children, own := []scheduling.Node{node(m)}, map[string]bool{m.Name.ValueString(): true}
	for _, o := range live {
		if o.GetKind() != kai.QueueKind.Kind || own[o.GetName()] || parentOf(o.Object) != parent.Name {
			continue
		}
		own[o.GetName()] = true
		children = append(children, scheduling.Node{Who: "queue " + o.GetName(), At: path.Empty(), Shares: scheduling.QuotasOf(o.Object)})
	}
	for _, f := range scheduling.CheckSum(pool, top, children, scheduling.OversubscribeWarn) {
		f.Warning = true
		out = append(out, f)
	}
	if len(children) == 1 && scheduling.Said(shares.Requested) != "" && len(parent.Status.ChildQueues) == 0 {
		out = append(out, composite.Finding{Warning: true, Path: path.Root("parent"), Summary: "Work in the parent comes to a halt", Detail: fmt.Sprintf(
			"Queue %s has no children yet and work of its own: requested are %s. Only queues without children schedule work, so that what waits there stays Pending, without a message, once this queue is below it. Move the work to a leaf first.", parent.Name, scheduling.Said(shares.Requested))})
	}
	return out
}

// usage compares the shares with what the queue has now.
func usage(m Model, live composite.Live) []composite.Finding {
	object := first(live, m.Name.ValueString())
	if object == nil {
		return nil
	}
	q := scheduling.LiveQueues(composite.Live{{Object: object}})[m.Name.ValueString()]
	return scheduling.CheckShrink(poolOf(m), node(m), q.Allocated, q.Pinned)
}

func first(live composite.Live, name string) map[string]any {
	object, _ := live.Find(kai.QueueKind.Kind, name)
	return object
}

// after labels the namespaces.
func after(prior *Model, m Model) []composite.Step {
	marks := func(m *Model) scheduling.Marks {
		out := scheduling.Marks{}
		if m != nil {
			for _, n := range namespacesOf(*m) {
				out.Add(n, m.Name.ValueString(), m.Parent.ValueString())
			}
		}
		return out
	}
	return scheduling.MarkNamespaces(marks(prior), marks(&m))
}

// namespacesMade are the namespaces that are to be made where they are missing.
func namespacesMade(m Model) []string {
	if !m.CreateNamespaces.IsNull() && !m.CreateNamespaces.ValueBool() {
		return nil
	}
	return namespacesOf(m)
}

// leaving keeps the queue while work is in it or others are below it.
func leaving(m Model, ref composite.Ref) *composite.Step {
	switch {
	case engineOf(m) == scheduling.EngineKueue:
		return scheduling.LeavingKueue(ref, m.ForceDestroy.ValueBool())
	case m.ForceDestroy.ValueBool():
		return nil
	default:
		return scheduling.LeavingKAI(ref, false)
	}
}
