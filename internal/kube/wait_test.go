package kube

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ready waits for status.ready.
func ready(obj *unstr) (bool, string, error) {
	if obj == nil {
		return false, "it is not there", nil
	}
	if mustMap(obj.Object["status"])["ready"] == true {
		return true, "", nil
	}
	return false, "it is not ready", nil
}

func gone(obj *unstr) (bool, string, error) { return obj == nil, "it is still there", nil }

func readyQueue(name string) map[string]any {
	return queue(name, map[string]any{"status": map[string]any{"ready": true}})
}

type waited struct {
	obj *unstr
	err error
}

// waiting starts a wait and returns when it watches.
func waiting(t *testing.T, f *fakeAPI, c *Cluster, done Done) chan waited {
	t.Helper()
	out := make(chan waited, 1)
	go func() {
		obj, err := c.Wait(t.Context(), queueKey("a"), done)
		out <- waited{obj, err}
	}()
	f.watched(t.Context())
	return out
}

func TestWaitSeesWhatHappens(t *testing.T) {
	tests := map[string]struct {
		before  bool // the object is there from the start
		done    Done
		happens func(context.Context, *fakeAPI)
		lists   int
		watches int
	}{
		"the object changes": {true, ready, func(_ context.Context, f *fakeAPI) { f.put(queuePath("a"), readyQueue("a")) }, 1, 1},
		"the object appears": {false, ready, func(_ context.Context, f *fakeAPI) { f.put(queuePath("a"), readyQueue("a")) }, 1, 1},
		"the object goes":    {true, gone, func(_ context.Context, f *fakeAPI) { f.remove(queuePath("a")) }, 1, 1},
		"the object goes and comes back": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.remove(queuePath("a"))
			f.put(queuePath("a"), readyQueue("a"))
		}, 1, 1},
		"the stream ends and is taken up again": {true, ready, func(ctx context.Context, f *fakeAPI) {
			f.end()
			f.watched(ctx)
			f.put(queuePath("a"), readyQueue("a"))
		}, 1, 2},
		"the change comes while no stream is open": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.end()
			f.put(queuePath("a"), readyQueue("a"))
		}, 1, 2},
		"the connection breaks": {true, ready, func(ctx context.Context, f *fakeAPI) {
			f.server.CloseClientConnections()
			f.until(ctx, "the watch is noticed as lost", func() bool { return len(f.watches) == 0 })
			f.watched(ctx)
			f.put(queuePath("a"), readyQueue("a"))
		}, 1, 2},
		"410 Gone inside of the stream": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.send(map[string]any{"type": "ERROR", "object": map[string]any{"kind": "Status", "code": 410, "reason": "Expired", "message": "too old resource version"}})
			f.put(queuePath("a"), readyQueue("a"))
		}, 2, 0},
		"410 Gone in place of a stream": {true, gone, func(_ context.Context, f *fakeAPI) {
			f.first(1, http.MethodGet, refusal(410, "Expired", "too old resource version", nil))
			f.remove(queuePath("b"))
			f.end()
			f.mu.Lock()
			delete(f.objects, queuePath("a"))
			f.mu.Unlock()
		}, 2, 0},
		"the server is in trouble for a while": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.first(30, http.MethodGet, refusal(503, "ServiceUnavailable", "starting", nil))
			f.end()
			f.put(queuePath("a"), readyQueue("a"))
		}, 0, 0},
		"a server that starts forbids for a moment": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.first(2, http.MethodGet, refusal(403, "Forbidden", `User "u" cannot list`, nil))
			f.end()
			f.put(queuePath("a"), readyQueue("a"))
		}, 0, 0},
		"bookmarks change nothing": {true, ready, func(_ context.Context, f *fakeAPI) {
			f.send(map[string]any{"type": "BOOKMARK", "object": map[string]any{"kind": "Queue", "metadata": map[string]any{"resourceVersion": "900"}}})
			f.put(queuePath("a"), readyQueue("a"))
		}, 1, 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			if test.before {
				f.put(queuePath("a"), queue("a", nil))
			}
			p := quickPool(f.source())
			out := waiting(t, f, p.Management(), test.done)
			test.happens(t.Context(), f)
			got := <-out
			if got.err != nil {
				t.Fatal(got.err)
			}
			if ok, _, _ := test.done(got.obj); !ok {
				t.Errorf("returned %v", got.obj)
			}
			sent := p.Requests()
			if test.lists > 0 && sent["LIST"] != test.lists || test.watches > 0 && sent["WATCH"] != test.watches {
				t.Errorf("sent %v, want %d lists and %d watches", sent, test.lists, test.watches)
			}
		})
	}
}

func TestWaitForTheEndOfWhatWasDeletedAsksForNoList(t *testing.T) {
	f := newFakeAPI(t)
	held := queue("a", nil)
	mustMap(held["metadata"])["finalizers"] = []any{"foregroundDeletion"}
	f.put(queuePath("a"), held)
	p := quickPool(f.source())
	c := p.Management()
	left, err := c.Delete(t.Context(), queueKey("a"), "")
	if err != nil || left == nil {
		t.Fatalf("left %v, error %v; want the object that its finalizer holds", left, err)
	}
	ended := make(chan waited, 1)
	go func() {
		obj, err := c.WaitFrom(t.Context(), queueKey("a"), left, gone)
		ended <- waited{obj, err}
	}()
	f.watched(t.Context())
	f.remove(queuePath("a"))
	if got := <-ended; got.err != nil || got.obj != nil {
		t.Errorf("the wait ended with %v, error %v", got.obj, got.err)
	}
	if sent := p.Requests(); sent["LIST"] != 0 || sent["WATCH"] != 1 {
		t.Errorf("sent %v, want one watch and no list", sent)
	}
}

