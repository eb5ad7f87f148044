package composite

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
)

// Fields map fields of objects to the attributes that they come from.
type Fields []struct {
	Kind, Field string // kind "" is any; a field that ends in a slash stands for all keys that begin so
	Attribute   path.Path
}

// Attribute is that of the longest entry that a field is or lies below, the later one of two alike. It is empty where there is none.
func (f Fields) Attribute(kind, field string) path.Path {
	best, length := path.Empty(), 0
	for _, e := range f {
		if (e.Kind == "" || e.Kind == kind) && Within(field, e.Field) && len(e.Field) >= length {
			best, length = e.Attribute, len(e.Field)
		}
	}
	return best
}

// Within tells whether a field is another one or below it. A parent that ends in a slash stands for all keys that begin so.
func Within(field, parent string) bool {
	rest, ok := strings.CutPrefix(field, parent)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[' || strings.HasSuffix(parent, "/"))
}
