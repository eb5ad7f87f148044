package ownership

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Owned is the part of live that manager declares by server-side apply, with what the object is called; nil if manager
// declares nothing. It is a copy. Elements of lists keep live's order, and their keys.
func Owned(live *unstructured.Unstructured, manager string) map[string]any {
	fields, anybodys := fieldpath.NewSet(), fieldpath.NewSet()
	declares := false
	for _, e := range entries(live) {
		anybodys = anybodys.Union(e.fields)
		if e.applies(manager) {
			fields, declares = fields.Union(e.fields), true
		}
	}
	if !declares {
		return nil
	}
	obj := plainMap(live.Object)
	out, _ := project(fields, anybodys, obj).(map[string]any)
	for _, path := range []string{"apiVersion", "kind", "metadata.name", "metadata.namespace"} {
		if v, ok := Lookup(obj, path); ok {
			// The only failure is a metadata that is no map, in which Lookup finds nothing.
			_ = Set(out, path, v)
		}
	}
	return out
}

// project is the part of v that fields selects, among the fields that anybody holds.
func project(fields, anybodys *fieldpath.Set, v any) any {
	switch t := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, part := range t {
			if kept, ok := projectElement(fields, anybodys, fieldpath.FieldNameElement(name), part); ok {
				out[name] = kept
			}
		}
		return out
	case []any:
		out := []any{}
		elements := elementsOf(fields)
		for i, item := range t {
			for _, e := range elements {
				if e.FieldName != nil || e.Index != nil && *e.Index != i || e.Index == nil && !selects(e, item) {
					continue
				}
				if kept, ok := projectElement(fields, anybodys, e, item); ok {
					out = append(out, withKeys(kept, e))
				}
				break
			}
		}
		return out
	}
	return v
}

// projectElement is the part of v, which e selects, that fields selects, and whether that is anything. An empty map and a
// whole one are recorded alike; where others hold parts of it, it was the empty one.
func projectElement(fields, anybodys *fieldpath.Set, e fieldpath.PathElement, v any) (any, bool) {
	member := fields.Members.Has(e)
	inside, branch := fields.Children.Get(e)
	within, shared := anybodys.Children.Get(e)
	if !branch {
		if !member || !shared {
			return v, member
		}
		inside = fieldpath.NewSet()
	}
	kept := project(inside, within, v)
	switch k := kept.(type) {
	case map[string]any:
		return kept, member || len(k) > 0
	case []any:
		return kept, member || len(k) > 0
	}
	return kept, member
}

func withKeys(item any, e fieldpath.PathElement) any {
	m, ok := item.(map[string]any)
	if !ok || e.Key == nil {
		return item
	}
	for _, f := range *e.Key {
		m[f.Name] = plain(plainValue(f.Value))
	}
	return m
}
