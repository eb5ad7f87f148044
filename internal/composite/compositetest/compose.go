package compositetest

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/schematest"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// TB is a test, or a run of a property.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

var update = flag.Bool("update", false, "write the golden files in testdata instead of comparing with them")

// Compose returns the objects that an apply of a configuration makes, before the engine marks them.
func Compose[M any](t TB, kind composite.Kind[M], m M) []composite.Object {
	t.Helper()
	if kind.Derive != nil {
		kind.Derive(&m, nil)
	}
	objects, err := kind.Compose(m, composite.Facts{})
	if err != nil {
		t.Fatalf("%s: %v", kind.Name, err)
	}
	return objects
}

// Golden composes each configuration and compares the objects with testdata/<name>.yaml. With -update it writes them. Each
// object must be one that the API server would take. Files without a case are refused.
func Golden[M any](t *testing.T, kind composite.Kind[M], configs map[string]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(configs)) {
		t.Run(name, func(t *testing.T) {
			m := Model(t, kind, configs[name])
			for _, check := range kind.Checks {
				for _, finding := range check(m) {
					if !finding.Warning {
						t.Errorf("%s is refused: %s", finding.Path, finding.Detail)
					}
				}
			}
			objects := Compose(t, kind, m)
			for _, o := range objects {
				schematest.Validate(t, schematest.Folder(t), o.Content)
			}
			File(t, filepath.Join("testdata", name+".yaml"), Text(t, objects))
		})
	}
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatalf("%v", err)
	}
	for _, file := range files {
		if _, ok := configs[strings.TrimSuffix(filepath.Base(file), ".yaml")]; !ok {
			t.Errorf("%s belongs to no case", file)
		}
	}
}

// File compares with a golden file, or writes it with -update.
func File(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil { //nolint:gosec // it is checked in
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil { //nolint:gosec // it is checked in
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; write it with -update, and read it", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what comes out now (-update writes it):\n%s", file, Difference(string(want), string(got)))
	}
}

// Text is a composition as YAML documents.
func Text(t TB, objects []composite.Object) []byte {
	t.Helper()
	documents := make([]string, 0, len(objects))
	for _, o := range objects {
		text, err := yaml.Marshal(o.Content)
		if err != nil {
			t.Fatalf("%v", err)
		}
		documents = append(documents, string(text))
	}
	return []byte(strings.Join(documents, "---\n"))
}

// Difference lists the lines of two texts that the other one lacks.
func Difference(want, got string) string {
	var b strings.Builder
	wanted, found := strings.Split(want, "\n"), strings.Split(got, "\n")
	for _, line := range wanted {
		if !slices.Contains(found, line) {
			b.WriteString("- " + line + "\n")
		}
	}
	for _, line := range found {
		if !slices.Contains(wanted, line) {
			b.WriteString("+ " + line + "\n")
		}
	}
	return b.String()
}

// Live is what a cluster holds right after an apply: the objects as an API server sends them.
func Live(t TB, objects []composite.Object) composite.Live {
	t.Helper()
	var live composite.Live
	for _, o := range objects {
		wire, err := json.Marshal(o.Content)
		if err != nil {
			t.Fatalf("%v", err)
		}
		content := map[string]any{}
		if err := utiljson.Unmarshal(wire, &content); err != nil {
			t.Fatalf("%v", err)
		}
		live = append(live, &unstructured.Unstructured{Object: content})
	}
	return live
}
