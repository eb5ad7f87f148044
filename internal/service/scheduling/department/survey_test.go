package department

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// liveQueues reads Queues of the pool quebec-a100 as "name parent", or of another one as "name parent pool".
func liveQueues(queues ...string) composite.Live {
	var out composite.Live
	for _, text := range queues {
		f := append(strings.Fields(text), "quebec-a100")
		spec := map[string]any{"resources": map[string]any{}}
		if f[1] != "-" {
			spec["parentQueue"] = f[1]
		}
		out = append(out, &unstructured.Unstructured{Object: map[string]any{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": map[string]any{"name": f[0], "labels": map[string]any{"kai.scheduler/node-pool": f[2]}}, "spec": spec}})
	}
	return out
}

// Below a cycle the scheduler of a pool never comes to an end, so the plan names it.
func TestACycleOfLiveQueuesIsFound(t *testing.T) {
	const root = "research-quebec-a100"
	for name, c := range map[string]struct {
		live composite.Live
		says []string // what the findings say, in their order
	}{
		"a tree":                               {liveQueues(root+" -", "vision-quebec-a100 "+root), nil},
		"a parent of the department, no cycle": {liveQueues(root+" top", "top -"), nil},
		"a cycle through the department": {liveQueues(root+" top", "top vision-quebec-a100", "vision-quebec-a100 "+root),
			[]string{`pools["quebec-a100"]: warning: The parents of queue research-quebec-a100 lead back: research-quebec-a100 -> top -> vision-quebec-a100 -> research-quebec-a100.`}},
		"a department that is its own parent": {liveQueues(root + " " + root),
			[]string{"lead back: research-quebec-a100 -> research-quebec-a100. The first pod below it puts the scheduler of the pool into an endless loop: nothing in the pool is scheduled any more, and no log says why. Applying this takes back the parent"}},
		"a cycle of others in the pool": {liveQueues(root+" -", "a b", "b a", "c a"),
			[]string{`pools["quebec-a100"]: warning: The parents of queue a lead back: a -> b -> a. The first pod below it puts the scheduler of the pool into an endless loop: nothing in the pool is scheduled any more, and no log says why. Change the parent of one of them.`}},
		"a cycle in another pool": {liveQueues("a b atlanta", "b a atlanta"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range survey(compositetest.Model(t, Kind, with("kai", poolWith(sixteen), vision)), c.live) {
				if f.Summary == "A cycle of queues" {
					got = append(got, line(f))
				}
			}
			if len(got) != len(c.says) {
				t.Fatalf("it says %q", got)
			}
			for i, says := range c.says {
				if !strings.Contains(got[i], says) {
					t.Errorf("it says %q", got[i])
				}
			}
		})
	}
}

// A field that is not written belongs to whoever writes it.
func TestTheTopQueueSaysThatItHasNoParent(t *testing.T) {
	spec, _ := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, with("kai", poolWith(sixteen), vision)))[0].Content["spec"].(map[string]any)
	if parent, there := spec["parentQueue"]; !there || parent != "" {
		t.Errorf("it writes %s", fmt.Sprint(spec))
	}
}
