package standin

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
)

const (
	controlPlaneFinalizer = "k0smotron.controlplane.cluster.x-k8s.io"
	pausedAnnotation      = "cluster.x-k8s.io/paused"
	specHashAnnotation    = "k0smotron.io/cluster-spec-hash"
)

// reconcileControlPlane keeps a K0smotronControlPlane: its derived k0smotron Cluster, the endpoint of its RemoteCluster
// and Cluster, and its own status. Nothing happens before Cluster API has made the Cluster its owner.
func (s *StandIn) reconcileControlPlane(ctx context.Context, ref Ref) (time.Duration, error) {
	kcp, err := s.find(ctx, controlPlane, ref)
	if err != nil || kcp == nil {
		return 0, err
	}
	if added, err := s.ensureFinalizer(ctx, controlPlane, kcp, controlPlaneFinalizer); err != nil || added {
		return 0, err
	}
	cluster, err := s.ownerCluster(ctx, kcp)
	if err != nil || cluster == nil || paused(cluster, kcp) {
		return 0, err
	}
	name := Ref{cluster.GetNamespace(), cluster.GetName()}
	if kcp.GetDeletionTimestamp() != nil {
		return 0, s.deleteControlPlane(ctx, kcp, name)
	}

	after := kcp.DeepCopy()
	if _, given := lookup[[]any](after.Object, "spec", "certificateRefs"); !given {
		if wait := s.pause(name, makeCertificates); wait > 0 {
			return wait, nil
		}
		if err := s.ensureAuthorities(ctx, name, kcp); err != nil {
			return 0, err
		}
		put(after.Object, certificateRefs(name.Name), "spec", "certificateRefs")
	}
	enrichWithNetwork(after, cluster)

	derived, err := s.find(ctx, derivedCluster, name)
	if err != nil {
		return 0, err
	}
	if derived == nil {
		return s.createDerived(ctx, kcp, after, cluster)
	}
	if address := text(derived.Object, "spec", "externalAddress"); address != "" && text(after.Object, "spec", "externalAddress") == "" {
		put(after.Object, address, "spec", "externalAddress")
	}
	if synced, err := s.syncDerived(ctx, after, derived); err != nil || !synced {
		if err == nil {
			err = s.patch(ctx, controlPlane, kcp, after)
		}
		return 0, err
	}

	host, port := endpoint(derived)
	if host == "" {
		// The real operator looks for an address for three minutes, and then again.
		return 0, s.patch(ctx, controlPlane, kcp, after)
	}
	clusterAfter := cluster.DeepCopy()
	if err := s.setEndpoint(ctx, clusterAfter, host, port); err != nil {
		return 0, err
	}
	put(after.Object, true, "status", "externalManagedControlPlane")
	wait, known := s.controlPlaneStatus(ctx, after, derived, clusterAfter)
	if known {
		if err := s.patch(ctx, controlPlane, kcp, after); err != nil {
			return 0, err
		}
	}
	return wait, s.patch(ctx, clusterAPICluster, cluster, clusterAfter)
}

// createDerived makes the k0smotron Cluster, which bears the name of the Cluster API Cluster.
func (s *StandIn) createDerived(ctx context.Context, kcp, after, cluster *unstructured.Unstructured) (time.Duration, error) {
	derived := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": derivedCluster.apiVersion(),
		"kind":       derivedCluster.name,
		"metadata": map[string]any{
			"namespace":       cluster.GetNamespace(),
			"name":            cluster.GetName(),
			"labels":          map[string]any{clusterNameLabel: cluster.GetName()},
			"annotations":     map[string]any{specHashAnnotation: specHash(after)},
			"ownerReferences": ownedBy(kcp, controlPlane, false),
		},
		"spec": derivedSpec(after),
	}}
	derived, err := s.create(ctx, derivedCluster, derived)
	if err != nil {
		return 0, err
	}
	wait, _ := s.controlPlaneStatus(ctx, after, derived, cluster.DeepCopy())
	return wait, s.patch(ctx, controlPlane, kcp, after)
}

// syncDerived hands a changed spec on, and reports whether there was nothing to hand on.
func (s *StandIn) syncDerived(ctx context.Context, kcp, derived *unstructured.Unstructured) (bool, error) {
	hash := specHash(kcp)
	if derived.GetAnnotations()[specHashAnnotation] == hash &&
		text(derived.Object, "spec", "externalAddress") == text(kcp.Object, "spec", "externalAddress") {
		return true, nil
	}
	after := derived.DeepCopy()
	put(after.Object, hash, "metadata", "annotations", specHashAnnotation)
	put(after.Object, derivedSpec(kcp), "spec")
	return false, s.patch(ctx, derivedCluster, derived, after)
}

