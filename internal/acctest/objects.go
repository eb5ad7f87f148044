package acctest

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Kinds that tests work with.
var (
	Namespaces = kube.Kind{Version: "v1", Kind: "Namespace", Resource: "namespaces"}
	ConfigMaps = kube.Kind{Version: "v1", Kind: "ConfigMap", Resource: "configmaps", Namespaced: true}
	Secrets    = kube.Kind{Version: "v1", Kind: "Secret", Resource: "secrets", Namespaced: true}
	CRDs       = kube.Kind{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Resource: "customresourcedefinitions"}
)

// Namespace makes a namespace for one test. It is deleted after the test; what is in it goes with it.
func (a *API) Namespace(t testing.TB) string {
	t.Helper()
	name := "t-" + strings.ToLower(rand.Text()[:10])
	a.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}", name))
	t.Cleanup(func() { a.Delete(t, kube.Key{Kind: Namespaces, Name: name}) })
	return name
}

// of is the client for one kind in one namespace.
func (a *API) of(k kube.Key) dynamic.ResourceInterface {
	all := a.Client.Resource(schema.GroupVersionResource{Group: k.Kind.Group, Version: k.Kind.Version, Resource: k.Kind.Resource})
	if k.Kind.Namespaced {
		return all.Namespace(k.Namespace)
	}
	return all
}

// Find returns an object, or nil if it does not exist.
func (a *API) Find(t testing.TB, k kube.Key) *unstructured.Unstructured {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	live, err := a.of(k).Get(ctx, k.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		t.Fatalf("get %s: %v", k, err)
	}
	return live
}

// Get returns an object that has to exist.
func (a *API) Get(t testing.TB, k kube.Key) *unstructured.Unstructured {
	t.Helper()
	live := a.Find(t, k)
	if live == nil {
		t.Fatalf("%s does not exist", k)
	}
	return live
}

// EditAs changes an object as kubectl edit or a script does: by an Update under the given field manager.
func (a *API) EditAs(t testing.TB, manager string, k kube.Key, change func(object map[string]any)) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	for {
		live := a.Get(t, k)
		change(live.Object)
		_, err := a.of(k).Update(ctx, live, metav1.UpdateOptions{FieldManager: manager})
		if err == nil {
			return
		}
		if !apierrors.IsConflict(err) {
			t.Fatalf("edit %s as %s: %v", k, manager, err)
		}
	}
}

// EditStatusAs changes the status of an object, as its controller does.
func (a *API) EditStatusAs(t testing.TB, manager string, k kube.Key, status map[string]any) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	live := a.Get(t, k)
	live.Object["status"] = status
	if _, err := a.of(k).UpdateStatus(ctx, live, metav1.UpdateOptions{FieldManager: manager}); err != nil {
		t.Fatalf("edit the status of %s as %s: %v", k, manager, err)
	}
}

// ApplyAs declares objects (YAML, several documents allowed) as another tool does: by a forced server-side apply under
// the given field manager.
func (a *API) ApplyAs(t testing.TB, manager, text string) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	for _, document := range strings.Split(text, "\n---\n") {
		if err := a.TryApplyAs(ctx, manager, document); err != nil {
			t.Fatal(err)
		}
	}
}

// TryApplyAs is ApplyAs for one object that may be refused.
func (a *API) TryApplyAs(ctx context.Context, manager, document string) error {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
		return fmt.Errorf("not a document: %w", err)
	}
	gvk := object.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"}
	if strings.HasSuffix(gvk.Kind, "y") {
		resource.Resource = strings.TrimSuffix(strings.ToLower(gvk.Kind), "y") + "ies"
	}
	var client dynamic.ResourceInterface = a.Client.Resource(resource)
	if object.GetNamespace() != "" {
		client = a.Client.Resource(resource).Namespace(object.GetNamespace())
	}
	if _, err := client.Apply(ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: manager, Force: true}); err != nil {
		return fmt.Errorf("apply %s %s as %s: %w", gvk.Kind, object.GetName(), manager, err)
	}
	return nil
}

// Delete asks for the deletion of an object that may be gone already. It does not wait.
func (a *API) Delete(t testing.TB, k kube.Key) {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	if err := a.of(k).Delete(ctx, k.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Errorf("delete %s: %v", k, err)
	}
}

// AwaitGone waits until an object does not exist.
func (a *API) AwaitGone(t testing.TB, k kube.Key) {
	t.Helper()
	Eventually(t, k.String()+" is gone", func() bool { return a.Find(t, k) == nil })
}

// Manages says whether a field manager holds something of an object by the given operation, Apply or Update.
func Manages(live *unstructured.Unstructured, manager string, operation metav1.ManagedFieldsOperationType) bool {
	for _, m := range live.GetManagedFields() {
		if m.Manager == manager && m.Operation == operation {
			return true
		}
	}
	return false
}

// Eventually waits until something is so.
func Eventually(t testing.TB, what string, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatalf("not so after a minute: %s", what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// lasting is a context for one call. It outlives the test, whose clean-up makes calls as well.
func lasting(t testing.TB) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
}
