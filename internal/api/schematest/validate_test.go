package schematest

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const rule = `
              limit: {type: integer, default: 7}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
            x-kubernetes-validations:
            - {rule: "!has(self.replicas) || self.replicas <= self.limit", message: more replicas than the limit}
`

func TestAnObjectIsJudgedAsByAnAPIServer(t *testing.T) {
	folder := t.TempDir()
	text := strings.TrimRight(original, "\n") + rule
	if err := os.MkdirAll(filepath.Join(folder, "some", "release"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "some", "release", "any name.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	definitions, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	const head = "{apiVersion: example.net/v1, kind: Widget, metadata: {name: a, namespace: b}, spec: "
	tests := map[string]struct {
		object string
		want   string // Part of the only problem; empty for a valid object.
	}{
		"an object with everything is valid":            {head + `{mode: b, size: 5, replicas: 2, config: {x: {y: [1, null]}}, labels: {l: m}, ref: {name: other}, ports: [{name: p, port: 1}]}}`, ""},
		"a required field with a default may be absent": {head + `{size: "5"}}`, ""},
		"an unknown field is named":                     {head + `{size: "5", replica: 1}}`, "spec.replica: unknown field"},
		"an unknown field in a list is named":           {head + `{size: "5", ports: [{name: p, prot: 1}]}}`, "spec.ports[0].prot: unknown field"},
		"an unknown field at the top is named":          {head + `{size: "5"}, stats: {}}`, "stats: unknown field"},
		"an unknown field of metadata is named":         {`{apiVersion: example.net/v1, kind: Widget, metadata: {name: a, namespace: b, lables: {}}, spec: {size: 1}}`, "metadata.lables: unknown field"},
		"a required field is missed":                    {head + `{mode: b}}`, "spec.size: Required value"},
		"a wrong type is found":                         {head + `{size: "5", replicas: "2"}}`, `spec.replicas: Invalid value: "string"`},
		"a null is found":                               {head + `{size: "5", replicas: null}}`, `spec.replicas: Invalid value: "null"`},
		"a value outside an enum is found":              {head + `{size: "5", mode: d}}`, "spec.mode: Unsupported value"},
		"a value above a limit is found":                {head + `{size: "5", limit: 20, replicas: 10}}`, "spec.replicas: Invalid value: 10"},
		"a text against a pattern is found":             {head + `{size: "5Gi"}}`, "spec.size: Invalid value"},
		"two list elements with one key are found":      {head + `{size: "5", ports: [{name: p}, {name: p}]}}`, "spec.ports[1]: Duplicate value"},
		"two equal elements of a set are found":         {head + `{size: "5", set: [a, a]}}`, "spec.set[1]: Duplicate value"},
		"a broken rule is found, with defaults":         {head + `{size: "5", replicas: 8}}`, "more replicas than the limit"},
		"a kind without a definition is found":          {`{apiVersion: example.net/v1, kind: Gadget, metadata: {name: a, namespace: b}}`, "no definition of example.net/v1 Gadget"},
		"a version without a definition is found":       {`{apiVersion: example.net/v2, kind: Widget, metadata: {name: a, namespace: b}}`, "no definition of example.net/v2 Widget"},
		"an object without a kind is found":             {`{apiVersion: example.net/v1}`, "apiVersion and kind"},
		"an object without a namespace is found":        {`{apiVersion: example.net/v1, kind: Widget, metadata: {name: a}, spec: {size: 1}}`, "metadata.namespace: must be there"},
		"an object without a name is found":             {`{apiVersion: example.net/v1, kind: Widget, metadata: {namespace: a}, spec: {size: 1}}`, "metadata.name: must be there"},
		"a label that is not one is found":              {`{apiVersion: example.net/v1, kind: Widget, metadata: {name: a, namespace: b, labels: {l: 1}}, spec: {size: 1}}`, "metadata: "},
		"a built-in object is valid":                    {`{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {k: dmFsdWU=}}`, ""},
		"a built-in object with a misspelt field":       {`{apiVersion: v1, kind: Secret, metadata: {name: a}, stringdata: {k: v}}`, `unknown field "stringdata"`},
		"a built-in object with a value of no type":     {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: 1}}`, "cannot unmarshal"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			object, before := parse(t, test.object), parse(t, test.object)
			problems := definitions.Check(object)
			if !reflect.DeepEqual(object, before) {
				t.Error("the object was changed")
			}
			switch {
			case test.want == "" && len(problems) > 0:
				t.Errorf("found %q", problems)
			case test.want != "" && (len(problems) != 1 || !strings.Contains(problems[0], test.want)):
				t.Errorf("found %q, want %q", problems, test.want)
			}
		})
	}
}

func TestOfSeveralReleasesTheLastCounts(t *testing.T) {
	folder := t.TempDir()
	older := strings.Replace(original, "replicas: {type", "copies: {type", 1)
	for file, text := range map[string]string{"v1.9": older, "v2.0": original} {
		if err := os.WriteFile(filepath.Join(folder, file+".yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	Validate(t, folder, parse(t, `{apiVersion: example.net/v1, kind: Widget, metadata: {name: a, namespace: b}, spec: {size: 1, replicas: 2}}`))
}

func parse(t *testing.T, text string) map[string]any {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	return object
}
