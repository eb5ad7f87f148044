package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
)

// machine is what one has to know of where the figures come from.
type machine struct {
	cores    int
	memory   int64 // 0 where the system does not say
	load     string
	system   string
	golang   string
	cli      string
	provider string
}

func describeMachine(ctx context.Context, o options) (machine, error) {
	m := machine{cores: runtime.NumCPU(), system: runtime.GOOS + "/" + runtime.GOARCH, golang: runtime.Version()}
	text, err := exec.CommandContext(ctx, o.cli, "version").Output()
	if err != nil {
		return m, fmt.Errorf("%s version: %w", o.cli, err)
	}
	m.cli, _, _ = strings.Cut(string(text), "\n")
	if text, err = exec.CommandContext(ctx, o.provider, "-version").Output(); err == nil {
		m.provider = strings.TrimSpace(string(text))
	}
	if raw, err := os.ReadFile("/proc/meminfo"); err == nil {
		if fields := strings.Fields(string(raw)); len(fields) > 1 && fields[0] == "MemTotal:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64)
			m.memory = kib * 1024
		}
	}
	if raw, err := os.ReadFile("/proc/loadavg"); err == nil {
		m.load, _, _ = strings.Cut(string(raw), " ")
	}
	return m, nil
}
