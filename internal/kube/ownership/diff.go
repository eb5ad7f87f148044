package ownership

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Diff lists where live differs from want, looking only at the fields that want has; any manager may be named.
func Diff(want map[string]any, live *unstructured.Unstructured) []Difference {
	return DiffFor(want, live, "")
}

// DiffFor lists where live differs from want, leaf by leaf and in the order of their names, looking only at the fields
// that want has, and names who other than ours holds each.
//
// Maps are descended. A list is taken as the managers of live take it: by keys, as a set, or, where none of them goes
// into it, as one value, whose elements need the wanted fields in the wanted order. Scalars are compared exactly, numbers
// by value. A null in want must be absent; an empty map or list in want may be, since the server drops them. What an
// object is called (apiVersion, kind, name, namespace) is not compared: it was found by that.
func DiffFor(want map[string]any, live *unstructured.Unstructured, ours string) []Difference {
	w := walker{}
	var obj map[string]any
	if live != nil {
		obj = plainMap(live.Object)
		w.entries = func() []entry { return entries(live) }
	}
	w.fields(nil, withoutIdentity(plainMap(want)), obj)
	for i := range w.found {
		d := &w.found[i]
		if m, ok := holder(w.managers(), w.paths[i], ours); ok {
			d.Manager, d.Apply, d.Time = m.Name, m.Operation == "Apply", m.Time
		}
	}
	return w.found
}

func withoutIdentity(want map[string]any) map[string]any {
	delete(want, "apiVersion")
	delete(want, "kind")
	if meta, ok := want["metadata"].(map[string]any); ok {
		delete(meta, "name")
		delete(meta, "namespace")
	}
	return want
}

// walker goes through want and live side by side.
type walker struct {
	entries func() []entry // reads managedFields, which most comparisons never need
	read    []entry
	shape   *fieldpath.Set // all fields that anybody manages: tells which lists have keys
	found   []Difference
	paths   []fieldpath.Path
}

func (w *walker) managers() []entry {
	if w.read == nil && w.entries != nil {
		w.read = w.entries()
	}
	return w.read
}

// elements are the ways in which managers of the object select parts of the value at path.
func (w *walker) elements(path fieldpath.Path) []fieldpath.PathElement {
	if w.shape == nil {
		w.shape = fieldpath.NewSet()
		for _, e := range w.managers() {
			w.shape = w.shape.Union(e.fields)
		}
	}
	at := w.shape
	for _, e := range path {
		var ok bool
		if at, ok = at.Children.Get(e); !ok {
			return nil
		}
	}
	return elementsOf(at)
}

func elementsOf(set *fieldpath.Set) []fieldpath.PathElement {
	var out []fieldpath.PathElement
	set.Members.Iterate(func(e fieldpath.PathElement) { out = append(out, e) })
	set.Children.Iterate(func(e fieldpath.PathElement) {
		if !set.Members.Has(e) {
			out = append(out, e)
		}
	})
	return out
}

func (w *walker) report(path fieldpath.Path, want, live any) {
	w.paths = append(w.paths, path)
	w.found = append(w.found, Difference{Path: FormatPath(path), Want: want, Live: live, Missing: live == nil && want != nil})
}

// compare takes a live null for absent, as the server does.
func (w *walker) compare(path fieldpath.Path, want, live any) {
	switch t := want.(type) {
	case map[string]any:
		m, ok := live.(map[string]any)
		if live != nil && !ok {
			w.report(path, want, live)
			return
		}
		w.fields(path, t, m)
	case []any:
		l, ok := live.([]any)
		switch {
		case live == nil && len(t) == 0:
		case !ok:
			w.report(path, want, live)
		default:
			w.list(path, t, l)
		}
	default:
		if !sameScalar(want, live) {
			w.report(path, want, live)
		}
	}
}

func (w *walker) fields(path fieldpath.Path, want, live map[string]any) {
	for _, k := range sortedKeys(want) {
		w.compare(below(path, fieldpath.FieldNameElement(k)), want[k], live[k])
	}
}

func (w *walker) list(path fieldpath.Path, want, live []any) {
	var keys []string
	isSet := false
	for _, e := range w.elements(path) {
		isSet = isSet || e.Value != nil
		if e.Key == nil {
			continue
		}
		for _, f := range *e.Key {
			if !slices.Contains(keys, f.Name) {
				keys = append(keys, f.Name)
			}
		}
	}
	switch {
	case len(keys) > 0 && allKeyed(want, keys):
		w.keyed(path, keys, want, live)
	case isSet && allScalar(want):
		for _, v := range want {
			e := fieldpath.ValueElement(value.NewValueInterface(v))
			if position(live, e) < 0 {
				w.report(below(path, e), v, nil)
			}
		}
	case !sameList(want, live):
		w.report(path, want, live)
	}
}

// sameList compares a list that is one value: element by element, each only as far as it is wanted.
func sameList(want, live []any) bool {
	if len(want) != len(live) {
		return false
	}
	inside := walker{}
	for i := range want {
		inside.compare(nil, want[i], live[i])
	}
	return len(inside.found) == 0
}

// keyed matches by the keys that a wanted element has. It may leave out a key that the server fills in (protocol: TCP),
// so elements with all keys choose first.
func (w *walker) keyed(path fieldpath.Path, keys []string, want, live []any) {
	slices.Sort(keys)
	match := make([]int, len(want))
	taken := map[int]bool{}
	for _, complete := range []bool{true, false} {
		for i, item := range want {
			e := keyOf(item, keys)
			if (len(*e.Key) == len(keys)) != complete {
				continue
			}
			match[i] = -1
			for j, l := range live {
				if selects(e, l) && (complete || !taken[j]) {
					match[i], taken[j] = j, true
					break
				}
			}
		}
	}
	for i, item := range want {
		if match[i] < 0 {
			w.report(below(path, keyOf(item, keys)), item, nil)
			continue
		}
		l := live[match[i]]
		w.compare(below(path, keyOf(l, keys)), item, l)
	}
}

// keyOf is the element that selects item by those of the keys that it has.
func keyOf(item any, keys []string) fieldpath.PathElement {
	m, _ := item.(map[string]any)
	fields := value.FieldList{}
	for _, k := range keys {
		if v, ok := m[k]; ok && isScalar(v) {
			fields = append(fields, value.Field{Name: k, Value: value.NewValueInterface(v)})
		}
	}
	return fieldpath.PathElement{Key: &fields}
}

func allKeyed(list []any, keys []string) bool {
	for _, item := range list {
		if len(*keyOf(item, keys).Key) == 0 {
			return false
		}
	}
	return true
}

func allScalar(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool { return !isScalar(v) })
}

func isScalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}
