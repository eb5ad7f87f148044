package ownership

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// anyValue draws JSON of some depth. Keys come from one list and what others add from another.
func anyValue(t *rapid.T, depth int) any {
	sort := rapid.IntRange(0, 7).Draw(t, "sort")
	if depth == 0 {
		sort = min(sort, 4)
	}
	switch sort {
	case 0:
		return rapid.Int64().Draw(t, "int")
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return float64(rapid.IntRange(-9, 9).Draw(t, "float")) / 4
	case 3, 4:
		return rapid.String().Draw(t, "text")
	case 5:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			list = append(list, anyValue(t, depth-1))
		}
		return list
	}
	return anyMap(t, depth-1)
}

func anyMap(t *rapid.T, depth int) map[string]any {
	out := map[string]any{}
	for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b.io/c", "d", "[e]", "0", ""}), rapid.ID).Draw(t, "keys") {
		out[key] = anyValue(t, depth)
	}
	return out
}

func anyWant(t *rapid.T) map[string]any {
	return map[string]any{"spec": anyMap(t, 3), "metadata": map[string]any{"labels": anyMap(t, 0)}}
}

// withForeign is v with fields of others in all maps.
func withForeign(t *rapid.T, v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for _, k := range sortedKeys(x) {
			out[k] = withForeign(t, x[k])
		}
		for _, key := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"foreign", "x.io/y"}), rapid.ID).Draw(t, "foreign") {
			out[key] = anyValue(t, 1)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = withForeign(t, x[i])
		}
		return out
	}
	return v
}

func TestForeignAdditionsNeverShow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyWant(t)
		live, _ := withForeign(t, want).(map[string]any)
		if found := Diff(want, &unstructured.Unstructured{Object: live}); len(found) > 0 {
			t.Fatalf("got %v", found)
		}
	})
}

func TestOneChangedLeafIsOneDifferenceAtItsPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyWant(t)
		live, _ := withForeign(t, want).(map[string]any)
		leaf := rapid.SampledFrom(Leaves(want)).Draw(t, "leaf")
		wanted, ok := Lookup(want, leaf)
		if !ok {
			t.Fatalf("Leaves has %s, which is not there", leaf)
		}
		if err := Set(live, leaf, "changed by somebody"); err != nil {
			t.Fatal(err)
		}
		if wanted == "changed by somebody" {
			t.Skip("drew the same text")
		}
		found := Diff(want, &unstructured.Unstructured{Object: live})
		if len(found) != 1 || found[0].Path != leaf || found[0].Missing {
			t.Fatalf("%s: got %v", leaf, found)
		}
	})
}

func TestOneRemovedLeafIsOneMissingDifferenceUnlessEmpty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyWant(t)
		live, _ := withForeign(t, want).(map[string]any)
		leaf := rapid.SampledFrom(Leaves(want)).Draw(t, "leaf")
		wanted, _ := Lookup(want, leaf)
		if !Remove(live, leaf) {
			t.Fatalf("%s is not there", leaf)
		}
		found := Diff(want, &unstructured.Unstructured{Object: live})
		m, isMap := wanted.(map[string]any)
		l, isList := wanted.([]any)
		if isMap && len(m) == 0 || isList && len(l) == 0 {
			if len(found) > 0 {
				t.Fatalf("%s: got %v", leaf, found)
			}
			return
		}
		if len(found) != 1 || found[0].Path != leaf || !found[0].Missing {
			t.Fatalf("%s: got %v", leaf, found)
		}
	})
}

func TestOwnedIsAlwaysPartOfLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		live := &unstructured.Unstructured{Object: anyWant(t)}
		fields := map[string]any{}
		for _, leaf := range Leaves(live.Object) {
			if !rapid.Bool().Draw(t, "owned") {
				continue
			}
			path, err := ParsePath(leaf)
			if err != nil {
				t.Fatal(err)
			}
			at := fields
			for _, e := range path {
				next, _ := at["f:"+*e.FieldName].(map[string]any)
				if next == nil {
					next = map[string]any{}
					at["f:"+*e.FieldName] = next
				}
				at = next
			}
		}
		raw, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		live.SetManagedFields([]metav1.ManagedFieldsEntry{{
			Manager: "us", Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
		}})
		if found := Diff(Owned(live, "us"), live); len(found) > 0 {
			t.Fatalf("got %v", found)
		}
	})
}
