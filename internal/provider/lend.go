package provider

import (
	"context"
	"sync/atomic"
	"time"
)

// lent is a context that can be taken back: whoever keeps it then keeps next to nothing.
type lent struct {
	owner atomic.Pointer[context.Context]
	done  <-chan struct{}
}

// lend returns a context like ctx, and the function that ends it.
func lend(ctx context.Context) (context.Context, func()) {
	l := &lent{done: ctx.Done()}
	l.owner.Store(&ctx)
	return l, func() { l.owner.Store(nil) }
}

// Deadline is the owner's.
func (l *lent) Deadline() (time.Time, bool) {
	if ctx := l.owner.Load(); ctx != nil {
		return (*ctx).Deadline()
	}
	return time.Time{}, false
}

// Done is closed with the owner's.
func (l *lent) Done() <-chan struct{} { return l.done }

// Err is the owner's. A context that was taken back is at its end.
func (l *lent) Err() error {
	if ctx := l.owner.Load(); ctx != nil {
		return (*ctx).Err()
	}
	return context.Canceled
}

// Value is the owner's.
func (l *lent) Value(key any) any {
	if ctx := l.owner.Load(); ctx != nil {
		return (*ctx).Value(key)
	}
	return nil
}
