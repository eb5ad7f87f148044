package standin_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"
)

// create makes an object from YAML in the test's namespace.
func (b *bench) create(t *testing.T, resource schema.GroupVersionResource, manifest string) *unstructured.Unstructured {
	t.Helper()
	made, err := b.tryCreate(t, resource, manifest)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func (b *bench) tryCreate(t *testing.T, resource schema.GroupVersionResource, manifest string) (*unstructured.Unstructured, error) {
	t.Helper()
	obj := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(strings.ReplaceAll(manifest, "\t", "  ")), &obj.Object); err != nil {
		t.Fatal(err)
	}
	return b.client.Resource(resource).Namespace(b.namespace).Create(t.Context(), obj, metav1.CreateOptions{FieldManager: "test"})
}

// mustPatch changes the object geo.
func (b *bench) mustPatch(t *testing.T, resource schema.GroupVersionResource, merge string) {
	t.Helper()
	b.mustPatchNamed(t, resource, "geo", merge)
}

// mustPatchNamed changes an object, or a subresource of it.
func (b *bench) mustPatchNamed(t *testing.T, resource schema.GroupVersionResource, name, merge string, subresources ...string) {
	t.Helper()
	if _, err := b.client.Resource(resource).Namespace(b.namespace).Patch(t.Context(), name, types.MergePatchType, []byte(merge),
		metav1.PatchOptions{FieldManager: "test"}, subresources...); err != nil {
		t.Fatal(err)
	}
}

// delete deletes the object geo.
func (b *bench) delete(t *testing.T, resource schema.GroupVersionResource) {
	t.Helper()
	b.deleteNamed(t, resource, "geo")
}

func (b *bench) deleteNamed(t *testing.T, resource schema.GroupVersionResource, name string) {
	t.Helper()
	if err := b.client.Resource(resource).Namespace(b.namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
}
