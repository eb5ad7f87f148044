package standin

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	clusterIDAnnotation = "k0sproject.io/cluster-id"

	// noConnection is how the operator's client cache words that there is no connection yet, or no more.
	noConnection = "error getting client: connection to the workload cluster is down"

	// pingAgain is the pause between two tries to reach a hosted cluster.
	pingAgain = 500 * time.Millisecond
)

// controlPlaneStatus writes what the pods say into the control plane's status, and the id of the hosted cluster into
// the Cluster. It reports how long to wait until the next look, and false when nothing can be said now: while pods
// are being replaced, their version cannot be read.
func (s *StandIn) controlPlaneStatus(ctx context.Context, kcp, derived, cluster *unstructured.Unstructured) (time.Duration, bool) {
	name := Ref{derived.GetNamespace(), derived.GetName()}
	w := s.workloads.of(name)
	if w.version != "" && w.version != text(derived.Object, "spec", "version") {
		return 0, false
	}
	answering := s.answering(name, w)
	if answering > 0 && text(kcp.Object, "status", "version") == "" {
		if wait := s.pause(name, readVersion); wait > 0 {
			return wait, false
		}
	}
	put(kcp.Object, w.pods, "status", "replicas")
	put(kcp.Object, answering, "status", "readyReplicas")
	put(kcp.Object, answering, "status", "availableReplicas")
	put(kcp.Object, answering, "status", "upToDateReplicas")
	if answering > 0 {
		put(kcp.Object, reportedVersion(w.version, text(kcp.Object, "spec", "version")), "status", "version")
	}
	return s.availability(ctx, kcp, derived, cluster), true
}

// availability says whether the operator reaches the hosted cluster. That comes last of all: the counters, the version
// and the kubeconfig are there long before.
func (s *StandIn) availability(ctx context.Context, kcp, derived, cluster *unstructured.Unstructured) time.Duration {
	name := Ref{derived.GetNamespace(), derived.GetName()}
	mode := s.modes.of(name)
	unavailable := condition{"Available", "False", "ClusterClientCreationFailed", noConnection}
	if mode.failure != "" {
		unavailable.message = mode.failure
	}
	if mode.failure != "" || mode.neverReady {
		setCondition(kcp, unavailable)
		return 0
	}
	if !isTrue(kcp, "Available") {
		var wait time.Duration
		ready := isTrue(derived, "ControlPlaneFunctional") && settled(derived)
		if ready {
			wait = s.pause(name, reachCluster)
		}
		if !ready || wait > 0 {
			setCondition(kcp, unavailable)
			return wait
		}
	}
	if s.fleet.running(name) == nil {
		// Its launch wakes us.
		setCondition(kcp, unavailable)
		return 0
	}
	uid, err := s.ping(ctx, name)
	if err != nil {
		s.logf("%s does not answer: %v", name, err)
		setCondition(kcp, unavailable)
		return pingAgain
	}
	setCondition(kcp, condition{"Available", "True", "Available", ""})
	put(kcp.Object, true, "status", "initialization", "controlPlaneInitialized")
	annotations := cluster.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[clusterIDAnnotation] = "kube-system:" + uid
	cluster.SetAnnotations(annotations)
	return 0
}

// settled reports whether the derived Cluster has said all that it says after its kubeconfig was made.
func settled(derived *unstructured.Unstructured) bool {
	list, _ := lookup[[]any](derived.Object, "status", "conditions")
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok && number(m, "observedGeneration") != derived.GetGeneration() {
			return false
		}
	}
	_, configured := lookup[map[string]any](derived.Object, "spec", "k0sConfig")
	return !configured || text(derived.Object, "spec", "k0sConfig", "metadata", "name") != ""
}

// answering is the number of pods that answer.
func (s *StandIn) answering(name Ref, w workload) int64 {
	if s.modes.of(name).failure != "" {
		return 0
	}
	return w.answering()
}
