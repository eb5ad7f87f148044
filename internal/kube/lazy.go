package kube

import (
	"context"
	"sync/atomic"
)

// gate is a lock that can be waited for with a context.
type gate chan struct{}

func newGate() gate { return make(gate, 1) }

func (g gate) lock(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ended(ctx, "waiting for another request to finish")
	}
}

func (g gate) unlock() { <-g }

// lazy is a value that is fetched by who first needs it, while the others wait. Failures are not remembered.
type lazy[T any] struct {
	gate  gate
	value atomic.Pointer[T]
}

func newLazy[T any]() *lazy[T] { return &lazy[T]{gate: newGate()} }

func (l *lazy[T]) get(ctx context.Context, fetch func(context.Context) (T, error)) (T, error) {
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	var zero T
	if err := l.gate.lock(ctx); err != nil {
		return zero, err
	}
	defer l.gate.unlock()
	if v := l.value.Load(); v != nil {
		return *v, nil
	}
	v, err := fetch(ctx)
	if err != nil {
		return zero, err
	}
	l.value.Store(&v)
	return v, nil
}
