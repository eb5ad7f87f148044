package schematest

import (
	"strings"
	"testing"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// A definition with one of everything that the comparison looks at.
const original = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.net
  labels: {contract/v1: v1}
spec:
  group: example.net
  scope: Namespaced
  names: {kind: Widget, plural: widgets, singular: widget, listKind: WidgetList, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Size, type: string, jsonPath: .spec.size}
    - {name: Age, type: date, jsonPath: .metadata.creationTimestamp}
    schema:
      openAPIV3Schema:
        type: object
        description: prose
        required: [spec]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            minProperties: 1
            required: [mode, size]
            properties:
              mode: {type: string, enum: [a, b, c], default: a}
              size:
                anyOf: [{type: integer}, {type: string}]
                pattern: ^[0-9]+$
                x-kubernetes-int-or-string: true
              replicas: {type: integer, format: int32, minimum: 1, maximum: 9}
              config: {type: object, x-kubernetes-preserve-unknown-fields: true}
              labels: {type: object, additionalProperties: {type: string}}
              ref: {type: object, x-kubernetes-map-type: atomic, properties: {name: {type: string, maxLength: 63}}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer}}}
`

func TestASubsetIsFoundOut(t *testing.T) {
	tests := map[string]struct {
		old, new string // Text of our definition to replace.
		want     string // Start of the only difference; empty for a subset.
	}{
		"the same definition is a subset":                   {"", "", ""},
		"other prose is no difference":                      {"description: prose", "description: our own words", ""},
		"another order of an enum is no difference":         {"enum: [a, b, c]", "enum: [c, b, a]", ""},
		"another order of required is no difference":        {"required: [mode, size]", "required: [size, mode]", ""},
		"a property may be left out":                        {"ref: {type: object, x-kubernetes-map-type: atomic, properties: {name: {type: string, maxLength: 63}}}", "", ""},
		"a column may be left out":                          {"- {name: Size, type: string, jsonPath: .spec.size}", "", ""},
		"a label may be left out":                           {"labels: {contract/v1: v1}", "", ""},
		"another group is found":                            {"group: example.net", "group: example.org", "group: "},
		"another plural is found":                           {"plural: widgets", "plural: widgetses", "names: "},
		"another short name is found":                       {"shortNames: [wd]", "shortNames: [w]", "names: "},
		"another scope is found":                            {"scope: Namespaced", "scope: Cluster", "scope: "},
		"a label of ours is found":                          {"labels: {contract/v1: v1}", "labels: {contract/v1: v2}", "label contract/v1: "},
		"a version that is not there is found":              {"name: v1\n", "name: v2\n", "version v2: "},
		"a version that is not served is found":             {"served: true", "served: false", "version v1 served: "},
		"a version that is not stored is found":             {"storage: true", "storage: false", "version v1 storage: "},
		"a missing status subresource is found":             {"status: {}\n", "\n", "version v1 subresources: "},
		"another scale path is found":                       {".spec.replicas,", ".spec.size,", "version v1 subresources: "},
		"a column of our own is found":                      {"name: Age, type: date", "name: Birth, type: date", "version v1 column Birth: "},
		"a property of our own is found":                    {"replicas: {type", "replica: {type", "spec.replica: "},
		"another type is found":                             {"replicas: {type: integer, format: int32, minimum: 1, maximum: 9}", "replicas: {type: string}", "spec.replicas: "},
		"another format is found":                           {"format: int32", "format: int64", "spec.replicas: format: "},
		"another limit is found":                            {"maximum: 9", "maximum: 10", "spec.replicas: maximum: "},
		"a missing limit is found":                          {"minProperties: 1\n", "\n", "spec: minProperties: "},
		"a narrower enum is found":                          {"enum: [a, b, c]", "enum: [a, b]", "spec.mode: enum: "},
		"a wider enum is found":                             {"enum: [a, b, c]", "enum: [a, b, c, d]", "spec.mode: enum: "},
		"another default is found":                          {"default: a", "default: b", "spec.mode: default: "},
		"a missing default is found":                        {", default: a", "", "spec.mode: default: "},
		"another pattern is found":                          {"pattern: ^[0-9]+$", "pattern: ^.*$", "spec.size: pattern: "},
		"a field that ours does not require is found":       {"required: [mode, size]", "required: [mode]", "spec: required: "},
		"a field that only ours requires is found":          {"required: [mode, size]", "required: [mode, size, ref]", "spec: required: "},
		"free-form that is closed is found":                 {", x-kubernetes-preserve-unknown-fields: true", "", "spec.config: x-kubernetes-preserve-unknown-fields: "},
		"closed that is free-form is found":                 {"labels: {type: object, additionalProperties: {type: string}}", "labels: {type: object, x-kubernetes-preserve-unknown-fields: true}", "spec.labels"},
		"another type of map values is found":               {"additionalProperties: {type: string}", "additionalProperties: {type: integer}", "spec.labels{}: type: "},
		"a map that is merged as a whole is found":          {"x-kubernetes-map-type: atomic", "x-kubernetes-map-type: granular", "spec.ref: x-kubernetes-map-type: "},
		"a list that is merged as a whole is found":         {"x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [name]", "x-kubernetes-list-type: atomic", "spec.ports: x-kubernetes-list"},
		"another required field in a list element is found": {"required: [name],", "required: [name, port],", "spec.ports[]: required: "},
		"another type in a list element is found":           {"port: {type: integer}", "port: {type: string}", "spec.ports[].port: type: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(original, test.old) {
				t.Fatalf("nothing to replace: %q", test.old)
			}
			found := Subset(read(t, strings.Replace(original, test.old, test.new, 1)), read(t, original))
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %q", found)
			case test.want != "" && len(found) == 0:
				t.Error("found nothing")
			}
			for _, difference := range found {
				if !strings.HasPrefix(difference, test.want) {
					t.Errorf("found %q, want something about %q", difference, test.want)
				}
			}
		})
	}
}

func TestARuleAboutAPropertyThatIsLeftOutIsNotMissed(t *testing.T) {
	rule := func(text string) apiextensions.ValidationRules {
		return apiextensions.ValidationRules{{Rule: text}}
	}
	theirs := &apiextensions.JSONSchemaProps{Properties: map[string]apiextensions.JSONSchemaProps{"a": {}, "b": {}}}
	ours := &apiextensions.JSONSchemaProps{Properties: map[string]apiextensions.JSONSchemaProps{"a": {}}}
	for text, want := range map[string]int{"self.a > 1": 1, "!has(oldSelf.b) || self.a == 1": 0, "self.size() > 1": 1, "self == oldSelf": 1} {
		if theirs.XValidations = rule(text); len(about(ours, theirs)) != want {
			t.Errorf("%s: %v", text, about(ours, theirs))
		}
	}
}

func TestAStructIsComparedWithASchemaByPaths(t *testing.T) {
	type port struct {
		Name string `json:"name"`
		Port *int   `json:"port,omitempty"`
	}
	type spec struct {
		Mode     string            `json:"mode"`
		Replicas *int32            `json:"replicas,omitempty"`
		Config   map[string]any    `json:"config,omitempty"`
		Labels   map[string]string `json:"labels,omitempty"`
		Ports    []port            `json:"ports,omitempty"`
		Hidden   string            `json:"-"`
		Wrong    float32           `json:"wrong"`
		Untagged bool
	}
	schema := SchemaPaths(read(t, original).Spec.Versions[0].Schema.OpenAPIV3Schema)
	want := map[string]string{"Untagged": "Go field without a JSON name", "wrong": "Go type float32"}
	for _, path := range []string{"mode", "replicas", "config", "labels", "labels{}", "ports", "ports[]", "ports[].name", "ports[].port"} {
		want[path] = schema["spec."+path]
	}
	got := StructPaths(spec{})
	for path, kind := range want {
		if kind == "" || got[path] != kind {
			t.Errorf("%s is %q, want %q", path, got[path], kind)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	if schema["spec.size"] != "int-or-string" {
		t.Errorf("a quantity is %q", schema["spec.size"])
	}
}

func read(t *testing.T, text string) *apiextensions.CustomResourceDefinition {
	t.Helper()
	definition := &apiextensions.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict([]byte(text), definition); err != nil {
		t.Fatal(err)
	}
	return definition
}
