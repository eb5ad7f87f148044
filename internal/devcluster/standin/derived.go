package standin

import (
	"context"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const derivedFinalizer = "k0smotron.io/finalizer"

// reconcileDerived keeps the derived k0smotron Cluster, which is where the control plane's pods come from.
func (s *StandIn) reconcileDerived(ctx context.Context, ref Ref) (time.Duration, error) {
	derived, err := s.find(ctx, derivedCluster, ref)
	if err != nil {
		return 0, err
	}
	if derived == nil {
		s.workloads.forget(ref)
		s.stopLater(ref)
		return 0, nil
	}
	if added, err := s.ensureFinalizer(ctx, derivedCluster, derived, derivedFinalizer); err != nil || added {
		return 0, err
	}
	if derived.GetDeletionTimestamp() != nil {
		if wait := s.pause(ref, removePods); wait > 0 {
			return wait, nil
		}
		after := derived.DeepCopy()
		derivedStatus(after, observation{deleting: "Completed"})
		removeFinalizer(after, derivedFinalizer)
		return 0, s.patch(ctx, derivedCluster, derived, after)
	}
	after := derived.DeepCopy()
	if err := s.prepare(ctx, after); err != nil {
		put(after.Object, "Failed reconciling configmap, "+err.Error(), "status", "deprecated", "v1beta1", "reconciliationStatus")
		derivedStatus(after, observation{service: true})
		if failed := s.patch(ctx, derivedCluster, derived, after); failed != nil {
			return 0, failed
		}
		return 0, err
	}
	return s.runPods(ctx, derived, after)
}

// prepare does what comes before there are pods: the address, the configuration, etcd's certificates and volumes.
func (s *StandIn) prepare(ctx context.Context, derived *unstructured.Unstructured) error {
	if err := s.findAddress(ctx, derived); err != nil {
		return err
	}
	if err := configure(derived); err != nil {
		return err
	}
	if storage := text(derived.Object, "spec", "storage", "type"); storage != "etcd" && storage != "" {
		return nil
	}
	ref := Ref{derived.GetNamespace(), derived.GetName()}
	if err := s.ensureEtcdCertificates(ctx, ref, derived); err != nil {
		return err
	}
	addCertificateRef(derived, "apiserver-etcd-client")
	return s.ensureVolumes(ctx, derived)
}

// runPods takes the pods one step further: none, one that starts, all that are ready; then the kubeconfig; and later
// whatever the spec asks for.
func (s *StandIn) runPods(ctx context.Context, derived, after *unstructured.Unstructured) (time.Duration, error) {
	ref := Ref{derived.GetNamespace(), derived.GetName()}
	w := s.restore(ref, derived)
	if !w.created {
		return s.startPods(ctx, derived, after)
	}
	seen, err := s.countedByOwner(ctx, derived, w)
	if err != nil {
		return 0, err
	}
	broken := s.modes.of(ref).failure
	if w.pods != w.ready && broken == "" {
		st := readyPods
		if w.ready > 0 {
			st = scalePods
		}
		if !seen.pods {
			return 0, nil
		}
		if wait := s.pause(ref, st); wait > 0 {
			return wait, nil
		}
		wanted, version := number(derived.Object, "spec", "replicas"), text(derived.Object, "spec", "version")
		w = s.workloads.change(ref, func(w *workload) {
			w.pods, w.ready = wanted, wanted
			if w.version == "" {
				w.version = version
			}
		})
		s.logf("%s: %d pods ready", ref, w.ready)
		s.wakeOwners(derived)
	}

	observed := observation{service: true, pods: &podCount{total: w.pods, ready: s.answering(ref, w)}}
	if broken != "" {
		put(after.Object, "Failed reconciling statefulset, "+broken, "status", "deprecated", "v1beta1", "reconciliationStatus")
	}
	var wait time.Duration
	if observed.pods.ready > 0 && seen.version {
		wait, err = s.reconcileKubeconfig(ctx, after, &observed)
		if err != nil {
			return 0, err
		}
	}
	derivedStatus(after, observed)
	if err := s.patch(ctx, derivedCluster, derived, after); err != nil {
		return 0, err
	}
	if !reflect.DeepEqual(derived.Object, after.Object) {
		// The change brings us back, and then the pods follow the spec.
		return wait, nil
	}
	return max(wait, s.followSpec(ref, derived, w)), nil
}

// startPods makes the StatefulSet: one pod exists then, and is not ready. The hosted API server is started meanwhile.
func (s *StandIn) startPods(ctx context.Context, derived, after *unstructured.Unstructured) (time.Duration, error) {
	ref := Ref{derived.GetNamespace(), derived.GetName()}
	if wait := s.pause(ref, startPods); wait > 0 {
		return wait, nil
	}
	ca, err := s.clusterCA(ctx, ref)
	if err != nil {
		return 0, err
	}
	if s.modes.of(ref).failure == "" {
		s.fleet.launch(ctx, ref, ca)
	}
	derivedStatus(after, observation{service: true})
	put(after.Object, selector(derived), "status", "selector")
	if err := s.patch(ctx, derivedCluster, derived, after); err != nil {
		return 0, err
	}
	s.workloads.change(ref, func(w *workload) { w.created, w.pods = true, 1 })
	s.logf("%s: the first pod starts", ref)
	s.wakeOwners(derived)
	return 0, nil
}

// followSpec replaces or scales the pods, once everything else is as the spec says.
func (s *StandIn) followSpec(ref Ref, derived *unstructured.Unstructured, w workload) time.Duration {
	wanted, version := number(derived.Object, "spec", "replicas"), text(derived.Object, "spec", "version")
	if w.ready == 0 || w.pods != w.ready {
		return 0
	}
	if version != w.version {
		if wait := s.pause(ref, replacePods); wait > 0 {
			return wait
		}
		s.workloads.change(ref, func(w *workload) { w.version = version })
		s.logf("%s: runs %s", ref, version)
		s.wakeOwners(derived)
		return 0
	}
	switch {
	case wanted > w.pods:
		s.workloads.change(ref, func(w *workload) { w.pods++ })
	case wanted < w.pods:
		if wait := s.pause(ref, scalePods); wait > 0 {
			return wait
		}
		s.workloads.change(ref, func(w *workload) { w.pods, w.ready = wanted, wanted })
	default:
		return 0
	}
	s.wake(ref)
	s.wakeOwners(derived)
	return 0
}

// reconcileKubeconfig issues the kubeconfig Secret as soon as the hosted cluster runs, and keeps it leading there.
func (s *StandIn) reconcileKubeconfig(ctx context.Context, derived *unstructured.Unstructured, observed *observation) (time.Duration, error) {
	ref := Ref{derived.GetNamespace(), derived.GetName()}
	if !s.workloads.of(ref).issued {
		if wait := s.pause(ref, issueKubeconfig); wait > 0 {
			return wait, nil
		}
	}
	ca, err := s.clusterCA(ctx, ref)
	if err != nil {
		return 0, err
	}
	s.fleet.launch(ctx, ref, ca)
	if failure := s.fleet.failure(ref); failure != "" {
		put(derived.Object, "Failed reconciling secret, "+failure, "status", "deprecated", "v1beta1", "reconciliationStatus")
		return relaunchAfter, nil
	}
	hosted := s.fleet.running(ref)
	if hosted == nil {
		return 0, nil
	}
	if err := s.writeKubeconfig(ctx, derived, hosted); err != nil {
		return 0, err
	}
	if !s.workloads.of(ref).issued {
		s.workloads.change(ref, func(w *workload) { w.issued = true })
		s.logf("%s: kubeconfig issued, %s", ref, hosted.Server)
	}
	observed.kubeconfig = true
	put(derived.Object, "Reconciliation successful", "status", "deprecated", "v1beta1", "reconciliationStatus")
	return 0, nil
}
