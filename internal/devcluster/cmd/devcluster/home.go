package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/filelock"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

// home is the folder of one cluster and what may be done with it. Everything in the folder goes with the cluster.
type home struct {
	dir  string
	crds string
	out  io.Writer
}

// marker tells a folder that we made from one that holds other people's files.
const marker = "README"

const markerText = "The embedded cluster of terraform-provider-k0smos. `make down` removes this folder.\n"

func (h home) path(name string) string   { return filepath.Join(h.dir, name) }
func (h home) kubeconfig() string        { return h.path("kubeconfig") }
func (h home) log() string               { return h.path("supervisor.log") }
func (h home) record() string            { return h.path("supervisor.pid") }
func (h home) say(f string, args ...any) { fmt.Fprintf(h.out, f+"\n", args...) }

// claim makes the folder and locks it. A folder with other things in it is refused, since down would remove them.
func (h home) claim(ctx context.Context) (release func(), err error) {
	entries, err := os.ReadDir(h.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) || (err == nil && len(entries) == 0):
		if err := os.MkdirAll(h.dir, 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(h.path(marker), []byte(markerText), 0o600); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !h.ours():
		return nil, fmt.Errorf("%s holds files that are not of an embedded cluster; name another folder with --dir", h.dir)
	}
	return filelock.Acquire(ctx, h.path("lock"), func(since time.Duration) {
		h.say("Waiting for another devcluster command in %s, %s so far.", h.dir, since)
	})
}

func (h home) ours() bool {
	text, err := os.ReadFile(h.path(marker))
	return err == nil && string(text) == markerText
}

// running returns the supervisor, if it runs. A record without its process is what a crash or a reboot leaves.
func (h home) running() (process.Record, bool) {
	record, err := process.ReadRecord(h.record())
	return record, err == nil && record.Alive()
}

// ready reports whether the cluster is up: the supervisor writes the kubeconfig last.
func (h home) ready() bool {
	_, err := os.Stat(h.kubeconfig())
	return err == nil
}

// clean ends what an owner that could not do so left running, and removes all data.
func (h home) clean() error {
	stopped, err := process.StopRecorded(h.dir, time.Second)
	if stopped > 0 {
		h.say("Stopped %d left-over processes.", stopped)
	}
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(h.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, entry := range entries {
		if name := entry.Name(); name != "lock" && name != marker {
			errs = append(errs, os.RemoveAll(h.path(name)))
		}
	}
	return errors.Join(errs...)
}

// down stops the cluster and removes the folder.
func (h home) down(ctx context.Context) error {
	if _, err := os.Stat(h.dir); errors.Is(err, fs.ErrNotExist) {
		h.say("No cluster in %s.", h.dir)
		return nil
	}
	release, err := h.claim(ctx)
	if err != nil {
		return err
	}
	defer release()
	record, running := h.running()
	if err := record.Stop(30 * time.Second); running && err != nil {
		return err
	}
	if err := h.clean(); err != nil {
		return err
	}
	if running {
		h.say("Stopped the cluster in %s and removed its data.", h.dir)
	} else {
		h.say("No cluster ran in %s; removed what was left of one.", h.dir)
	}
	return os.RemoveAll(h.dir)
}

// status says whether the cluster runs and answers.
func (h home) status(ctx context.Context) error {
	record, running := h.running()
	if !running {
		return fmt.Errorf("no cluster runs in %s", h.dir)
	}
	if !h.ready() {
		return fmt.Errorf("the cluster in %s (process %d) is starting; its log is %s", h.dir, record.PID, h.log())
	}
	config, err := clientcmd.BuildConfigFromFlags("", h.kubeconfig())
	if err != nil {
		return err
	}
	config.Timeout = 10 * time.Second
	if _, err := devcluster.RequestCounts(ctx, config); err != nil {
		return fmt.Errorf("the cluster in %s runs (process %d) but does not answer at %s: %w", h.dir, record.PID, config.Host, err)
	}
	h.say("The cluster in %s runs at %s (process %d).", h.dir, config.Host, record.PID)
	h.explain()
	return nil
}

func (h home) explain() {
	h.say("\n  export KUBE_CONFIG_PATH=%s", h.kubeconfig())
	h.say("\nThe provider and its tests find the cluster by this variable; kubectl wants KUBECONFIG instead.")
	h.say("`make down` stops the cluster and removes all of its data.")
}
