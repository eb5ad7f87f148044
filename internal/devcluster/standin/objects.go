package standin

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

func (s *StandIn) get(ctx context.Context, k kind, ref Ref) (*unstructured.Unstructured, error) {
	return s.client.Resource(k.resource).Namespace(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
}

// find is get with nil for an object that does not exist.
func (s *StandIn) find(ctx context.Context, k kind, ref Ref) (*unstructured.Unstructured, error) {
	obj, err := s.get(ctx, k, ref)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return obj, err
}

func (s *StandIn) create(ctx context.Context, k kind, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	return s.client.Resource(k.resource).Namespace(obj.GetNamespace()).
		Create(ctx, obj, metav1.CreateOptions{FieldManager: fieldManager})
}

// patch writes what a controller changed in an object, in up to three requests: its conditions, then metadata and
// spec, then the rest of its status. The real operator writes so, and who watches sees these three changes.
func (s *StandIn) patch(ctx context.Context, k kind, before, after *unstructured.Unstructured) error {
	objects := s.client.Resource(k.resource).Namespace(after.GetNamespace())
	send := func(change map[string]any, subresources ...string) error {
		body, err := json.Marshal(change)
		if err != nil {
			return err
		}
		_, err = objects.Patch(ctx, after.GetName(), types.MergePatchType, body,
			metav1.PatchOptions{FieldManager: fieldManager}, subresources...)
		return err
	}

	old, _ := lookup[map[string]any](before.Object, "status")
	status, _ := lookup[map[string]any](after.Object, "status")
	if !reflect.DeepEqual(old["conditions"], status["conditions"]) {
		if err := send(map[string]any{"status": map[string]any{"conditions": status["conditions"]}}, "status"); err != nil {
			return err
		}
	}
	main := map[string]any{}
	for _, part := range []string{"metadata", "spec"} {
		was, _ := lookup[map[string]any](before.Object, part)
		is, _ := lookup[map[string]any](after.Object, part)
		if change := difference(was, is); len(change) > 0 {
			main[part] = change
		}
	}
	if len(main) > 0 {
		if err := send(main); err != nil {
			return err
		}
	}
	rest := difference(old, status)
	delete(rest, "conditions")
	if len(rest) == 0 {
		return nil
	}
	err := send(map[string]any{"status": rest}, "status")
	if apierrors.IsNotFound(err) && after.GetDeletionTimestamp() != nil && len(after.GetFinalizers()) == 0 {
		return nil
	}
	return err
}

// difference is the merge patch that makes was into is.
func difference(was, is map[string]any) map[string]any {
	change := map[string]any{}
	for key, value := range is {
		old, existed := was[key]
		if existed && reflect.DeepEqual(old, value) {
			continue
		}
		oldMap, wasMap := old.(map[string]any)
		newMap, isMap := value.(map[string]any)
		if wasMap && isMap {
			change[key] = difference(oldMap, newMap)
		} else {
			change[key] = value
		}
	}
	for key := range was {
		if _, stays := is[key]; !stays {
			change[key] = nil
		}
	}
	return change
}

// ensureFinalizer adds a finalizer to an object that has none yet, and tells whether it did: then the change itself
// brings the controller back.
func (s *StandIn) ensureFinalizer(ctx context.Context, k kind, obj *unstructured.Unstructured, name string) (bool, error) {
	if obj.GetDeletionTimestamp() != nil || slices.Contains(obj.GetFinalizers(), name) {
		return false, nil
	}
	after := obj.DeepCopy()
	after.SetFinalizers(append(after.GetFinalizers(), name))
	return true, s.patch(ctx, k, obj, after)
}

func removeFinalizer(obj *unstructured.Unstructured, name string) {
	obj.SetFinalizers(slices.DeleteFunc(obj.GetFinalizers(), func(f string) bool { return f == name }))
}

// lookup reads a value of type T inside of an object.
func lookup[T any](obj map[string]any, path ...string) (T, bool) {
	var none T
	found, ok, err := unstructured.NestedFieldNoCopy(obj, path...)
	if !ok || err != nil {
		return none, false
	}
	value, ok := found.(T)
	return value, ok
}

func text(obj map[string]any, path ...string) string {
	value, _ := lookup[string](obj, path...)
	return value
}

func number(obj map[string]any, path ...string) int64 {
	value, _ := lookup[int64](obj, path...)
	return value
}

// put sets a value inside of an object, and makes the maps on the way. What is in the way of a map is replaced.
func put(obj map[string]any, value any, path ...string) {
	for _, key := range path[:len(path)-1] {
		next, ok := obj[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			obj[key] = next
		}
		obj = next
	}
	obj[path[len(path)-1]] = value
}

func ownedBy(obj *unstructured.Unstructured, k kind, controller bool) []any {
	owner := map[string]any{
		"apiVersion": k.apiVersion(),
		"kind":       k.name,
		"name":       obj.GetName(),
		"uid":        string(obj.GetUID()),
	}
	if controller {
		owner["controller"] = true
		owner["blockOwnerDeletion"] = true
	}
	return []any{owner}
}