func TestWaitReturnsAtOnceWhenThereIsNothingToWaitFor(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), readyQueue("a"))
	p := quickPool(f.source())
	if _, err := p.Management().Wait(t.Context(), queueKey("a"), ready); err != nil {
		t.Fatal(err)
	}
	if p.Requests()["WATCH"] != 0 {
		t.Error("it watched")
	}
}

func TestWaitForOneNameSeesNoOther(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("ab"), readyQueue("ab"))
	out := waiting(t, f, f.cluster(), ready)
	f.put(queuePath("abc"), readyQueue("abc"))
	f.put(queuePath("a"), readyQueue("a"))
	if got := <-out; got.err != nil || got.obj.GetName() != "a" {
		t.Errorf("%v %v", got.obj, got.err)
	}
}

func TestWaitThatEndsSaysWhatWasMissing(t *testing.T) {
	t.Run("at the deadline", func(t *testing.T) {
		f := newFakeAPI(t)
		f.put(queuePath("a"), queue("a", nil))
		ctx, expire := expiring(t)
		c := f.cluster()
		out := make(chan waited, 1)
		go func() {
			obj, err := c.Wait(ctx, queueKey("a"), ready)
			out <- waited{obj, err}
		}()
		f.watched(t.Context())
		expire()
		got := <-out
		e := errorOf(t, got.err, ReasonTimeout)
		wantText(t, e, "ran out of time", "it is not ready", "Queue.scheduling.run.ai/v2 a", "management cluster")
		if got.obj.GetName() != "a" || !errors.Is(e, context.DeadlineExceeded) {
			t.Errorf("obj %v, err %v", got.obj, e)
		}
	})
	t.Run("before anything was seen", func(t *testing.T) {
		f := newFakeAPI(t)
		ctx, expire := expiring(t)
		expire()
		_, err := f.cluster().Wait(ctx, queueKey("a"), gone)
		wantText(t, errorOf(t, err, ReasonTimeout), "not seen even once")
	})
	t.Run("at a cancellation", func(t *testing.T) {
		f := newFakeAPI(t)
		ctx, cancel := context.WithCancel(t.Context())
		out := make(chan error, 1)
		c := f.cluster()
		go func() {
			_, err := c.Wait(ctx, queueKey("a"), ready)
			out <- err
		}()
		f.watched(t.Context())
		cancel()
		wantText(t, errorOf(t, <-out, ReasonCancelled), "it is not there")
	})
	t.Run("with the trouble that was in the way", func(t *testing.T) {
		f := newFakeAPI(t)
		f.first(1<<30, http.MethodGet, refusal(503, "ServiceUnavailable", "starting", nil))
		ctx, expire := expiring(t)
		out := make(chan error, 1)
		c := hasty(quickPool(f.source())).Management()
		go func() {
			_, err := c.Wait(ctx, queueKey("a"), ready)
			out <- err
		}()
		f.until(t.Context(), "many attempts", func() bool { return len(f.log) > 20 })
		expire()
		wantText(t, errorOf(t, <-out, ReasonTimeout), "starting")
	})
}

func TestWaitGivesUpOnWhatDoesNotPass(t *testing.T) {
	tests := map[string]struct {
		fail   http.HandlerFunc
		reason Reason
	}{
		"RBAC":           {refusal(403, "Forbidden", `queues is forbidden: User "u" cannot watch resource "queues"`, nil), ReasonForbidden},
		"credentials":    {refusal(401, "Unauthorized", "Unauthorized", nil), ReasonUnauthorized},
		"a missing kind": {plain(404, "404 page not found\n"), ReasonNoKind},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(1<<30, http.MethodGet, test.fail)
			_, err := f.cluster().Wait(t.Context(), queueKey("a"), ready)
			wantReason(t, err, test.reason)
		})
	}
	t.Run("nothing configured", func(t *testing.T) {
		bare(t)
		_, err := NewPool(Source{}, Options{}).Management().Wait(t.Context(), queueKey("a"), ready)
		wantReason(t, err, ReasonOffline)
	})
	t.Run("its judge says so", func(t *testing.T) {
		f := newFakeAPI(t)
		broken := errors.New("it failed for good")
		_, err := f.cluster().Wait(t.Context(), queueKey("a"), func(*unstr) (bool, string, error) { return false, "", broken })
		if !errors.Is(err, broken) || strings.Contains(err.Error(), "ran out") {
			t.Error(err)
		}
	})
}

func TestWaitOutlivesAServerThatIsNotThereYet(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), readyQueue("a"))
	f.first(40, http.MethodGet, reset)
	p := quickPool(f.source())
	p.timing.budget, p.timing.outage = time.Millisecond, time.Hour
	if _, err := p.Management().Wait(t.Context(), queueKey("a"), ready); err != nil {
		t.Error(err)
	}
}
