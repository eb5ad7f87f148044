package standin

import (
	"context"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// reconcileRemoteCluster declares a RemoteCluster ready: there is nothing to make. It has no finalizer.
func (s *StandIn) reconcileRemoteCluster(ctx context.Context, ref Ref) (time.Duration, error) {
	obj, err := s.find(ctx, remoteCluster, ref)
	if err != nil || obj == nil || obj.GetDeletionTimestamp() != nil {
		return 0, err
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
