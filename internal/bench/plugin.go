package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// pluginName is what the command line looks for in a folder of providers. This program, started under that name, runs the
// real provider and writes down what it used.
const pluginName = "terraform-provider-k0smos"

// Where the recording plugin finds the provider, and where it writes.
const (
	providerVariable = "K0SMOS_BENCH_PROVIDER"
	recordVariable   = "K0SMOS_BENCH_RECORD"
)

// usage is what a process used.
type usage struct {
	CPU  time.Duration `json:"cpu"` // user and system
	Peak int64         `json:"peak"`
	Self time.Duration `json:"self,omitempty"` // CPU of the recording itself, which is nobody's
}

// recordPlugin runs the provider with our standard streams, so that the command line talks with it directly.
func recordPlugin() int {
	signal.Ignore(os.Interrupt) // as the provider does: the command line ends it
	runtime.LockOSThread()      // the provider is to end with the thread that starts it
	cmd := exec.Command(os.Getenv(providerVariable), os.Args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = endWithParent()
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		fmt.Fprintln(os.Stderr, "run the provider:", err)
		return 1
	}
	used := usageOf(cmd.ProcessState)
	var self syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &self); err == nil {
		used.Self = time.Duration(self.Utime.Nano() + self.Stime.Nano())
	}
	if err := appendRecord(os.Getenv(recordVariable), used); err != nil {
		fmt.Fprintln(os.Stderr, "record the provider:", err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

func usageOf(state *os.ProcessState) usage {
	used := usage{CPU: state.UserTime() + state.SystemTime()}
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		used.Peak = r.Maxrss
		if runtime.GOOS != "darwin" { // which counts bytes
			used.Peak *= 1024
		}
	}
	return used
}

func appendRecord(file string, used usage) error {
	line, err := json.Marshal(used)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// takeRecords reads and removes what plugins wrote.
func takeRecords(file string) ([]usage, error) {
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []usage
	for line := range strings.Lines(string(raw)) {
		var used usage
		if err := json.Unmarshal([]byte(line), &used); err != nil {
			return nil, err
		}
		all = append(all, used)
	}
	return all, os.Remove(file)
}
