package standin

import (
	"context"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ensureVolumes makes one PersistentVolumeClaim per etcd member: an odd number of them, never fewer than there were.
// With autoDeletePVCs they belong to the cluster and go with it, else they stay behind.
func (s *StandIn) ensureVolumes(ctx context.Context, derived *unstructured.Unstructured) error {
	members := number(derived.Object, "spec", "replicas")
	if members%2 == 0 {
		members++
	}
	claims := s.client.Resource(volumeClaims.resource).Namespace(derived.GetNamespace())
	for i := range members {
		want := etcdVolume(derived, i)
		found, err := s.find(ctx, volumeClaims, Ref{want.GetNamespace(), want.GetName()})
		if err != nil {
			return err
		}
		if found == nil {
			if found, err = s.create(ctx, volumeClaims, want); err != nil {
				return err
			}
		}
		after := found.DeepCopy()
		after.SetOwnerReferences(want.GetOwnerReferences())
		// Admission protects volumes in use; the controller that would lift this is not here.
		after.SetFinalizers(nil)
		if reflect.DeepEqual(found.Object, after.Object) {
			continue
		}
		if _, err := claims.Update(ctx, after, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
			return err
		}
	}
	return nil
}

func etcdVolume(derived *unstructured.Unstructured, member int64) *unstructured.Unstructured {
	labels := map[string]any{}
	for key, value := range podLabels(derived) {
		labels[key] = value
	}
	labels["component"] = "etcd"
	labels["app.kubernetes.io/component"] = "etcd"
	size := text(derived.Object, "spec", "storage", "etcd", "persistence", "size")
	if size == "" {
		size = "1Gi"
	}
	claim := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": volumeClaims.apiVersion(),
		"kind":       volumeClaims.name,
		"metadata": map[string]any{
			"namespace": derived.GetNamespace(),
			"name":      fmt.Sprintf("etcd-data-%s-%d", shortName("kmc-"+derived.GetName()+"-etcd"), member),
			"labels":    labels,
		},
		"spec": map[string]any{
			"accessModes": []any{"ReadWriteOnce"},
			"resources":   map[string]any{"requests": map[string]any{"storage": size}},
		},
	}}
	if class := text(derived.Object, "spec", "storage", "etcd", "persistence", "storageClass"); class != "" {
		put(claim.Object, class, "spec", "storageClassName")
	}
	if autoDelete, _ := lookup[bool](derived.Object, "spec", "storage", "etcd", "autoDeletePVCs"); autoDelete {
		put(claim.Object, ownedBy(derived, derivedCluster, false), "metadata", "ownerReferences")
	}
	return claim
}
