package composite

import (
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func machine(name string, deleting bool) *unstructured.Unstructured {
	metadata := map[string]any{"name": name, "namespace": "geo", "finalizers": []any{"machine.cluster.x-k8s.io"}}
	if deleting {
		metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
	}
	return unstructuredOf(map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine", "metadata": metadata})
}

func TestAHaltedStepSaysWhatIsInTheWay(t *testing.T) {
	var many Live
	for i := range 12 {
		many = append(many, machine("m"+strconv.Itoa(i), true))
	}
	timeout := &kube.Error{Reason: kube.ReasonTimeout, Message: "ran out of time after 5s of waiting"}
	const hint = "\n\nLook further with\n\n  kubectl describe machine.cluster.x-k8s.io "
	tests := map[string]struct {
		halt            halt
		summary, detail string
	}{
		"out of time, with what is being deleted": {
			halt{step: "release host gpu01", why: "its Machine is drained", seen: Live{machine("a", false), machine("b", true)}, over: timeout},
			"Not finished: release host gpu01",
			"The wait in the management cluster ran out of time: its Machine is drained.\n  Machine/geo/b is being deleted, held by finalizers machine.cluster.x-k8s.io" + hint +
				"b --namespace geo\n\nWhat was done so far stays; the next apply goes on from there.",
		},
		"cancelled in a destroy, with nothing in sight": {
			halt{step: "release host gpu01", over: &kube.Error{Reason: kube.ReasonCancelled, Message: "cancelled after 5s of waiting"}, destroying: true},
			"Not finished: release host gpu01",
			"The wait in the management cluster was cancelled: nothing is known of it yet.\n\nWhat was done so far stays; the next destroy goes on from there.",
		},
		"out of time, with what could not be seen": {
			halt{step: "label nodes", over: &kube.Error{Reason: kube.ReasonTimeout, Message: "ran out of time after 5s of waiting; the list of Node/v1 was not seen even once"}},
			"Not finished: label nodes",
			"The wait in the management cluster ran out of time: the list of Node/v1 was not seen even once.\n\nWhat was done so far stays; the next apply goes on from there.",
		},
		"out of time, after a change that did not fit": {
			halt{step: "label nodes", why: "node n has old labels.", missed: "Node/v1 n: does not exist", over: timeout},
			"Not finished: label nodes",
			"The wait in the management cluster ran out of time: node n has old labels; the last change was not made: Node/v1 n: does not exist.\n\nWhat was done so far stays; the next apply goes on from there.",
		},
		"failed": {
			halt{step: "release host gpu01", why: "the pool is paused", seen: Live{machine("a", false)}},
			"Cannot release host gpu01",
			"the pool is paused." + hint + "a --namespace geo\n\nWaiting does not help. What was done so far in the management cluster stays; once this is mended, the next apply goes on from there.",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d := test.halt.diagnostic("management cluster")
			if d.Summary() != test.summary || d.Detail() != test.detail {
				t.Errorf("got %s\n%s\nwant %s\n%s", d.Summary(), d.Detail(), test.summary, test.detail)
			}
		})
	}
	detail := (&halt{step: "s", seen: many, over: timeout}).diagnostic("management cluster").Detail()
	if got := strings.Count(detail, "is being deleted"); got != 10 || !strings.Contains(detail, "and 2 more") {
		t.Errorf("of 12 objects it names %d:\n%s", got, detail)
	}
}

func TestAllDecodesTheObjectsOfOneKind(t *testing.T) {
	type named struct {
		Metadata struct {
			Name string `json:"name"`
		} `json:"metadata"`
	}
	live := Live{
		machine("a", false),
		unstructuredOf(map[string]any{"apiVersion": "other.io/v1", "kind": "Machine", "metadata": map[string]any{"name": "of another group"}}),
		unstructuredOf(map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta1", "kind": "Machine", "metadata": map[string]any{"name": "b"}}),
		unstructuredOf(map[string]any{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Machine", "metadata": "broken"}),
	}
	var names []string
	for _, m := range All[named](live, api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Machine"}) {
		names = append(names, m.Metadata.Name)
	}
	if got := strings.Join(names, " "); got != "a b" {
		t.Errorf("got %q", got)
	}
}
