package ownership

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/yaml"
)

// fieldServer is the part of an API server that merges fields and keeps managedFields: the real code, for one kind.
type fieldServer struct {
	managedfieldstest.TestFieldManager
}

var poolKind = schema.GroupVersionKind{Group: "test.k0smos.io", Version: "v1", Kind: "Pool"}

// newFieldServer serves Pool, a kind with one list of each sort.
func newFieldServer(t *testing.T) fieldServer {
	t.Helper()
	text := spec.StringProperty()
	object := func(properties map[string]spec.Schema) *spec.Schema {
		return &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}, Properties: properties}}
	}
	list := func(of *spec.Schema, extensions spec.Extensions) spec.Schema {
		return spec.Schema{
			SchemaProps:      spec.SchemaProps{Type: []string{"array"}, Items: &spec.SchemaOrArray{Schema: of}},
			VendorExtensible: spec.VendorExtensible{Extensions: extensions},
		}
	}
	protocol := *text
	protocol.Default = "TCP"
	pool := object(map[string]spec.Schema{
		"apiVersion": *text, "kind": *text,
		"metadata": *object(map[string]spec.Schema{
			"name": *text, "namespace": *text,
			"labels": *spec.MapProperty(text), "annotations": *spec.MapProperty(text),
			"managedFields": list(&spec.Schema{
				SchemaProps:      spec.SchemaProps{Type: []string{"object"}},
				VendorExtensible: spec.VendorExtensible{Extensions: spec.Extensions{"x-kubernetes-preserve-unknown-fields": true}},
			}, nil),
			"finalizers": list(text, spec.Extensions{"x-kubernetes-list-type": "set"}),
		}),
		"spec": *object(map[string]spec.Schema{
			"replicas": *spec.Int64Property(), "zone": *text, "paused": *spec.BooleanProperty(),
			"args": list(text, nil),
			"ports": list(object(map[string]spec.Schema{"port": *spec.Int64Property(), "protocol": protocol, "name": *text}),
				spec.Extensions{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []any{"port", "protocol"}}),
		}),
	})
	pool.Extensions = spec.Extensions{"x-kubernetes-group-version-kind": []any{
		map[string]any{"group": poolKind.Group, "version": poolKind.Version, "kind": poolKind.Kind},
	}}
	converter, err := managedfields.NewTypeConverter(map[string]*spec.Schema{"Pool": pool}, false)
	if err != nil {
		t.Fatal(err)
	}
	return fieldServer{managedfieldstest.NewTestFieldManager(converter, poolKind)}
}

func (s fieldServer) live(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	live, ok := s.Live().(*unstructured.Unstructured)
	if !ok {
		t.Fatalf("live object is a %T", s.Live())
	}
	out := live.DeepCopy()
	// What the API server's defaulting does, which is none of the merge's business.
	ports, _ := Lookup(out.Object, "spec.ports")
	items, _ := ports.([]any)
	for _, item := range items {
		if port, ok := item.(map[string]any); ok && port["protocol"] == nil {
			port["protocol"] = "TCP"
		}
	}
	return out
}

func (s fieldServer) apply(t *testing.T, manager, body string) {
	t.Helper()
	if err := s.Apply(pool(t, body), manager, false); err != nil {
		t.Fatal(err)
	}
}

func (s fieldServer) update(t *testing.T, manager string, change func(obj map[string]any)) {
	t.Helper()
	obj := s.live(t)
	change(obj.Object)
	if err := s.Update(obj, manager); err != nil {
		t.Fatal(err)
	}
}

// pool is a Pool with the given metadata and spec.
func pool(t *testing.T, body string) *unstructured.Unstructured {
	t.Helper()
	obj := object(t, body)
	obj.SetGroupVersionKind(poolKind)
	obj.SetName("a100")
	return obj
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{Object: map[string]any{}}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &obj.Object); err != nil {
		t.Fatal(err)
	}
	return obj
}

func mustSet(t *testing.T, obj map[string]any, path string, v any) {
	t.Helper()
	if err := Set(obj, path, v); err != nil {
		t.Fatal(err)
	}
}

func causesOf(t *testing.T, err error) []metav1.StatusCause {
	t.Helper()
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		t.Fatalf("want a status with causes, got %v", err)
	}
	return status.Status().Details.Causes
}

const ours = "terraform-provider-k0smos:nodepool"

