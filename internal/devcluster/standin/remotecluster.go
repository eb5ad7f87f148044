package standin

import (
	"context"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// longestConnect bounds the wait for a control plane that may never come.
const longestConnect = 15 * time.Second

// reconcileRemoteCluster declares a RemoteCluster ready: there is nothing to make. It has no finalizer.
func (s *StandIn) reconcileRemoteCluster(ctx context.Context, ref Ref) (time.Duration, error) {
	obj, err := s.find(ctx, remoteCluster, ref)
	if err != nil || obj == nil || obj.GetDeletionTimestamp() != nil {
		return 0, err
	}
	if wait, err := s.connectFirst(ctx, obj); err != nil || wait > 0 {
		return wait, err
	}
	after := obj.DeepCopy()
	put(after.Object, true, "status", "initialization", "provisioned")
	setCondition(after, condition{"Ready", "True", "Ready", ""})
	if reflect.DeepEqual(obj.Object, after.Object) {
		return 0, nil
	}
	_, err = s.client.Resource(remoteCluster.resource).Namespace(ref.Namespace).
		UpdateStatus(ctx, after, metav1.UpdateOptions{FieldManager: fieldManager})
	if apierrors.IsNotFound(err) {
		return 0, nil
	}
	return 0, err
}

// connectFirst is how long a RemoteCluster is to wait for the kubeconfig of its Cluster, with ConnectAtOnce.
func (s *StandIn) connectFirst(ctx context.Context, obj *unstructured.Unstructured) (time.Duration, error) {
	if !s.options.ConnectAtOnce || time.Since(obj.GetCreationTimestamp().Time) > longestConnect {
		return 0, nil
	}
	cluster, err := s.ownerCluster(ctx, obj)
	if err != nil || cluster == nil {
		return soon, err
	}
	name := Ref{cluster.GetNamespace(), cluster.GetName()}
	if text(cluster.Object, "spec", "controlPlaneRef", "kind") != controlPlane.name || s.modes.of(name) != (mode{}) {
		return 0, nil
	}
	found, err := s.find(ctx, secrets, Ref{name.Namespace, name.Name + "-kubeconfig"})
	if err != nil || found != nil {
		return 0, err
	}
	return soon, nil
}
