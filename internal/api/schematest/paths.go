package schematest

import (
	"encoding/json"
	"reflect"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// quantity is the JSON type of a Kubernetes quantity: a string or a number.
const quantity = "int-or-string"

// StructPaths lists the JSON fields of a Go type with their JSON types, such as "spec.service.type": "string".
// Elements of lists end in "[]", values of maps in "{}". Metadata is not looked into. Types that marshal themselves
// are taken for quantities, except time.
func StructPaths(object any) map[string]string {
	paths := map[string]string{}
	addType(paths, "", reflect.TypeOf(object))
	delete(paths, "")
	return paths
}

// SchemaPaths lists the same of a schema.
func SchemaPaths(schema *apiextensions.JSONSchemaProps) map[string]string {
	paths := map[string]string{}
	addSchema(paths, "", schema)
	delete(paths, "")
	return paths
}

func addSchema(paths map[string]string, path string, schema *apiextensions.JSONSchemaProps) {
	kind := strings.TrimSpace(schema.Type + " " + schema.Format)
	if schema.XIntOrString {
		kind = quantity
	}
	if schema.XPreserveUnknownFields != nil && *schema.XPreserveUnknownFields {
		kind += " any"
	}
	paths[path] = kind
	for name, property := range schema.Properties {
		addSchema(paths, join(path, name), &property)
	}
	if below := items(schema); below != nil {
		addSchema(paths, path+"[]", below)
	}
	if below := values(schema); below != nil {
		addSchema(paths, path+"{}", below)
	}
}

var (
	marshaler = reflect.TypeFor[json.Unmarshaler]()
	simple    = map[reflect.Type]string{
		reflect.TypeFor[metav1.Time]():       "string date-time",
		reflect.TypeFor[metav1.ObjectMeta](): "object",
		reflect.TypeFor[map[string]any]():    "object any",
		reflect.TypeFor[[]byte]():            "string byte",
	}
	scalars = map[reflect.Kind]string{
		reflect.Bool: "boolean", reflect.String: "string", reflect.Int: "integer",
		reflect.Int32: "integer int32", reflect.Int64: "integer int64", reflect.Float64: "number",
	}
)

func addType(paths map[string]string, path string, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	kind, known := simple[t]
	if !known {
		kind, known = scalars[t.Kind()]
	}
	if !known && reflect.PointerTo(t).Implements(marshaler) {
		kind, known = quantity, true
	}
	switch {
	case known:
		paths[path] = kind
	case t.Kind() == reflect.Slice:
		paths[path] = "array"
		addType(paths, path+"[]", t.Elem())
	case t.Kind() == reflect.Map:
		paths[path] = "object"
		addType(paths, path+"{}", t.Elem())
	case t.Kind() == reflect.Struct:
		paths[path] = "object"
		addFields(paths, path, t)
	default:
		paths[path] = "Go type " + t.String() // Equal to no JSON type, so that a comparison shows it.
	}
}

func addFields(paths map[string]string, path string, t reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case options == "inline":
			addFields(paths, path, f.Type)
		case name == "-":
		case name == "":
			paths[join(path, f.Name)] = "Go field without a JSON name"
		default:
			addType(paths, join(path, name), f.Type)
		}
	}
}
