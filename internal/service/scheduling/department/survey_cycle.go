package department

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// cycles finds queues of the department's pools whose parents lead back. Its own queues count as the apply leaves them: a
// parent that somebody else gave them is taken away again.
func cycles(m Model, projects []project, queues map[string]scheduling.LiveQueue) []composite.Finding {
	now := scheduling.Parents(queues)
	then, ours := maps.Clone(now), map[string]path.Path{}
	var out []composite.Finding
	for _, pool := range m.Pools.Keys() {
		root := scheduling.QueueName(m.Name.ValueString(), pool)
		then[root], ours[root] = "", atPool(pool)
		for _, p := range projects {
			if _, has := p.pools[pool]; has && p.named {
				queue := scheduling.QueueName(p.name, pool)
				then[queue], ours[queue] = root, p.node(pool).At
			}
		}
	}
	told := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(then)) {
		at, mine := ours[name]
		pool := queues[name].Pool
		if _, has := m.Pools.Known()[pool]; !mine && !has {
			continue
		}
		if !mine {
			at = atPool(pool)
		}
		cycle, way := scheduling.Loop(name, then), "Change the parent of one of them."
		warning := !mine
		if cycle == nil {
			cycle, way, warning = scheduling.Loop(name, now), "Applying this takes back the parent that somebody else gave a queue of this department, which ends the cycle.", true
		}
		if cycle == nil || told[cycle[0]] {
			continue
		}
		for _, queue := range cycle {
			told[queue] = true
		}
		out = append(out, composite.Finding{Warning: warning, Path: at, Summary: "A cycle of queues", Detail: fmt.Sprintf(
			"The parents of queue %s lead back: %s. The first pod below it puts the scheduler of the pool into an endless loop: nothing in the pool is scheduled any more, and no log says why. %s", name, scheduling.Way(cycle), way)})
	}
	return out
}
