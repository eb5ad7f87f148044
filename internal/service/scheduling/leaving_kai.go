package scheduling

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// LeavingKAI keeps a Queue while others are below it or work is in it. KAI deletes a parent at once, and from then on every
// queue below it counts as missing; work in a queue that is gone goes on, and waits for ever once it has to start anew.
// parent tells whether children are looked for in all Queues, or in the status of this one.
func LeavingKAI(ref composite.Ref, parent bool) *composite.Step {
	return &composite.Step{
		Name: "delete queue " + ref.Name,
		Look: func(seen composite.Live) []composite.Query {
			out := []composite.Query{{Kind: kai.QueueKind, Name: ref.Name}}
			if parent {
				out[0].Name = ""
			}
			if q, ok := LiveQueues(seen)[ref.Name]; ok && q.busy() {
				out = append(out, composite.Query{Kind: kai.PodGroupKind})
			}
			return out
		},
		Next: func(seen composite.Live) composite.Move {
			queues := LiveQueues(seen)
			q, there := queues[ref.Name]
			if !there {
				return composite.Move{Done: true}
			}
			below := childrenOf(ref.Name, queues)
			if queue, ok := composite.As[kai.Queue](seen, kai.QueueKind, ref.Name); ok && !parent {
				below = append(below, queue.Status.ChildQueues...)
			}
			if len(below) > 0 {
				return composite.Move{Later: true, Why: fmt.Sprintf("Queue %s is the parent of %s. Without it the scheduler would drop them and all work in them. Remove these queues, or give them another parent, or set force_destroy = true and apply that first",
					ref.Name, Few(below))}
			}
			if q.busy() {
				return composite.Move{Later: true, Why: fmt.Sprintf("Queue %s is in use: %s. Work in a queue that is gone runs on, and pods that come later wait for ever. End the work, or set force_destroy = true and apply that first",
					ref.Name, q.use(workIn(ref.Name, seen)))}
			}
			return composite.Move{Done: true}
		},
	}
}

func (q LiveQueue) busy() bool { return Said(q.Allocated) != "" || Said(q.Requested) != "" }

// use says what a queue is used for.
func (q LiveQueue) use(work []string) string {
	out := "requested are " + Said(q.Requested)
	if has := Said(q.Allocated); has != "" {
		out = "allocated are " + has
	}
	if len(work) > 0 {
		out += ", by the PodGroups " + Few(work)
	}
	return out
}

func childrenOf(name string, queues map[string]LiveQueue) []string {
	var out []string
	for _, child := range slices.Sorted(maps.Keys(queues)) {
		if queues[child].Parent == name {
			out = append(out, child)
		}
	}
	return out
}

// workIn lists the PodGroups of a queue.
func workIn(queue string, seen composite.Live) []string {
	var out []string
	for _, o := range seen {
		spec, _ := o.Object["spec"].(map[string]any)
		if o.GetKind() == kai.PodGroupKind.Kind && spec["queue"] == queue {
			out = append(out, o.GetNamespace()+"/"+o.GetName())
		}
	}
	slices.Sort(out)
	return out
}

// Few names some and counts the rest.
func Few(names []string) string {
	const some = 8
	if len(names) <= some {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:some], ", "), len(names)-some)
}
