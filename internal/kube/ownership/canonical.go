package ownership

import (
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// freeKeys are the fields whose keys are the user's own words and often have dots in them. The API server joins path
// elements with dots and quotes nothing, so .metadata.annotations.k0smos.io/owner could be read in many ways.
var freeKeys = map[string]bool{
	"annotations": true, "labels": true, "matchLabels": true, "nodeSelector": true,
	"data": true, "stringData": true, "binaryData": true,
	"hard": true, "limits": true, "requests": true,
}

// Canonical turns a path as the API server writes it into our syntax. Where a key has dots, obj decides, if it has the
// field (the object that was applied has every field that the server can complain about); else the well-known names do.
// A path that cannot be read is returned as it is.
func Canonical(path string, obj map[string]any) string {
	if path == "<nil>" {
		return ""
	}
	in, err := ParsePath(path)
	if err != nil {
		return strings.TrimPrefix(path, ".")
	}
	var out fieldpath.Path
	var node any
	if obj != nil {
		node = plain(obj)
	}
	for i := 0; i < len(in); {
		e, used := in[i], 1
		if e.FieldName != nil {
			e, used = joinField(node, out, in[i:])
		}
		out = append(out, e)
		node, _ = child(node, e)
		i += used
	}
	return FormatPath(out)
}

// joinField decides how many of the next field elements are one key.
func joinField(node any, before, next fieldpath.Path) (e fieldpath.PathElement, used int) {
	var names []string
	for _, e := range next {
		if e.FieldName == nil {
			break
		}
		names = append(names, *e.FieldName)
	}
	if m, ok := node.(map[string]any); ok {
		for n := len(names); n > 0; n-- {
			key := strings.Join(names[:n], ".")
			if _, has := m[key]; has {
				return fieldpath.FieldNameElement(key), n
			}
		}
	}
	if len(before) > 0 {
		if parent := before[len(before)-1].FieldName; parent != nil && freeKeys[*parent] {
			return fieldpath.FieldNameElement(strings.Join(names, ".")), len(names)
		}
	}
	return next[0], 1
}
