package standin

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// mode is what a test asks of one cluster.
type mode struct {
	slow       time.Duration
	failure    string
	neverReady bool
}

type modes struct {
	lock  sync.Mutex
	byRef map[Ref]mode
}

func newModes() *modes { return &modes{byRef: map[Ref]mode{}} }

func (m *modes) of(ref Ref) mode {
	m.lock.Lock()
	defer m.lock.Unlock()
	return m.byRef[ref]
}

func (s *StandIn) setMode(namespace, name string, change func(*mode)) {
	ref := Ref{namespace, name}
	s.modes.lock.Lock()
	m := s.modes.byRef[ref]
	change(&m)
	s.modes.byRef[ref] = m
	s.modes.lock.Unlock()
	s.wake(ref)
}

// wake has both controllers of a cluster look at it again. The control plane is taken to be named as its cluster is.
func (s *StandIn) wake(ref Ref) {
	s.enqueue(derivedCluster, ref)
	s.enqueue(controlPlane, ref)
}

// Slow makes every step of a cluster wait that long, on top of the time scale; 0 ends it.
func (s *StandIn) Slow(namespace, name string, perStep time.Duration) {
	s.setMode(namespace, name, func(m *mode) { m.slow = perStep })
}

// Fail keeps a cluster's control plane from coming up (or takes it down): its pods are never ready, and the condition
// Available carries the message. An empty message heals it.
func (s *StandIn) Fail(namespace, name, message string) {
	s.setMode(namespace, name, func(m *mode) { m.failure = message })
}

// NeverReady lets everything of a cluster come up but its availability: counters, version and kubeconfig Secret are
// there, Available stays False, as with an API server that the operator cannot reach.
func (s *StandIn) NeverReady(namespace, name string, on bool) {
	s.setMode(namespace, name, func(m *mode) { m.neverReady = on })
}

// WebhookFailing makes the admission webhook answer the next n requests with HTTP 500.
func (s *StandIn) WebhookFailing(n int) {
	if s.admission != nil {
		s.admission.failing.Store(int64(n))
	}
}

// StopHosted ends the hosted API server of a cluster, as if its pods were gone; Rebuild starts one again.
func (s *StandIn) StopHosted(namespace, name string) error {
	ref := Ref{namespace, name}
	err := s.fleet.stop(ref)
	s.workloads.change(ref, func(w *workload) { w.down = true })
	s.wake(ref)
	return err
}

// Rebuild replaces the hosted cluster by an empty one: another kube-system UID behind the same name. It returns when
// the kubeconfig Secret leads to the new one.
func (s *StandIn) Rebuild(ctx context.Context, namespace, name string) error {
	ref := Ref{namespace, name}
	ca, err := s.clusterCA(ctx, ref)
	if err != nil {
		return fmt.Errorf("rebuild of %s: %w", ref, err)
	}
	hosted, err := s.fleet.replace(ctx, ref, ca)
	if err != nil {
		return fmt.Errorf("rebuild of %s: %w", ref, err)
	}
	derived, err := s.get(ctx, derivedCluster, ref)
	if err != nil {
		return fmt.Errorf("rebuild of %s: %w", ref, err)
	}
	if err := s.writeKubeconfig(ctx, derived, hosted); err != nil {
		return fmt.Errorf("rebuild of %s: %w", ref, err)
	}
	s.workloads.change(ref, func(w *workload) { w.down = false })
	s.wake(ref)
	return nil
}
