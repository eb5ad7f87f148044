package standin

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var errNoFreeHost = errors.New("free pooled machine not found")

// copied are the fields that a RemoteMachine takes over from its host, again whenever it is looked at.
var copied = []string{"address", "port", "user", "sshKeyRef", "useSudo", "commandsAsScript", "workingDir", "cleanUpCommands"}

// claim gives a RemoteMachine the host that is reserved for it, else the first free one of its pool by name. It does so
// at every look: a RemoteMachine whose entry was deleted takes another host.
func (s *StandIn) claim(ctx context.Context, rm *unstructured.Unstructured) error {
	list, err := s.client.Resource(pooledMachine.resource).Namespace(rm.GetNamespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var own, free *unstructured.Unstructured
	slices.SortFunc(list.Items, func(a, b unstructured.Unstructured) int { return cmp.Compare(a.GetName(), b.GetName()) })
	for i := range list.Items {
		entry := &list.Items[i]
		if text(entry.Object, "spec", "pool") != text(rm.Object, "spec", "pool") {
			continue
		}
		reserved, _ := lookup[bool](entry.Object, "status", "reserved")
		switch {
		case reserved && text(entry.Object, "status", "machineRef", "name") == rm.GetName():
			own = entry
		case !reserved && free == nil:
			free = entry
		}
	}
	if own == nil && free == nil {
		return errNoFreeHost
	}
	if own == nil {
		own = free
		put(own.Object, map[string]any{
			"reserved":   true,
			"machineRef": map[string]any{"name": rm.GetName(), "namespace": rm.GetNamespace()},
		}, "status")
		if err := s.updateEntry(ctx, own); err != nil {
			return err
		}
	}
	rm.SetLabels(withLabels(rm.GetLabels(), own.GetLabels()))
	rm.SetAnnotations(withLabels(rm.GetAnnotations(), own.GetAnnotations()))
	for _, field := range copied {
		value, given := lookup[any](own.Object, "spec", "machine", field)
		if given {
			put(rm.Object, value, "spec", field)
		} else {
			unstructured.RemoveNestedField(rm.Object, "spec", field)
		}
	}
	return nil
}

// release gives the host of a RemoteMachine back to its pool.
func (s *StandIn) release(ctx context.Context, rm *unstructured.Unstructured) error {
	list, err := s.client.Resource(pooledMachine.resource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		entry := &list.Items[i]
		if text(entry.Object, "status", "machineRef", "name") != rm.GetName() ||
			text(entry.Object, "status", "machineRef", "namespace") != rm.GetNamespace() {
			continue
		}
		put(entry.Object, map[string]any{
			"reserved":   false,
			"machineRef": map[string]any{"name": "", "namespace": ""},
		}, "status")
		return s.updateEntry(ctx, entry)
	}
	return nil
}

func (s *StandIn) updateEntry(ctx context.Context, entry *unstructured.Unstructured) error {
	_, err := s.client.Resource(pooledMachine.resource).Namespace(entry.GetNamespace()).
		UpdateStatus(ctx, entry, metav1.UpdateOptions{FieldManager: fieldManager})
	return err
}

// withLabels is a with what b has on top.
func withLabels(a, b map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	if len(out) == 0 {
		return nil
	}
	return out
}
