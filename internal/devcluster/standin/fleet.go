package standin

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

// relaunchAfter is how long a launch that failed is left alone.
const relaunchAfter = 2 * time.Second

// fleet owns the hosted clusters.
type fleet struct {
	launcher HostedLauncher
	logf     func(format string, args ...any)
	changed  func(Ref)

	lock     sync.Mutex
	byRef    map[Ref]*berth
	launches sync.WaitGroup
}

// berth is the place of one hosted cluster: being launched, running, or failed to launch.
type berth struct {
	cancel context.CancelFunc
	done   chan struct{}
	// These are set before done is closed.
	hosted *Hosted
	err    error
	ended  time.Time
}

func newFleet(launch HostedLauncher, logf func(string, ...any), changed func(Ref)) *fleet {
	return &fleet{launcher: launch, logf: logf, changed: changed, byRef: map[Ref]*berth{}}
}

// running returns the hosted cluster of ref if it runs.
func (f *fleet) running(ref Ref) *Hosted {
	f.lock.Lock()
	defer f.lock.Unlock()
	if b := f.byRef[ref]; b != nil && b.over() {
		return b.hosted
	}
	return nil
}

// launch has the cluster launched, unless it runs or is about to, and tells by changed when that is over.
func (f *fleet) launch(ctx context.Context, ref Ref, ca pki.Pair) {
	f.lock.Lock()
	defer f.lock.Unlock()
	b := f.byRef[ref]
	if b == nil || b.over() && b.err != nil && time.Since(b.ended) >= relaunchAfter {
		f.begin(ctx, ref, ca)
	}
}

// failure says why the last launch of ref failed; "" if none did.
func (f *fleet) failure(ref Ref) string {
	f.lock.Lock()
	defer f.lock.Unlock()
	if b := f.byRef[ref]; b != nil && b.over() && b.err != nil {
		return b.err.Error()
	}
	return ""
}

// replace launches a cluster in place of the one that may run, and waits.
func (f *fleet) replace(ctx context.Context, ref Ref, ca pki.Pair) (*Hosted, error) {
	f.lock.Lock()
	old := f.byRef[ref]
	b := f.begin(ctx, ref, ca)
	f.lock.Unlock()
	if old != nil {
		if err := old.stop(); err != nil {
			return nil, err
		}
	}
	select {
	case <-b.done:
		return b.hosted, b.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin is called with the lock held.
func (f *fleet) begin(ctx context.Context, ref Ref, ca pki.Pair) *berth {
	ctx, cancel := context.WithCancel(ctx)
	b := &berth{cancel: cancel, done: make(chan struct{})}
	f.byRef[ref] = b
	f.launches.Go(func() {
		b.hosted, b.err = f.launcher(ctx, ref, ca)
		b.ended = time.Now()
		close(b.done)
		if b.err != nil {
			f.logf("launch of %s: %v", ref, b.err)
		}
		f.changed(ref)
	})
	return b
}

// stop ends the hosted cluster of ref, also one that is being launched.
func (f *fleet) stop(ref Ref) error {
	f.lock.Lock()
	b := f.byRef[ref]
	delete(f.byRef, ref)
	f.lock.Unlock()
	if b == nil {
		return nil
	}
	return b.stop()
}

func (f *fleet) stopAll() error {
	f.lock.Lock()
	all := f.byRef
	f.byRef = map[Ref]*berth{}
	f.lock.Unlock()
	var errs []error
	for _, b := range all {
		errs = append(errs, b.stop())
	}
	f.launches.Wait()
	return errors.Join(errs...)
}

func (b *berth) over() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// stop waits for a launch to see its context end, so that none is left behind.
func (b *berth) stop() error {
	b.cancel()
	<-b.done
	if b.hosted == nil {
		return nil
	}
	return b.hosted.Stop()
}
