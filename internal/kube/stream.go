package kube

import (
	"context"
	"errors"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// stream shows what a selector selects, and then every change of it: a list, and watches from there on. What happens to the
// connection meanwhile is made good for as long as ctx lives.
type stream struct {
	cluster  *Cluster
	key      Key        // kind and namespace; the name where it is about one object
	object   string     // what messages call it
	selector url.Values // as lists and watches take it
	optional bool       // a kind that is not served is a kind without objects, until it is
	to       viewer

	version       string // where the watch goes on; "" = list first
	listed        bool   // the last step was a list
	trouble       error  // what went wrong last
	troubledSince time.Time
}

// viewer is told what a stream shows. It ends the stream by saying that it is finished, or by an error.
type viewer interface {
	listed(items []unstructured.Unstructured) (finished bool, err error)
	changed(obj *unstructured.Unstructured, deleted bool) (finished bool, err error)
}

// verdictError is an error of the viewer: it has seen enough.
type verdictError struct{ err error }

func (e *verdictError) Error() string { return e.err.Error() }

// errOver says that ctx ended first.
var errOver = errors.New("the context ended")

// run shows until the viewer is finished. The error is the viewer's own, errOver, or something that lasts.
func (s *stream) run(ctx context.Context) error {
	for failures := 0; ; {
		began := time.Now()
		finished, err := s.step(ctx)
		var verdict *verdictError
		switch {
		case finished:
			return nil
		case errors.As(err, &verdict):
			return verdict.err
		case ctx.Err() != nil:
			return errOver
		case err == nil && (s.listed || time.Since(began) > time.Second):
			failures, s.listed, s.troubledSince = 0, false, time.Time{}
			continue
		case err != nil && s.hopeless(err):
			return err
		}
		s.trouble = err
		if !sleep(ctx, s.cluster.pool.timing.pauseAfter(failures)) {
			return errOver
		}
		failures++
	}
}

// step lists, or watches until the watch ends.
func (s *stream) step(ctx context.Context) (bool, error) {
	if s.key.Kind.Resource == "" {
		kind, err := s.cluster.Lookup(ctx, s.key.Kind.APIVersion(), s.key.Kind.Kind)
		if err != nil {
			return s.without(err)
		}
		s.key.Kind = kind
	}
	if s.version != "" {
		return s.watch(ctx)
	}
	items, version, err := s.cluster.list(ctx, s.key.Kind, s.key.Namespace, listOptions{query: s.selector, patient: true})
	if err != nil {
		return s.without(named(s.object, err))
	}
	s.version, s.listed = version, true
	return s.told(s.to.listed(items))
}

// without goes on without a list.
func (s *stream) without(err error) (bool, error) {
	if s.optional && is(err, ReasonNoKind) {
		if finished, verdict := s.told(s.to.listed(nil)); finished || verdict != nil {
			return finished, verdict
		}
	}
	return false, err
}

func (s *stream) told(finished bool, err error) (bool, error) {
	s.trouble = nil
	if err != nil {
		return false, &verdictError{err}
	}
	return finished, nil
}

// hopeless tells whether going on makes no sense after err. API servers that start, and endpoints that move, refuse and deny
// for a while what they grant later, so only what lasts counts, except for what no server has a part in.
func (s *stream) hopeless(err error) bool {
	e := AsError(err)
	if e.transient || is(err, ReasonHostedNotReady, ReasonTimeout) || expired(err) || s.optional && is(err, ReasonNoKind) {
		s.troubledSince = time.Time{}
		return false
	}
	if e.code == 0 && !e.link && e.Reason != ReasonUnauthorized {
		return true
	}
	if s.troubledSince.IsZero() {
		s.troubledSince = time.Now()
	}
	return time.Since(s.troubledSince) > s.cluster.pool.timing.grace
}

// failing is what was in the way when a stream was over, as the end of a message.
func (s *stream) failing() string {
	if s.trouble == nil || is(s.trouble, ReasonTimeout, ReasonCancelled) {
		return ""
	}
	return ". The last request failed: " + AsError(s.trouble).Message
}
