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
	w := &waiter{cluster: c, key: key, done: done, began: time.Now()}
	s := &stream{cluster: c, key: key, object: key.String(), selector: byName(key.Name), to: w}
	if seen != nil {
		s.version = seen.GetResourceVersion()
		finished, err := w.judge(seen)
		if finished {
			w.remember()
		}
		if finished || err != nil {
			return w.obj, err
		}
	}
	err := s.run(ctx)
	switch {
	case err == nil:
		w.remember()
	case errors.Is(err, errOver):
		err = w.over(ctx, s)
	}
	return w.obj, err
}

func byName(name string) url.Values {
	return url.Values{"fieldSelector": {"metadata.name=" + escapeSelector(name)}}
}

// waiter is one wait.
type waiter struct {
	cluster *Cluster
	key     Key
	done    Done
	began   time.Time

	judged bool // done has seen the object at least once
	obj    *unstructured.Unstructured
	why    string // what was missing last
}

func (w *waiter) listed(items []unstructured.Unstructured) (bool, error) {
	for i := range items {
		if items[i].GetName() == w.key.Name {
			return w.judge(&items[i])
		}
	}
	return w.judge(nil)
}

func (w *waiter) changed(obj *unstructured.Unstructured, deleted bool) (bool, error) {
	if deleted {
		obj = nil
	}
	return w.judge(obj)
}

func (w *waiter) judge(obj *unstructured.Unstructured) (bool, error) {
	w.obj, w.judged = obj, true
	ok, why, err := w.done(obj)
	w.why = why
	return ok, err
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

// over is the error of a wait that was not finished when ctx ended.
func (w *waiter) over(ctx context.Context, s *stream) error {
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
	e.Message += s.failing()
	return e
}
