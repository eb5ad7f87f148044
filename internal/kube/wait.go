package kube

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Done judges one state of an object; obj is nil where the object does not exist. why says what is still missing.
type Done = func(obj *unstructured.Unstructured) (ok bool, why string, err error)

// Wait watches one object until done says so, and returns it as it was then. What happens to the connection meanwhile is
// made good for as long as ctx lives. When ctx ends, the error says what was missing last.
func (c *Cluster) Wait(ctx context.Context, key Key, done Done) (*unstructured.Unstructured, error) {
	return c.WaitFrom(ctx, key, nil, done)
}

// WaitFrom is Wait where the caller has just seen the object, which saves asking for it. Nil is not seen.
func (c *Cluster) WaitFrom(ctx context.Context, key Key, seen *unstructured.Unstructured, done Done) (*unstructured.Unstructured, error) {
	if _, err := key.path(); err != nil {
		return nil, c.place(err)
	}
	w := &waiter{cluster: c, key: key, done: done, seen: seen, began: time.Now()}
	for failures := 0; ; {
		step := time.Now()
		finished, err := w.step(ctx)
		var verdict *verdictError
		switch {
		case finished:
			w.remember()
			return w.obj, nil
		case errors.As(err, &verdict):
			return w.obj, verdict.err
		case ctx.Err() != nil:
			return w.obj, w.over(ctx)
		case err == nil && (w.listed || time.Since(step) > time.Second):
			failures, w.listed, w.troubledSince = 0, false, time.Time{}
			continue
		case err != nil && w.hopeless(err):
			return w.obj, err
		}
		w.trouble = err
		if !sleep(ctx, c.pool.timing.pauseAfter(failures)) {
			return w.obj, w.over(ctx)
		}
		failures++
	}
}

// waiter is one wait.
type waiter struct {
	cluster *Cluster
	key     Key
	done    Done
	seen    *unstructured.Unstructured // where to begin; nil = list first
	began   time.Time

	version       string // where the watch goes on; "" = list first
	listed        bool   // the last step was a list
	judged        bool   // done has seen the object at least once
	obj           *unstructured.Unstructured
	why           string // what was missing last
	trouble       error  // what went wrong last
	troubledSince time.Time
}

// verdictError is an error of done itself: the wait is over.
type verdictError struct{ err error }

func (e *verdictError) Error() string { return e.err.Error() }

// step lists the object, unless it was seen, or watches it until the watch ends.
func (w *waiter) step(ctx context.Context) (bool, error) {
	if seen := w.seen; seen != nil {
		w.seen, w.version = nil, seen.GetResourceVersion()
		if finished, err := w.judge(seen); finished || err != nil {
			return finished, err
		}
	}
	if w.version != "" {
		return w.watch(ctx)
	}
	items, version, err := w.cluster.list(ctx, w.key.Kind, w.key.Namespace, listOptions{query: w.selector(), patient: true})
	if err != nil {
		return false, named(w.key.String(), err)
	}
	w.version, w.listed = version, true
	for i := range items {
		if items[i].GetName() == w.key.Name {
			return w.judge(&items[i])
		}
	}
	return w.judge(nil)
}

func (w *waiter) selector() url.Values {
	return url.Values{"fieldSelector": {"metadata.name=" + escapeSelector(w.key.Name)}}
}

func (w *waiter) judge(obj *unstructured.Unstructured) (bool, error) {
	w.obj, w.judged, w.trouble = obj, true, nil
	ok, why, err := w.done(obj)
	w.why = why
	if err != nil {
		return false, &verdictError{err}
	}
	return ok, nil
}

// remember lets batched reads see what the wait saw.
func (w *waiter) remember() {
	b := &w.cluster.memory.Load().batches
	if w.obj == nil {
		b.drop(w.key)
		return
	}
	b.store(w.key, w.obj)
}

// hopeless tells whether waiting on makes no sense after err. API servers that start, and endpoints that move, refuse and
// deny for a while what they grant later, so only what lasts counts, except for what no server has a part in.
func (w *waiter) hopeless(err error) bool {
	e := AsError(err)
	if e.transient || is(err, ReasonHostedNotReady, ReasonTimeout) || expired(err) {
		w.troubledSince = time.Time{}
		return false
	}
	if e.code == 0 && !e.link && e.Reason != ReasonUnauthorized {
		return true
	}
	if w.troubledSince.IsZero() {
		w.troubledSince = time.Now()
	}
	return time.Since(w.troubledSince) > w.cluster.pool.timing.grace
}

// over is the error of a wait that was not finished when ctx ended.
func (w *waiter) over(ctx context.Context) error {
	e := ended(ctx, fmt.Sprintf("after %s of waiting", time.Since(w.began).Round(time.Millisecond)))
	e.Cluster, e.Object = w.cluster.Describe(), w.key.String()
	switch {
	case w.why != "":
		e.Message += ": " + w.why
	case !w.judged:
		e.Message += ": its state was not seen even once"
	case w.obj == nil:
		e.Message += ": the object does not exist"
	}
	if w.trouble != nil && !is(w.trouble, ReasonTimeout, ReasonCancelled) {
		e.Message += ". The last request failed: " + AsError(w.trouble).Message
	}
	return e
}