// setEndpoint writes the API address into the RemoteCluster, and into the given copy of the Cluster.
func (s *StandIn) setEndpoint(ctx context.Context, cluster *unstructured.Unstructured, host string, port int64) error {
	if text(cluster.Object, "spec", "controlPlaneEndpoint", "host") == host &&
		number(cluster.Object, "spec", "controlPlaneEndpoint", "port") == port {
		return nil
	}
	want := map[string]any{"host": host, "port": port}
	if text(cluster.Object, "spec", "infrastructureRef", "kind") == remoteCluster.name {
		infra, err := s.get(ctx, remoteCluster, Ref{cluster.GetNamespace(), text(cluster.Object, "spec", "infrastructureRef", "name")})
		if err != nil {
			return err
		}
		if has, _ := lookup[map[string]any](infra.Object, "spec", "controlPlaneEndpoint"); !reflect.DeepEqual(has, want) {
			put(infra.Object, want, "spec", "controlPlaneEndpoint")
			if _, err := s.client.Resource(remoteCluster.resource).Namespace(infra.GetNamespace()).
				Update(ctx, infra, metav1.UpdateOptions{FieldManager: fieldManager}); err != nil {
				return err
			}
		}
	}
	put(cluster.Object, host, "spec", "controlPlaneEndpoint", "host")
	put(cluster.Object, port, "spec", "controlPlaneEndpoint", "port")
	return nil
}

// deleteControlPlane deletes the derived Cluster, waits for it to be gone, and then lets the control plane go.
func (s *StandIn) deleteControlPlane(ctx context.Context, kcp *unstructured.Unstructured, name Ref) error {
	derived, err := s.find(ctx, derivedCluster, name)
	if err != nil {
		return err
	}
	if derived == nil {
		after := kcp.DeepCopy()
		removeFinalizer(after, controlPlaneFinalizer)
		return s.patch(ctx, controlPlane, kcp, after)
	}
	if derived.GetDeletionTimestamp() != nil {
		return nil
	}
	err = s.client.Resource(derivedCluster.resource).Namespace(name.Namespace).Delete(ctx, name.Name, metav1.DeleteOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// ownerCluster is the Cluster API Cluster that owns obj: nil if none does, an error if it is named but not there.
func (s *StandIn) ownerCluster(ctx context.Context, obj *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	for _, owner := range obj.GetOwnerReferences() {
		if clusterAPICluster.owns(owner) {
			return s.get(ctx, clusterAPICluster, Ref{obj.GetNamespace(), owner.Name})
		}
	}
	return nil, nil
}

func paused(cluster, obj *unstructured.Unstructured) bool {
	if stopped, _ := lookup[bool](cluster.Object, "spec", "paused"); stopped {
		return true
	}
	_, marked := obj.GetAnnotations()[pausedAnnotation]
	return marked
}

// endpoint is where clients of the hosted cluster are told to go: no host as long as there is no address.
func endpoint(derived *unstructured.Unstructured) (host string, port int64) {
	if host := text(derived.Object, "spec", "ingress", "apiHost"); host != "" {
		if port := number(derived.Object, "spec", "ingress", "port"); port != 0 {
			return host, port
		}
		return host, 443
	}
	return text(derived.Object, "spec", "externalAddress"), number(derived.Object, "spec", "service", "apiPort")
}

func certificateRefs(cluster string) []any {
	var refs []any
	for _, purpose := range []string{"ca", "proxy", "sa", "etcd"} {
		refs = append(refs, map[string]any{"type": purpose, "name": cluster + "-" + purpose})
	}
	return refs
}

// derivedSpec is a control plane's spec as the derived Cluster gets it.
func derivedSpec(kcp *unstructured.Unstructured) map[string]any {
	spec, _ := lookup[map[string]any](kcp.DeepCopy().Object, "spec")
	if _, given := spec["monitoring"]; !given {
		// The operator's struct has no absent monitoring: it sends zero values, which keeps the defaults out.
		put(spec, map[string]any{"enabled": false, "prometheusImage": "", "proxyImage": ""}, "monitoring")
	}
	return spec
}

// specHash tells whether a spec was handed on. The address is left out: the derived Cluster finds it by itself.
func specHash(kcp *unstructured.Unstructured) string {
	spec, _ := lookup[map[string]any](kcp.DeepCopy().Object, "spec")
	delete(spec, "externalAddress")
	content, err := json.Marshal(spec)
	if err != nil {
		// What came as JSON goes as JSON.
		return ""
	}
	sum := fnv.New32a()
	_, _ = sum.Write(content)
	return rand.SafeEncodeString(fmt.Sprint(sum.Sum32()))
}
