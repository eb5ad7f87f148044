package usage

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// node is a queue in one pool, before it is put in its place.
type node struct {
	name, parent, pool string
	department         string // by its label
	queue              Queue
}

// forest puts the queues of all pools in order, and says what is wrong with their parents.
func forest(nodes []node, problem func(n node, parent *node) string) (ordered []node, problems []string) {
	pools := map[string][]node{}
	all := map[string]node{}
	for _, n := range nodes {
		pools[n.pool] = append(pools[n.pool], n)
		all[n.name] = n
	}
	for _, pool := range sortedKeys(pools) {
		at := &grove{children: map[string][]node{}, here: map[string]bool{}, seen: map[string]bool{}}
		for _, n := range pools[pool] {
			at.here[n.name] = true
		}
		var lost []node
		for _, n := range pools[pool] {
			switch {
			case n.parent == "":
				at.roots = append(at.roots, n)
			case at.here[n.parent]:
				at.children[n.parent] = append(at.children[n.parent], n)
			default:
				lost = append(lost, n)
			}
		}
		at.walk(at.roots, 0)
		for _, n := range lost {
			var parent *node
			if p, elsewhere := all[n.parent]; elsewhere {
				parent = &p
			}
			if text := problem(n, parent); text != "" {
				problems = append(problems, text)
				at.walk([]node{n}, -1)
				continue
			}
			at.walk([]node{n}, 0) // as good as a root
		}
		parents := map[string]string{}
		for _, n := range pools[pool] {
			parents[n.name] = n.parent
		}
		for _, n := range by(pools[pool]) {
			if at.seen[n.name] {
				continue
			}
			if circle := circleOf(n.name, parents); circle != "" {
				problems = append(problems, fmt.Sprintf("%s %s is its own ancestor (%s): schedulers never come to the end of this, and no work of the pool may be scheduled any more", n.queue.Kind.ValueString(), n.name, circle))
			}
			at.seen[n.name] = true
			at.out = append(at.out, n)
		}
		ordered = append(ordered, at.out...)
	}
	return ordered, problems
}

// circleOf is the way up from a queue back to itself: "a, b, a". It is empty where there is none.
func circleOf(name string, parents map[string]string) string {
	way := name
	for at, steps := parents[name], 0; at != "" && steps <= len(parents); at, steps = parents[at], steps+1 {
		way += ", " + at
		if at == name {
			return way
		}
	}
	return ""
}

// grove are the trees of one pool.
type grove struct {
	roots    []node
	children map[string][]node
	here     map[string]bool
	seen     map[string]bool
	out      []node
}

// walk lists nodes with those below them. A level below 0 is not known.
func (g *grove) walk(nodes []node, level int64) {
	for _, n := range by(nodes) {
		if g.seen[n.name] {
			continue
		}
		g.seen[n.name] = true
		below := level
		if level >= 0 {
			n.queue.Level = types.Int64Value(level)
			below++
		}
		g.out = append(g.out, n)
		g.walk(g.children[n.name], below)
	}
}

func by(nodes []node) []node {
	return slices.SortedFunc(slices.Values(nodes), func(a, b node) int { return cmp.Compare(a.name, b.name) })
}

// under keeps the queue of a department and those below it.
func under(nodes []node, department string) []node {
	kept := map[string]bool{}
	var out []node
	for _, n := range nodes {
		own := n.name == department || n.name == department+"-"+n.pool
		if own || n.department == department || n.parent != "" && kept[n.pool+"/"+n.parent] {
			kept[n.pool+"/"+n.name] = true
			out = append(out, n)
		}
	}
	return out
}

func listOf(nodes []node) tf.List[tf.Object[Queue]] {
	out := make([]tf.Object[Queue], 0, len(nodes))
	for _, n := range nodes {
		out = append(out, tf.ObjectOf(n.queue))
	}
	return tf.ListOf(out...)
}
