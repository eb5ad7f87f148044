package composite

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

func thing(name string) Object {
	return RawObject(api.Kind{Group: "a.example.com", Version: "v1", Kind: "Thing"}, "team", name, map[string]any{})
}

func TestAFieldThatIsAsItWasDeclaredHasNotDrifted(t *testing.T) {
	o, other := thing("a"), thing("b")
	at := func(o Object, path string) difference {
		return difference{object: o, Difference: ownership.Difference{Path: path}}
	}
	before := []difference{at(o, "spec.address"), at(o, "spec.other")}
	after := []difference{at(o, "spec.values"), at(o, "spec.other"), at(other, "spec.address")}
	if got := unexplained(before, after); len(got) != 1 || got[0].Path != "spec.other" {
		t.Errorf("drifted: %+v", got)
	}
}

func TestAnObjectUnderAnotherNameIsNotImported(t *testing.T) {
	ours := []Object{thing("a")}
	for name, test := range map[string]struct {
		live  Live
		other string
	}{
		"the object itself":           {Live{unstructuredOf(thing("a").Content)}, ""},
		"another beside it":           {Live{unstructuredOf(thing("b").Content), unstructuredOf(thing("a").Content)}, ""},
		"another in its place":        {Live{unstructuredOf(thing("b").Content)}, "b"},
		"an object of another kind":   {Live{unstructuredOf(map[string]any{"apiVersion": "a.example.com/v1", "kind": "Other", "metadata": map[string]any{"name": "b"}})}, ""},
		"an object of another group":  {Live{unstructuredOf(map[string]any{"apiVersion": "b.example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "b"}})}, ""},
		"nothing, which is then made": {nil, ""},
	} {
		if _, other := misnamed(ours, test.live); other != test.other {
			t.Errorf("%s: %q", name, other)
		}
	}
}

func TestADeclarationIsProjectedOnWhatIsThere(t *testing.T) {
	want := map[string]any{"spec": map[string]any{"a": int64(1), "b": "x", "gone": "y", "null": nil, "map": map[string]any{}, "list": []any{int64(1)}}}
	live := map[string]any{"spec": map[string]any{"a": int64(2), "b": "x", "null": "z", "map": map[string]any{"k": "v"}, "list": []any{int64(1), int64(2)}, "more": true}, "status": map[string]any{}}
	got := Project(want, live)
	if expected := map[string]any{"spec": map[string]any{"a": int64(2), "b": "x", "null": nil, "map": map[string]any{}, "list": []any{int64(1), int64(2)}}}; !reflect.DeepEqual(got, expected) {
		t.Errorf("got %v", got)
	}
	if spec, _ := want["spec"].(map[string]any); spec["a"] != int64(1) {
		t.Error("the declaration itself changed")
	}
}

func TestAnObjectKeepsAllDigitsOfANumber(t *testing.T) {
	o, err := NewObject(api.Kind{Version: "v1", Kind: "Thing"}, "", "a", map[string]any{"spec": map[string]any{"n": int64(9007199254740993), "f": 1.5}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(o.Content["spec"]); err != nil || string(got) != `{"f":1.5,"n":9007199254740993}` {
		t.Errorf("got %s, %v", got, err)
	}
}
