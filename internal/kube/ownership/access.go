package ownership

import (
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Lookup finds the value at path.
func Lookup(obj map[string]any, path string) (any, bool) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, false
	}
	var node any = obj
	for _, e := range p {
		var ok bool
		if node, ok = child(node, e); !ok {
			return nil, false
		}
	}
	return node, true
}

// Remove takes the value at path out of obj, in place, and tells whether it was there. Maps that become empty stay.
func Remove(obj map[string]any, path string) bool {
	p, err := ParsePath(path)
	if err != nil || len(p) == 0 {
		return false
	}
	_, ok := remove(obj, p)
	return ok
}

// Set puts v at path, in place, and makes the maps and keyed list elements that are missing on the way.
func Set(obj map[string]any, path string, v any) error {
	p, err := ParsePath(path)
	if err != nil {
		return err
	}
	if len(p) == 0 || p[0].FieldName == nil {
		return fmt.Errorf("cannot set %q: %w inside an object", path, errPath)
	}
	if _, err := set(obj, p, v); err != nil {
		return fmt.Errorf("cannot set %q: %w", path, err)
	}
	return nil
}

// child is one step down.
func child(node any, e fieldpath.PathElement) (any, bool) {
	if e.FieldName != nil {
		m, ok := node.(map[string]any)
		if !ok {
			return nil, false
		}
		v, ok := m[*e.FieldName]
		return v, ok
	}
	list, ok := node.([]any)
	if !ok {
		return nil, false
	}
	if i := position(list, e); i >= 0 {
		return list[i], true
	}
	return nil, false
}

// position is where in list the element is that e selects, or -1.
func position(list []any, e fieldpath.PathElement) int {
	if e.Index != nil {
		if *e.Index < 0 || *e.Index >= len(list) {
			return -1
		}
		return *e.Index
	}
	for i, item := range list {
		if selects(e, item) {
			return i
		}
	}
	return -1
}

// selects tells whether e, a key or a set value, stands for item.
func selects(e fieldpath.PathElement, item any) bool {
	switch {
	case e.Value != nil:
		return sameScalar(plain(item), plain(plainValue(*e.Value)))
	case e.Key != nil:
		m, ok := item.(map[string]any)
		if !ok || len(*e.Key) == 0 {
			return false
		}
		for _, f := range *e.Key {
			v, has := m[f.Name]
			if !has || !sameScalar(plain(v), plain(plainValue(f.Value))) {
				return false
			}
		}
		return true
	}
	return false
}

func remove(node any, path fieldpath.Path) (any, bool) {
	e := path[0]
	below, ok := child(node, e)
	if !ok {
		return node, false
	}
	if len(path) > 1 {
		if below, ok = remove(below, path[1:]); !ok {
			return node, false
		}
	}
	switch n := node.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(n, *e.FieldName)
		} else {
			n[*e.FieldName] = below
		}
	case []any:
		i := position(n, e)
		if len(path) == 1 {
			return append(append(make([]any, 0, len(n)), n[:i]...), n[i+1:]...), true
		}
		n[i] = below
	}
	return node, true
}

func set(node any, path fieldpath.Path, v any) (any, error) {
	if len(path) == 0 {
		return v, nil
	}
	e := path[0]
	if e.FieldName != nil {
		m, ok := node.(map[string]any)
		if !ok || m == nil {
			if node != nil {
				return nil, fmt.Errorf("%T has no field %q", node, *e.FieldName)
			}
			m = map[string]any{}
		}
		below, err := set(m[*e.FieldName], path[1:], v)
		if err != nil {
			return nil, err
		}
		m[*e.FieldName] = below
		return m, nil
	}
	list, ok := node.([]any)
	if !ok && node != nil {
		return nil, fmt.Errorf("%T has no element %s", node, FormatPath(path[:1]))
	}
	return setItem(list, path, v)
}

func setItem(list []any, path fieldpath.Path, v any) (any, error) {
	e := path[0]
	i := position(list, e)
	var item any
	switch {
	case i >= 0:
		item = list[i]
	case e.Index != nil && *e.Index != len(list):
		return nil, fmt.Errorf("a list of %d has no place for element %d", len(list), *e.Index)
	case e.Key != nil:
		keys := map[string]any{}
		for _, f := range *e.Key {
			keys[f.Name] = plain(plainValue(f.Value))
		}
		item = keys
	}
	below, err := set(item, path[1:], v)
	if err != nil {
		return nil, err
	}
	if i >= 0 {
		list[i] = below
		return list, nil
	}
	return append(list[:len(list):len(list)], below), nil
}

// Leaves lists the paths of all leaves of want in order: scalars, lists (as wholes) and empty maps.
func Leaves(want map[string]any) []string {
	var out []string
	var walk func(path fieldpath.Path, v any)
	walk = func(path fieldpath.Path, v any) {
		m, ok := v.(map[string]any)
		if !ok || len(m) == 0 && len(path) > 0 {
			out = append(out, FormatPath(path))
			return
		}
		for _, k := range sortedKeys(m) {
			walk(below(path, fieldpath.FieldNameElement(k)), m[k])
		}
	}
	walk(nil, plainMap(want))
	return out
}

// below is path with one more element, in memory of its own.
func below(path fieldpath.Path, e fieldpath.PathElement) fieldpath.Path {
	return append(path[:len(path):len(path)], e)
}
