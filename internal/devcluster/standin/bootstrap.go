package standin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// busy is how long a host is still busy with a step for a RemoteMachine.
func (s *StandIn) busy(rm *unstructured.Unstructured, address string, st step) time.Duration {
	cluster := Ref{rm.GetNamespace(), rm.GetLabels()[clusterNameLabel]}
	whole := time.Duration(s.options.TimeScale*float64(recorded[st])) + s.modes.of(cluster).slow + s.hosts.mode(address).slow
	begun := s.hosts.begin(Ref{rm.GetNamespace(), rm.GetName()}, address, st).begun
	return max(0, whole-time.Since(begun))
}

// bootstrap makes a host a worker. What it starts there joins its cluster by itself.
func (s *StandIn) bootstrap(rm, owner *unstructured.Unstructured, key []byte, data bootstrapData) (time.Duration, error) {
	ref := Ref{rm.GetNamespace(), rm.GetName()}
	address := addressOf(text(rm.Object, "spec", "address"), number(rm.Object, "spec", "port"))
	if wait := s.busy(rm, address, bootstrapHost); wait > 0 {
		return wait, nil
	}
	s.hosts.end(ref)
	mode := s.hosts.mode(address)
	started, err := runCommands(data, text(owner.Object, "spec", "version"))
	switch _, byJob := lookup[any](rm.Object, "spec", "provisionJob"); {
	case mode.failBootstrap != "":
		err = errors.New(mode.failBootstrap)
	case len(key) == 0 && !byJob:
		err = errors.New("failed to parse ssh key: ssh: no key found")
	}
	s.hosts.change(address, func(h *host) {
		h.Bootstraps++
		h.noteLogin(rm, key)
		h.Commands, h.Files = data.Commands, map[string]string{}
		for _, file := range data.Files {
			h.Files[file.Path] = file.Content
		}
		if err != nil {
			return
		}
		h.Dirty = false
		h.Machine = Ref{owner.GetNamespace(), owner.GetName()}
		h.cluster = Ref{owner.GetNamespace(), text(owner.Object, "spec", "clusterName")}
		h.address = text(rm.Object, "spec", "address")
		h.labels, h.taints, h.version = started.labels, started.taints, started.version
		h.Problem, h.joined = started.problem, false
	})
	if err != nil {
		s.logf("bootstrap of %s for %s: %v", address, ref, err)
		return 0, err
	}
	s.logf("bootstrapped %s for %s", address, ref)
	if started.problem != "" {
		s.logf("k0s does not run on %s: %s", address, started.problem)
	}
	s.enqueue(machine, Ref{owner.GetNamespace(), owner.GetName()})
	return 0, nil
}

// cleanUp stops the worker on a host and gives the host back. What goes wrong on the host is logged only.
func (s *StandIn) cleanUp(ctx context.Context, rm *unstructured.Unstructured, key []byte, byJob bool) (time.Duration, error) {
	ref := Ref{rm.GetNamespace(), rm.GetName()}
	address := addressOf(text(rm.Object, "spec", "address"), number(rm.Object, "spec", "port"))
	if !byJob {
		if wait := s.busy(rm, address, cleanUpHost); wait > 0 {
			return wait, nil
		}
		mode := s.hosts.mode(address)
		if mode.hangCleanUp {
			return soon, nil
		}
		s.hosts.end(ref)
		if mode.failCleanUp != "" {
			s.logf("Failed to cleanup RemoteMachine %s: %s", ref, mode.failCleanUp)
		}
		var was Ref
		s.hosts.change(address, func(h *host) {
			h.CleanUps++
			h.noteLogin(rm, key)
			h.Dirty = mode.failCleanUp != ""
			was, h.Machine, h.Problem = h.Machine, Ref{}, ""
		})
		if was.Name != "" && mode.failCleanUp == "" {
			s.stopKubelet(ctx, Ref{rm.GetNamespace(), rm.GetLabels()[clusterNameLabel]}, was.Name)
		}
		s.logf("cleaned up %s after %s", address, ref)
	}
	if text(rm.Object, "spec", "pool") == "" {
		return 0, nil
	}
	return 0, s.release(ctx, rm)
}

func (h *host) noteLogin(rm *unstructured.Unstructured, key []byte) {
	h.Key, h.User = KeyOf(string(key)), text(rm.Object, "spec", "user")
}

// createJob makes the Job of a RemoteMachine that is reached by one. Nobody runs it, and nobody waits for it: the real
// operator takes the host for a worker as soon as the Job exists.
func (s *StandIn) createJob(ctx context.Context, rm *unstructured.Unstructured, job map[string]any) error {
	spec, _ := lookup[map[string]any](job, "jobSpecTemplate", "spec")
	_, err := s.create(ctx, jobs, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": jobs.apiVersion(),
		"kind":       jobs.name,
		"metadata": map[string]any{
			"namespace":       rm.GetNamespace(),
			"name":            rm.GetName(),
			"ownerReferences": ownedBy(rm, remoteMachine, false),
		},
		"spec": (&unstructured.Unstructured{Object: spec}).DeepCopy().Object,
	}})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// started is what the commands of a bootstrap have made of a host.
type started struct {
	labels  map[string]string
	taints  []any
	version string
	problem string
}

// runCommands plays a host that gets the files and the commands of a bootstrap.
func runCommands(data bootstrapData, version string) (started, error) {
	out := started{version: version}
	for _, command := range data.Commands {
		if command == "false" || strings.HasPrefix(command, "exit ") && command != "exit 0" {
			return out, fmt.Errorf("failed to run command: command %q failed", command)
		}
		if _, given, found := strings.Cut(command, versionVariable); found {
			out.version, _, _ = strings.Cut(given, " ")
		}
		if !strings.Contains(command, "/k0s install worker ") {
			continue
		}
		words, err := shellWords(command)
		if err != nil {
			return out, fmt.Errorf("failed to run command: %w", err)
		}
		flags, err := readFlags(words[3:])
		if err != nil {
			return out, fmt.Errorf("failed to run command: k0s install worker: %w", err)
		}
		out.labels, out.taints = flags.labels, flags.taints
	}
	out.problem = kubeletProblem(out.labels)
	if out.problem == "" {
		out.problem = runtimeProblem(data, out.version)
	}
	return out, nil
}
