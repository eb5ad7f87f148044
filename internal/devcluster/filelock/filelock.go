// Package filelock keeps two processes of a user from doing the same thing at once.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Acquire waits until no other process holds the lock. It calls waiting, now and then, while it does. The lock ends
// with release, or with the process, however that ends. Whoever holds the lock may remove the file.
func Acquire(ctx context.Context, path string, waiting func(since time.Duration)) (release func(), err error) {
	start, called := time.Now(), time.Time{}
	for {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			return nil, err
		}
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil && same(file, path) {
			return func() { _ = file.Close() }, nil
		}
		_ = file.Close()
		if err == nil {
			continue // the file was removed by who held the lock
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if time.Since(called) >= 10*time.Second {
			called = time.Now()
			waiting(time.Since(start).Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for %s: %w", path, ctx.Err())
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// same reports whether the path still leads to the open file.
func same(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
