// Command profiled is the provider with a CPU and heap profile of each of its processes, to see where time and memory go:
//
//	go build -o bin/profiled ./internal/bench/profiled
//	K0SMOS_BENCH_PROFILES=/some/folder go run ./internal/bench -provider bin/profiled -sizes 1000
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"strconv"

	"github.com/k0smos/terraform-provider-k0smos/internal/provider"
)

func main() {
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve() error {
	finish, err := profile(os.Getenv("K0SMOS_BENCH_PROFILES"))
	if err != nil {
		return err
	}
	err = provider.Serve("profiled", false)
	return errors.Join(err, finish())
}

// profile begins a CPU profile. What it returns ends it, and writes what was allocated.
func profile(folder string) (finish func() error, err error) {
	if folder == "" {
		return func() error { return nil }, nil
	}
	file := func(kind string) (*os.File, error) {
		return os.Create(filepath.Join(folder, strconv.Itoa(os.Getpid())+"."+kind))
	}
	cpu, err := file("cpu")
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return nil, errors.Join(err, cpu.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		heap, err := file("heap")
		if err != nil {
			return err
		}
		runtime.GC()
		return errors.Join(pprof.Lookup("allocs").WriteTo(heap, 0), heap.Close(), cpu.Close())
	}, nil
}
