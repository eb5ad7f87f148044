package filelock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestOneHolderAtATime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Acquire(t.Context(), path, func(time.Duration) { t.Error("waited for nobody") })
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{})
	got := make(chan error)
	go func() {
		releaseSecond, err := Acquire(t.Context(), path, func(time.Duration) { close(asked) })
		if err == nil {
			releaseSecond()
		}
		got <- err
	}()
	<-asked
	select {
	case err := <-got:
		t.Fatalf("got the lock beside its holder: %v", err)
	default:
	}
	// The holder may remove the file: the next one then locks the new file, not the one that is gone.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	release()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	release, err := Acquire(t.Context(), path, func(time.Duration) {})
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Acquire(ctx, path, func(time.Duration) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}
