package manifest

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

func TestOnlyAnotherObjectIsReplaced(t *testing.T) {
	prior, _ := written(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: b}")
	for text, want := range map[string]bool{
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: b, labels: {c: d}}": false,
		"apiVersion: apps/v2\nkind: Deployment\nmetadata: {name: a, namespace: b}":                 false,
		"apiVersion: other/v1\nkind: Deployment\nmetadata: {name: a, namespace: b}":                true,
		"apiVersion: v1\nkind: Deployment\nmetadata: {name: a, namespace: b}":                      true,
		"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a, namespace: b}":                true,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: c, namespace: b}":                 true,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: c}":                 true,
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}":                               true,
	} {
		asText, asObject := written(t, text)
		for _, m := range []Model{asText, asObject} {
			if got := len(replace(prior, m)) > 0; got != want {
				t.Errorf("replaced is %v by\n%s", got, text)
			}
		}
	}
}

func TestOneManifestIsOneObject(t *testing.T) {
	asText, asObject := written(t, configMap)
	for _, m := range []Model{asText, asObject} {
		objects, err := compose(m, composite.Facts{})
		if err != nil || len(objects) != 1 {
			t.Fatalf("%v: %v", objects, err)
		}
		o := objects[0]
		if o.Kind.Group != "" || o.Kind.Version != "v1" || o.Kind.Kind != "ConfigMap" || o.Kind.Resource != "" || o.Name != "settings" || o.Namespace != "team" {
			t.Errorf("it is %+v", o)
		}
		if want := (composite.ID{APIVersion: "v1", Kind: "ConfigMap", Namespace: "team", Name: "settings"}); id(m) != want {
			t.Errorf("its id is %s", id(m))
		}
		if namespace, create := namespace(m); namespace != "team" || create {
			t.Errorf("it is in %s", namespace)
		}
	}
	a, _ := compose(asText, composite.Facts{})
	b, _ := compose(asObject, composite.Facts{})
	if composite.Revision(a) != composite.Revision(b) {
		t.Error("text and object have different revisions")
	}
}
