package nodepool

import (
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
)

// mergedTaints replaces our taints among those of a node. One that the node was given before and does not have any more was taken
// off by whoever it was for, as a network plugin does when it is ready, and stays off.
func mergedTaints(have []core.Taint, given []string, wanted []taint) (out []core.Taint, changed bool) {
	want, ours := map[string]taint{}, map[string]bool{}
	for _, t := range wanted {
		want[t.key+":"+t.effect] = t
	}
	for _, text := range given {
		t := readTaint(text)
		ours[t.key+":"+t.effect] = true
	}
	out = []core.Taint{}
	for _, t := range have {
		id := t.Key + ":" + t.Effect
		w, keep := want[id]
		delete(want, id)
		switch {
		case keep && w.value != t.Value:
			t.Value, changed = w.value, true
		case !keep && ours[id]:
			changed = true
			continue
		}
		out = append(out, t)
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if t := want[id]; !slices.Contains(given, t.String()) {
			out, changed = append(out, core.Taint{Key: t.key, Value: t.value, Effect: t.effect}), true
		}
	}
	return out, changed
}

// readTaint reads a taint as arguments of k0s and our annotation have it; the value may be missing, with its equals sign or
// without.
func readTaint(text string) taint {
	name, effect, _ := strings.Cut(text, ":")
	key, value, _ := strings.Cut(name, "=")
	return taint{key, value, effect}
}
