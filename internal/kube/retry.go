package kube

import (
	"math/rand/v2"
	"time"
)

// failure is an attempt that failed, and what may be done about it.
type failure struct {
	err       *Error
	transient bool          // may work a little later
	link      bool          // no answer of an API server came at all
	untouched bool          // the server certainly did nothing
	after     time.Duration // the server asks to wait that long
}

// mayHaveMoved tells whether the cause may be an endpoint or credentials that are no longer the right ones.
func (f *failure) mayHaveMoved() bool {
	return f.link || f.err.Reason == ReasonUnauthorized
}

// repeatable tells whether sending r again can do no harm.
func (f *failure) repeatable(r request) bool { return !r.once || f.untouched }

// retry says whether to send r again after f, and the pause before that.
func (t timing) retry(f *failure, r request, attempt int, spent time.Duration) (time.Duration, bool) {
	if !f.transient || !f.repeatable(r) {
		return 0, false
	}
	pause, budget := t.pauseAfter(attempt), t.budget
	if f.after > 0 {
		// A crowd that was told the same second should not come back in the same millisecond.
		pause, budget = f.after+rand.N(f.after/8+1), t.throttled
	}
	return pause, spent+pause <= budget
}

// pauseAfter grows with the failures so far, with enough chance in it that many callers do not come back together.
func (t timing) pauseAfter(failures int) time.Duration {
	pause := t.pause
	if failures < 16 {
		pause = min(t.backoff<<failures, t.pause)
	}
	return pause/2 + rand.N(pause/2+1)
}
