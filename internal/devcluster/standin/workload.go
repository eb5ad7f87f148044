package standin

import (
	"sync"
	"time"
)

// workload is what stands for the pods of one control plane: how many there are and what they run. The controllers
// look at it as the real ones look at StatefulSets and pods.
type workload struct {
	// created says that there is a StatefulSet.
	created bool
	// pods are all of them, ready those that answer, version what these run.
	pods, ready int64
	version     string
	// down says that what was ready does not answer now.
	down bool
	// issued says that a kubeconfig was written once.
	issued bool
	// waiting are the steps that have begun to wait, and since when.
	waiting map[step]time.Time
}

// answering is the number of pods that are ready and not down.
func (w workload) answering() int64 {
	if w.down {
		return 0
	}
	return w.ready
}

type workloads struct {
	lock  sync.Mutex
	byRef map[Ref]*workload
}

func newWorkloads() *workloads { return &workloads{byRef: map[Ref]*workload{}} }

func (w *workloads) of(ref Ref) workload {
	w.lock.Lock()
	defer w.lock.Unlock()
	if found := w.byRef[ref]; found != nil {
		return *found
	}
	return workload{}
}

func (w *workloads) change(ref Ref, f func(*workload)) workload {
	w.lock.Lock()
	defer w.lock.Unlock()
	found := w.byRef[ref]
	if found == nil {
		found = &workload{waiting: map[step]time.Time{}}
		w.byRef[ref] = found
	}
	f(found)
	return *found
}

func (w *workloads) forget(ref Ref) {
	w.lock.Lock()
	defer w.lock.Unlock()
	delete(w.byRef, ref)
}

// step is something that takes the real operator time.
type step string

const (
	makeCertificates step = "make certificates"
	startPods        step = "start pods"
	readyPods        step = "wait for pods"
	readVersion      step = "read the version"
	issueKubeconfig  step = "issue the kubeconfig"
	reachCluster     step = "reach the hosted cluster"
	replacePods      step = "replace pods"
	scalePods        step = "scale pods"
	removePods       step = "remove pods"
	bootstrapHost    step = "bootstrap a host"
	cleanUpHost      step = "clean up a host"
)

// recorded is how long the steps took when they were recorded.
var recorded = map[step]time.Duration{
	makeCertificates: 300 * time.Millisecond,
	startPods:        500 * time.Millisecond,
	readyPods:        500 * time.Millisecond,
	readVersion:      2300 * time.Millisecond,
	issueKubeconfig:  5 * time.Second,
	reachCluster:     24 * time.Second,
	replacePods:      2 * time.Second,
	scalePods:        2 * time.Second,
	removePods:       100 * time.Millisecond,
	bootstrapHost:    30 * time.Second,
	cleanUpHost:      8 * time.Second,
}

// pause is how long is still to be waited before a step of a cluster may be done: 0 is now, and then the step is over
// and would wait anew the next time.
func (s *StandIn) pause(ref Ref, st step) time.Duration {
	whole := time.Duration(s.options.TimeScale*float64(recorded[st])) + s.modes.of(ref).slow
	if whole <= 0 {
		return 0
	}
	var left time.Duration
	s.workloads.change(ref, func(w *workload) {
		begun, ok := w.waiting[st]
		if !ok {
			begun = time.Now()
			w.waiting[st] = begun
		}
		if left = whole - time.Since(begun); left <= 0 {
			left = 0
			delete(w.waiting, st)
		}
	})
	return left
}
