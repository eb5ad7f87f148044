package binaries

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/filelock"
)

// progressEvery is often enough that nobody takes a build for a hang.
const progressEvery = 10 * time.Second

// find returns the program from the cache, which it builds into first if it must.
func (r recipe) find(ctx context.Context, cache string, progress io.Writer) (string, error) {
	key, err := r.key()
	if err != nil {
		return "", err
	}
	program := filepath.Join(cache, key, r.name)
	if there, err := exists(program); there || err != nil {
		return program, err
	}
	if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
		return "", err
	}
	// One lock for all programs: two builds at once would only take each other's processors.
	release, err := filelock.Acquire(ctx, filepath.Join(cache, "build.lock"), func(since time.Duration) {
		fmt.Fprintf(progress, "Waiting for another process that builds the embedded cluster, %s so far.\n", since)
	})
	if err != nil {
		return "", err
	}
	defer release()
	if there, err := exists(program); there || err != nil {
		return program, err
	}
	return program, r.build(ctx, program, progress)
}

// build runs `go build` and moves the result into place in one step, so that a half-written program is never found.
func (r recipe) build(ctx context.Context, program string, progress io.Writer) error {
	work, err := os.MkdirTemp(filepath.Dir(program), "build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work) //nolint:errcheck // a left-over folder does no harm
	out := filepath.Join(work, r.name)
	args := []string{"build", "-trimpath", "-buildvcs=false", "-ldflags", strings.Join(append([]string{"-s", "-w"}, r.ldflags...), " "), "-o", out}
	if r.mainGo != "" {
		overlay, err := r.overlay(ctx, work)
		if err != nil {
			return err
		}
		args = append(args, overlay...)
	}

	start := time.Now()
	fmt.Fprintf(progress, "Building %s %s from its Go module. The first build of everything takes about 12 minutes on 2 cores, later starts find it in the cache.\n", r.name, r.version)
	done := make(chan error, 1)
	go func() {
		_, err := goCommand(ctx, r.module, append(args, r.target)...)
		done <- err
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("build %s: %w", r.name, err)
			}
			fmt.Fprintf(progress, "Built %s in %s.\n", r.name, elapsed(start))
			return os.Rename(out, program)
		case <-tick.C:
			fmt.Fprintf(progress, "  still building %s, %s so far\n", r.name, elapsed(start))
		}
	}
}

// overlay returns the arguments that make the Go command compile mainGo in place of the target's own main.go. It never
// replaces files of the module cache, so the module is reached through a link outside of it.
func (r recipe) overlay(ctx context.Context, work string) ([]string, error) {
	link := filepath.Join(work, "source")
	if err := os.Symlink(r.source, link); err != nil {
		return nil, err
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(r.module, name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(work, name), data, 0o600); err != nil {
			return nil, err
		}
	}
	mod, dependency := filepath.Join(work, "go.mod"), cmp.Or(r.within, r.target)
	if _, err := goCommand(ctx, work, "mod", "edit", "-replace", dependency+"="+link, mod); err != nil {
		return nil, err
	}
	original := filepath.Join(link, filepath.FromSlash(strings.TrimPrefix(r.target, dependency)), "main.go")
	patched, list := filepath.Join(work, "main.go"), filepath.Join(work, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{original: patched}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(patched, []byte(r.mainGo), 0o600); err != nil {
		return nil, err
	}
	return []string{"-modfile", mod, "-overlay", list}, os.WriteFile(list, data, 0o600)
}

// goCommand runs the Go command in a build module. Of the user's Go settings, those that would change what a module
// says (workspace, vendoring, extra flags) do not count.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "PWD="+dir)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return "", fmt.Errorf("go %s in %s: %w\n%s", args[0], dir, err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimSpace(stdout.String()), nil
}

func exists(path string) (bool, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode().IsRegular(), err
}

func elapsed(start time.Time) time.Duration { return time.Since(start).Round(time.Second) }
