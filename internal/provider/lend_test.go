package provider

import (
	"context"
	"errors"
	"testing"
	"time"
)

type keyOfTest struct{}

func TestLentContextIsItsOwnerUntilItIsTakenBack(t *testing.T) {
	owner, cancel := context.WithTimeout(context.WithValue(t.Context(), keyOfTest{}, "value"), time.Hour)
	defer cancel()
	ctx, end := lend(owner)
	deadline, ok := ctx.Deadline()
	if want, _ := owner.Deadline(); !ok || !deadline.Equal(want) || ctx.Value(keyOfTest{}) != "value" || ctx.Err() != nil {
		t.Errorf("deadline %v, value %v, error %v; want the owner's", deadline, ctx.Value(keyOfTest{}), ctx.Err())
	}
	end()
	if _, ok := ctx.Deadline(); ok || ctx.Value(keyOfTest{}) != nil || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("the context still has something of its owner: value %v, error %v", ctx.Value(keyOfTest{}), ctx.Err())
	}
}

func TestCancellingTheOwnerReachesWhatWasMadeOfALentContext(t *testing.T) {
	owner, cancel := context.WithCancel(t.Context())
	ctx, end := lend(owner)
	defer end()
	made, cancelMade := context.WithCancel(ctx)
	defer cancelMade()
	cancel()
	select {
	case <-made.Done():
	case <-time.After(10 * time.Second):
		t.Fatal("the cancellation did not arrive")
	}
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("the error is %v, want the owner's", ctx.Err())
	}
}
