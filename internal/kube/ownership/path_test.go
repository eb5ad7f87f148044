package ownership

import (
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

func TestPathsAreWrittenAsPeopleReadThem(t *testing.T) {
	name := fieldpath.FieldNameElement
	key := fieldpath.KeyElementByFields
	member := func(v any) fieldpath.PathElement { return fieldpath.ValueElement(value.NewValueInterface(v)) }
	for _, c := range []struct {
		want string
		path fieldpath.Path
	}{
		{"", nil},
		{"spec.parentQueue", fieldpath.Path{name("spec"), name("parentQueue")}},
		{"metadata.annotations[k0smos.io/owner]", fieldpath.Path{name("metadata"), name("annotations"), name("k0smos.io/owner")}},
		{"spec.rules[name=http].port", fieldpath.Path{name("spec"), name("rules"), key("name", "http"), name("port")}},
		{"spec.ports[port=80,protocol=TCP]", fieldpath.Path{name("spec"), name("ports"), key("port", int64(80), "protocol", "TCP")}},
		{`spec.ports[port="80"]`, fieldpath.Path{name("spec"), name("ports"), key("port", "80")}},
		{"metadata.finalizers[=example.com/x]", fieldpath.Path{name("metadata"), name("finalizers"), member("example.com/x")}},
		{"spec.numbers[=5]", fieldpath.Path{name("spec"), name("numbers"), member(int64(5))}},
		{`spec.words[="true"]`, fieldpath.Path{name("spec"), name("words"), member("true")}},
		{"spec.args[0]", fieldpath.Path{name("spec"), name("args"), fieldpath.IndexElement(0)}},
		{`spec.config["a=b.c"]`, fieldpath.Path{name("spec"), name("config"), name("a=b.c")}},
		{`spec.config[1.5].x`, fieldpath.Path{name("spec"), name("config"), name("1.5"), name("x")}},
		{`spec.config.1`, fieldpath.Path{name("spec"), name("config"), name("1")}},
		{`spec.config[""]`, fieldpath.Path{name("spec"), name("config"), name("")}},
	} {
		if got := FormatPath(c.path); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
		if got, err := ParsePath(c.want); err != nil || !got.Equals(c.path) {
			t.Errorf("%s reads back as %s (%v)", c.want, got, err)
		}
	}
}

func TestPathsThatAreNone(t *testing.T) {
	for _, path := range []string{"..a", "a..b", "a.", "a[", "a[]", "a[=", "a[=]", "a[b=", "a[b=]", "a[b=c", `a["b]`, `a[b="c]`, "a[b=c,]", "a]b[", "a[0]b", "a[=[1,]"} {
		if got, err := ParsePath(path); err == nil && FormatPath(got) == path {
			t.Errorf("%s was read as %#v", path, got)
		}
	}
}

func anyPath() *rapid.Generator[fieldpath.Path] {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a.b/c", "true", "80", "null", `"`, "[x]", "a=b", "1e3", " 1", "=", ","}))
	scalar := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int64(), func(i int64) any { return i }), rapid.Map(rapid.Bool(), func(b bool) any { return b }))
	element := rapid.Custom(func(t *rapid.T) fieldpath.PathElement {
		switch rapid.IntRange(0, 3).Draw(t, "sort") {
		case 0:
			fields := value.FieldList{}
			for _, n := range rapid.SliceOfNDistinct(text, 1, 3, rapid.ID).Draw(t, "keys") {
				fields = append(fields, value.Field{Name: n, Value: value.NewValueInterface(scalar.Draw(t, "value"))})
			}
			fields.Sort()
			return fieldpath.PathElement{Key: &fields}
		case 1:
			return fieldpath.ValueElement(value.NewValueInterface(scalar.Draw(t, "member")))
		case 2:
			return fieldpath.IndexElement(rapid.IntRange(0, 99).Draw(t, "index"))
		}
		return fieldpath.FieldNameElement(text.Draw(t, "field"))
	})
	return rapid.Map(rapid.SliceOfN(element, 1, 5), func(p []fieldpath.PathElement) fieldpath.Path { return p })
}

func TestEveryPathReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		path := anyPath().Draw(t, "path")
		text := FormatPath(path)
		if got, err := ParsePath(text); err != nil || !got.Equals(path) {
			t.Fatalf("%q reads back as %q (%v)", text, FormatPath(got), err)
		}
	})
}

func TestCanonicalKnowsWhichDotsBelongToKeys(t *testing.T) {
	obj := object(t, `
metadata: {annotations: {k0smos.io/owner: a}}
spec:
  config: {a.b: {c.d/e: 1}, a: {x: 1}}
  nodes: [{labels: {k0smos.io/site: qc}}]
`).Object
	for _, c := range []struct {
		name, in string
		obj      map[string]any
		want     string
	}{
		{"a plain path loses its dot", ".spec.replicas", nil, "spec.replicas"},
		{"a plain path without one stays", "spec.replicas", nil, "spec.replicas"},
		{"annotations are known to have such keys", ".metadata.annotations.k0smos.io/owner", nil, "metadata.annotations[k0smos.io/owner]"},
		{"so are labels, deep inside", ".spec.template.metadata.labels.topology.kubernetes.io/zone", nil, "spec.template.metadata.labels[topology.kubernetes.io/zone]"},
		{"so are resource names", ".spec.hard.requests.nvidia.com/gpu", nil, "spec.hard[requests.nvidia.com/gpu]"},
		{"the object knows more", ".spec.config.a.b.c.d/e", obj, "spec.config[a.b][c.d/e]"},
		{"and knows where there is no such key", ".spec.config.a.x", obj, "spec.config.a.x"},
		{"also inside lists", ".spec.nodes[0].labels.k0smos.io/site", obj, "spec.nodes[0].labels[k0smos.io/site]"},
		{"what the object lacks goes by the known names", ".metadata.annotations.a.b/c", obj, "metadata.annotations[a.b/c]"},
		{"our own syntax stays", "metadata.annotations[k0smos.io/owner]", obj, "metadata.annotations[k0smos.io/owner]"},
		{"no field", "<nil>", nil, ""},
		{"what cannot be read stays", "spec[", nil, "spec["},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Canonical(c.in, c.obj); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestEveryFieldOfAnObjectIsFoundByTheServersPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.SampledFrom([]string{"alpha", "beta.io/x", "gamma.io", "delta"})
		obj := map[string]any{}
		for range rapid.IntRange(1, 5).Draw(t, "fields") {
			path := fieldpath.Path{}
			for range rapid.IntRange(1, 4).Draw(t, "depth") {
				path = append(path, fieldpath.FieldNameElement(key.Draw(t, "key")))
			}
			if Set(obj, FormatPath(path), int64(1)) != nil {
				continue // It would go through a leaf.
			}
		}
		for _, leaf := range Leaves(obj) {
			path, err := ParsePath(leaf)
			if err != nil {
				t.Fatal(err)
			}
			if got := Canonical(path.String(), obj); got != leaf {
				t.Fatalf("%s became %s, not %s", path, got, leaf)
			}
		}
	})
}

func TestAccessByPath(t *testing.T) {
	text := `
spec:
  a: {b.c: 1}
  rules: [{name: dns, port: 53}, {name: http, port: 80}]
  set: [p, q]
  nothing: null
`
	for path, want := range map[string]any{
		"spec.a[b.c]":                int64(1),
		"spec.rules[name=http].port": int64(80),
		"spec.rules[port=53].name":   "dns",
		"spec.rules[1].name":         "http",
		"spec.set[=q]":               "q",
		"spec.nothing":               nil,
	} {
		obj := object(t, text).Object
		got, ok := Lookup(obj, path)
		if !ok || got != want {
			t.Errorf("%s: got %v, %v", path, got, ok)
		}
		if err := Set(obj, path, "new"); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		obj = object(t, text).Object
		if !Remove(obj, path) || Remove(obj, path) && path != "spec.rules[1].name" {
			t.Errorf("%s: not removed, or twice", path)
		}
		if _, ok := Lookup(obj, path); ok {
			t.Errorf("%s is still there", path)
		}
	}
	for _, path := range []string{"spec.x", "spec.a.b.c", "spec.rules[name=x]", "spec.rules[7]", "spec.rules[-1]", "spec.set[=z]", "spec.a[0]", "spec.set.x", "spec.[", "spec.nothing.x"} {
		obj := object(t, text).Object
		if got, ok := Lookup(obj, path); ok {
			t.Errorf("%s: found %v", path, got)
		}
		if Remove(obj, path) {
			t.Errorf("%s: removed", path)
		}
	}
}

func TestSetMakesTheWay(t *testing.T) {
	obj := map[string]any{"scalar": int64(1)}
	for _, path := range []string{"metadata.annotations[k0smos.io/owner]", "spec.rules[name=http,port=80].path", "spec.set[=5]", "spec.list[0].x", "spec.list[1].x"} {
		if err := Set(obj, path, int64(5)); err != nil {
			t.Fatal(err)
		}
		if got, ok := Lookup(obj, path); !ok || got != int64(5) {
			t.Errorf("%s: got %v, %v", path, got, ok)
		}
	}
	want := object(t, `
scalar: 1
metadata: {annotations: {k0smos.io/owner: 5}}
spec: {rules: [{name: http, port: 80, path: 5}], set: [5], list: [{x: 5}, {x: 5}]}
`).Object
	if !reflect.DeepEqual(obj, want) {
		t.Errorf("got %v", obj)
	}
	for _, path := range []string{"", "scalar.x", "scalar[0]", "spec.list[9]", "spec[a=b]", "[0]", "a["} {
		if err := Set(obj, path, 1); err == nil {
			t.Errorf("%q: want an error", path)
		}
	}
}

func TestLeavesOfAnObject(t *testing.T) {
	got := Leaves(object(t, `{metadata: {labels: {}, annotations: {a.b/c: x}}, spec: {a: 1, list: [{x: 1}], none: null}}`).Object)
	want := "[metadata.annotations[a.b/c] metadata.labels spec.a spec.list spec.none]"
	if fmt.Sprint(got) != want {
		t.Errorf("got %v", got)
	}
	if got := Leaves(nil); len(got) > 0 {
		t.Errorf("of nothing: %v", got)
	}
}
