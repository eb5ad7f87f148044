package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

// superviseVerb is what the background process is called with. It is not for people.
const superviseVerb = "supervise"

// up starts the cluster unless it runs, waits until it is ready, and says how to use it.
func (h home) up(ctx context.Context) error {
	release, err := h.claim(ctx)
	if err != nil {
		return err
	}
	defer release()
	record, running := h.running()
	switch {
	case running && h.ready():
		h.say("The cluster in %s runs already.", h.dir)
		h.explain()
		return nil
	case running: // an earlier up was killed while it waited
		h.say("The cluster in %s is starting.", h.dir)
	default:
		if err := h.clean(); err != nil {
			return err
		}
		// Built here and not in the background, so that one can watch.
		if _, err := devcluster.Binaries(ctx, h.out); err != nil {
			return err
		}
		if record, err = h.launch(); err != nil {
			return err
		}
	}
	start := time.Now()
	if err := h.wait(ctx, record); err != nil {
		return errors.Join(err, record.Stop(30*time.Second))
	}
	h.say("Ready after %s.", time.Since(start).Round(time.Second))
	h.explain()
	return nil
}

// launch starts the supervisor in a session of its own, so that closing the terminal or Ctrl-C in it does not end it.
func (h home) launch() (process.Record, error) {
	self, err := os.Executable()
	if err != nil {
		return process.Record{}, err
	}
	log, err := os.OpenFile(h.log(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return process.Record{}, err
	}
	defer log.Close() //nolint:errcheck // the supervisor writes it, not we
	cmd := exec.Command(self, superviseVerb, "--dir", h.dir, "--crds", h.crds)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return process.Record{}, err
	}
	go cmd.Wait() //nolint:errcheck // collects it if it ends before we do; the record tells whether it runs
	if err := process.WriteRecord(h.record(), cmd.Process.Pid); err != nil {
		return process.Record{}, errors.Join(err, cmd.Process.Kill())
	}
	return process.ReadRecord(h.record())
}

// wait shows what the supervisor logs until the cluster is ready or the supervisor has given up.
func (h home) wait(ctx context.Context, supervisor process.Record) error {
	log, err := os.Open(h.log())
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // only read
	for {
		alive, ready := supervisor.Alive(), h.ready()
		if _, err := io.Copy(h.out, log); err != nil {
			return err
		}
		if ready {
			return nil
		}
		if !alive {
			return fmt.Errorf("the cluster did not come up; the end of %s:\n%s", h.log(), process.Tail(h.log()))
		}
		select {
		case <-ctx.Done():
			return errors.New("interrupted; the cluster is stopped again")
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// supervise owns the cluster until it is told to stop or a part of it ends.
func (h home) supervise(ctx context.Context) error {
	signal.Ignore(syscall.SIGHUP)
	cluster, err := devcluster.Start(ctx, devcluster.Options{Dir: h.dir, CRDs: h.crds, Log: h.out})
	if err != nil {
		return err
	}
	if err := h.publish(cluster); err != nil {
		return errors.Join(err, cluster.Stop())
	}
	select {
	case <-ctx.Done():
		h.say("Told to stop.")
	case <-cluster.Died():
		err = cluster.Err()
	}
	return errors.Join(err, os.Remove(h.kubeconfig()), cluster.Stop())
}

// publish puts the kubeconfig in place in one step: who sees it may use it.
func (h home) publish(cluster *devcluster.Cluster) error {
	data, err := os.ReadFile(cluster.Kubeconfig())
	if err != nil {
		return err
	}
	unfinished := h.kubeconfig() + ".new"
	if err := os.WriteFile(unfinished, data, 0o600); err != nil {
		return err
	}
	return os.Rename(unfinished, h.kubeconfig())
}
