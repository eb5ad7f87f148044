package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"
)

// starts is how often the provider is started to see how long that takes.
const starts = 15

// startFigures are about one provider process that does nothing yet.
type startFigures struct {
	handshake, firstCall time.Duration // medians, from the start of the process
	fastest              time.Duration // the quickest first call: what it takes when nothing else runs
	idle                 int64         // resident memory after the first call, median
	binary               int64
	schema               int // bytes of the answer
}

// measureStart starts the provider as a command line does and calls what it calls first.
func measureStart(ctx context.Context, provider string) (startFigures, error) {
	info, err := os.Stat(provider)
	if err != nil {
		return startFigures{}, err
	}
	var handshakes, calls []time.Duration
	var idle []int64
	f := startFigures{binary: info.Size()}
	for range starts {
		s, err := startOnce(ctx, provider)
		if err != nil {
			return f, fmt.Errorf("start the provider: %w", err)
		}
		handshakes, calls, idle, f.schema = append(handshakes, s.handshake), append(calls, s.firstCall), append(idle, s.idle), s.schema
	}
	f.handshake, f.firstCall, f.fastest, f.idle = median(handshakes), median(calls), slices.Min(calls), median(idle)
	return f, nil
}

func median[T int64 | time.Duration](of []T) T {
	slices.Sort(of)
	return of[len(of)/2]
}

func startOnce(ctx context.Context, provider string) (f startFigures, err error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, provider)
	cmd.Env = append(os.Environ(), "PLUGIN_PROTOCOL_VERSIONS=6",
		"TF_PLUGIN_MAGIC_COOKIE=d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2")
	cmd.SysProcAttr = endWithParent()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return f, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return f, err
	}
	defer func() {
		if err != nil {
			_ = cmd.Process.Kill()
		}
		if ended := cmd.Wait(); err == nil {
			err = ended
		}
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return f, err
	}
	f.handshake = time.Since(began)
	parts := strings.Split(strings.TrimSpace(line), "|") // core protocol, protocol, network, address, form
	if len(parts) < 5 || parts[1] != "6" {
		return f, fmt.Errorf("unexpected handshake %q", line)
	}
	call := caller(parts[2], parts[3])
	answer, err := call(ctx, "/tfplugin6.Provider/GetProviderSchema")
	if err != nil {
		return f, err
	}
	f.firstCall, f.schema = time.Since(began), len(answer)
	if f.idle, err = resident(ctx, cmd.Process.Pid); err != nil {
		return f, err
	}
	_, _ = call(ctx, "/plugin.GRPCController/Shutdown") // ends without an answer; that it ends is waited for
	return f, nil
}

// caller makes gRPC calls without arguments. HTTP/2 and five bytes are all that this takes.
func caller(network, address string) func(ctx context.Context, method string) ([]byte, error) {
	transport := &http.Transport{Protocols: new(http.Protocols), DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	transport.Protocols.SetUnencryptedHTTP2(true)
	return func(ctx context.Context, method string) ([]byte, error) {
		empty := make([]byte, 5) // not compressed, no bytes
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://provider"+method, bytes.NewReader(empty))
		if err != nil {
			return nil, err
		}
		req.Header.Set("Content-Type", "application/grpc")
		req.Header.Set("Te", "trailers")
		resp, err := transport.RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return nil, err
		}
		status := resp.Trailer.Get("Grpc-Status")
		if status == "" {
			status = resp.Header.Get("Grpc-Status")
		}
		if status != "0" {
			return nil, fmt.Errorf("%s: status %s %s", method, status, resp.Trailer.Get("Grpc-Message"))
		}
		return body, nil
	}
}

// resident is the memory that a process has in use now.
func resident(ctx context.Context, pid int) (int64, error) {
	if raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)); err == nil {
		for line := range strings.Lines(string(raw)) {
			if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
				kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
				return kib * 1024, err
			}
		}
	}
	out, err := exec.CommandContext(ctx, "ps", "-o", "rss=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return 0, err
	}
	kib, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	return kib * 1024, err
}