func TestAgainstTheServersOwnMerge(t *testing.T) {
	const applied = `
metadata:
  labels: {team: vision}
  annotations: {k0smos.io/owner: 1f0c, k0smos.io/owner-name: prod}
  finalizers: [k0smos.io/hold]
spec:
  replicas: 2
  zone: qc
  args: [--a, --b]
  ports: [{port: 80, name: http}, {port: 53, protocol: UDP, name: dns}]
`
	start := func(t *testing.T) (fieldServer, map[string]any) {
		s := newFieldServer(t)
		s.apply(t, ours, applied)
		return s, pool(t, applied).Object
	}
	single := func(t *testing.T, s fieldServer, want map[string]any) Difference {
		t.Helper()
		found := DiffFor(want, s.live(t), ours)
		if len(found) != 1 {
			t.Fatalf("want one difference, got %v", found)
		}
		return found[0]
	}

	t.Run("what was just applied does not differ and is all ours", func(t *testing.T) {
		s, want := start(t)
		if found := DiffFor(want, s.live(t), ours); len(found) > 0 {
			t.Errorf("got %v", found)
		}
		if found := Diff(want, &unstructured.Unstructured{Object: Owned(s.live(t), ours)}); len(found) > 0 {
			t.Errorf("owned lacks %v", found)
		}
		if !AppliedBy(s.live(t), ours) || AppliedBy(s.live(t), "other") {
			t.Error("AppliedBy")
		}
	})
	t.Run("a hand with kubectl is named where it changed one of our fields", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "kubectl-edit", func(obj map[string]any) { mustSet(t, obj, "spec.replicas", int64(5)) })
		d := single(t, s, want)
		if d.Path != "spec.replicas" || d.Want != int64(2) || d.Live != int64(5) || d.Manager != "kubectl-edit" || d.Apply || d.Time.IsZero() {
			t.Errorf("got %+v", d)
		}
		if _, has := Lookup(Owned(s.live(t), ours), "spec.replicas"); has {
			t.Error("the field is still ours")
		}
	})
	t.Run("a list element is found by its keys, with those that the server filled in", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "script", func(obj map[string]any) { mustSet(t, obj, "spec.ports[port=80].name", "web") })
		if d := single(t, s, want); d.Path != "spec.ports[port=80,protocol=TCP].name" || d.Manager != "script" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("what others add to our maps, sets and keyed lists is not seen", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "controller", func(obj map[string]any) {
			mustSet(t, obj, "metadata.labels.zone", "b")
			mustSet(t, obj, "metadata.finalizers[=example.com/x]", "example.com/x")
			mustSet(t, obj, "spec.ports[port=443,protocol=TCP].name", "https")
			mustSet(t, obj, "spec.paused", true)
		})
		if found := DiffFor(want, s.live(t), ours); len(found) > 0 {
			t.Errorf("got %v", found)
		}
	})
	t.Run("a changed atomic list is one difference", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "script", func(obj map[string]any) { mustSet(t, obj, "spec.args", []any{"--a", "--b", "--c"}) })
		if d := single(t, s, want); d.Path != "spec.args" || d.Manager != "script" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("a field that somebody took away is missing, and nobody is blamed", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "script", func(obj map[string]any) { Remove(obj, "metadata.labels.team") })
		if d := single(t, s, want); d.Path != "metadata.labels.team" || !d.Missing || d.Manager != "" {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("a set member that somebody took away is missing", func(t *testing.T) {
		s, want := start(t)
		s.apply(t, "other", `metadata: {finalizers: [example.com/x]}`)
		s.update(t, "script", func(obj map[string]any) { Remove(obj, "metadata.finalizers[=k0smos.io/hold]") })
		if d := single(t, s, want); d.Path != "metadata.finalizers[=k0smos.io/hold]" || !d.Missing {
			t.Errorf("got %+v", d)
		}
	})
	t.Run("a field that another tool declares, too, conflicts when we want it otherwise", func(t *testing.T) {
		s, want := start(t)
		s.apply(t, "argocd", `spec: {zone: qc}`)
		mustSet(t, want, "spec.zone", "atl")
		if d := single(t, s, want); d.Path != "spec.zone" || d.Manager != "argocd" || !d.Apply {
			t.Errorf("got %+v", d)
		}
		err := s.Apply(&unstructured.Unstructured{Object: want}, ours, false)
		if got := ParseConflicts(causesOf(t, err)); len(got) != 1 || got[0] != (Conflict{Path: "spec.zone", Manager: "argocd", Apply: true}) {
			t.Errorf("got %+v", got)
		}
	})
	t.Run("conflicts name fields with dots, list elements and updating managers", func(t *testing.T) {
		s, want := start(t)
		s.update(t, "kubectl-edit", func(obj map[string]any) {
			mustSet(t, obj, "metadata.annotations[k0smos.io/owner]", "gone")
			mustSet(t, obj, "spec.ports[port=53,protocol=UDP].name", "domain")
		})
		got := map[string]Conflict{}
		for _, c := range ParseConflicts(causesOf(t, s.Apply(&unstructured.Unstructured{Object: want}, ours, false))) {
			got[c.Path] = c
		}
		for _, path := range []string{"metadata.annotations[k0smos.io/owner]", "spec.ports[port=53,protocol=UDP].name"} {
			if c := got[path]; c.Manager != "kubectl-edit" || c.Apply {
				t.Errorf("%s: got %+v of %v", path, c, got)
			}
		}
	})
	t.Run("schema errors are found in what the server says about a patch", func(t *testing.T) {
		s, _ := start(t)
		want := map[string]string{}
		got := map[string]string{}
		for body, faults := range map[string]map[string]string{
			`spec: {replicaz: 1}`: {"spec.replicaz": "field not declared in schema"},
			`spec: {zone: [s3cret], paused: s3cret, args: {a: s3cret}, ports: [{port: "80"}]}`: {
				"spec.zone":   "expected string, got another type",
				"spec.paused": "expected boolean, got another type",
				"spec.args":   "expected list, got another type",
				`spec.ports[port="80",protocol=TCP].port`: "expected numeric (int or float), got string",
			},
		} {
			err := s.Apply(pool(t, body), ours, false)
			if err == nil {
				t.Fatalf("%s: want an error", body)
			}
			maps.Copy(want, faults)
			for _, e := range ParseSchemaErrors(err.Error()) {
				got[e.Path] = e.Message
			}
		}
		for path, message := range want {
			if got[path] != message {
				t.Errorf("%s: got %q, want %q", path, got[path], message)
			}
		}
		if text := fmt.Sprint(got); strings.Contains(text, "s3cret") {
			t.Errorf("a value is in %s", text)
		}
	})
}
