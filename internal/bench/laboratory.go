package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
)

// laboratory is an API server and a command line that is set up to use the provider with it.
type laboratory struct {
	options
	work    string
	out     io.Writer
	cluster *devcluster.Cluster
	states  *states
	env     []string
	record  string
}

// figures are what one run of the command line took.
type figures struct {
	wall      time.Duration
	cli       time.Duration // CPU
	provider  time.Duration // CPU of all its processes
	peak      int64         // resident memory of the largest provider process
	processes int
	server    time.Duration  // CPU of the API server
	requests  map[string]int // what it answered
}

// step is one thing that users do, done with both kinds of resource.
type step struct {
	name            string
	ours, reference figures
}

// measurement is all steps with one number of objects.
type measurement struct {
	objects int
	remote  bool // whether the state was in a remote backend
	steps   []step
}

// state says where the state was.
func (m measurement) state() string {
	if m.remote {
		return "backend"
	}
	return "file"
}

func newLaboratory(ctx context.Context, o options, work string, out io.Writer) (*laboratory, error) {
	l := &laboratory{options: o, work: work, out: out, record: filepath.Join(work, "record.jsonl")}
	settings, err := l.install()
	if err != nil {
		return nil, err
	}
	crds, err := definitions()
	if err != nil {
		return nil, err
	}
	if l.states, err = newStates(ctx); err != nil {
		return nil, err
	}
	if l.cluster, err = devcluster.Start(ctx, devcluster.Options{WithoutClusterAPI: true, Log: out}); err != nil {
		return nil, errors.Join(err, l.states.close())
	}
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); !strings.HasPrefix(name, "TF_") && !strings.HasPrefix(name, "KUBE") {
			l.env = append(l.env, variable)
		}
	}
	l.env = append(l.env, "TF_CLI_CONFIG_FILE="+settings, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "KUBE_CONFIG_PATH="+l.cluster.Kubeconfig(),
		providerVariable+"="+o.provider, recordVariable+"="+l.record)
	if err := devcluster.InstallCRDs(ctx, l.cluster.RESTConfig(), []fs.FS{crds}...); err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *laboratory) close() error { return errors.Join(l.cluster.Stop(), l.states.close()) }

// install puts this program where the command line finds the provider, and returns the settings that say so.
func (l *laboratory) install() (settings string, err error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	mirror := filepath.Join(l.work, "mirror")
	for _, host := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, host, "k0smos", "k0smos", "1.0.0", runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return "", err
		}
		if err := os.Symlink(self, filepath.Join(folder, pluginName+"_v1.0.0")); err != nil {
			return "", err
		}
	}
	settings = filepath.Join(l.work, "cli.tfrc")
	content := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\ndisable_checkpoint = true\n", mirror)
	return settings, os.WriteFile(settings, []byte(content), 0o600)
}

// measure does everything with n objects. What is compared runs one right after the other.
func (l *laboratory) measure(ctx context.Context, n int, remote bool) (measurement, error) {
	m := measurement{objects: n, remote: remote}
	kinds := []string{manifests}
	if n <= l.compare {
		kinds = []string{reference, manifests}
	}
	for _, kind := range kinds {
		if err := l.prepare(ctx, kind, n, remote); err != nil {
			return m, err
		}
	}
	for _, s := range []struct {
		name      string
		arguments []string
	}{
		{"apply", []string{"apply", "-auto-approve", "-no-color"}},
		{"no-op plan", []string{"plan", "-detailed-exitcode", "-no-color"}}, // which fails where there is something to do
		{"destroy", []string{"destroy", "-auto-approve", "-no-color"}},
	} {
		done := step{name: s.name}
		for _, kind := range kinds {
			f, err := l.run(ctx, m, s.name, kind, s.arguments)
			if err != nil {
				return m, err
			}
			if kind == reference {
				done.reference = f
			} else {
				done.ours = f
			}
		}
		m.steps = append(m.steps, done)
	}
	return m, nil
}

// name is where a configuration and its state are.
func name(kind string, n int, remote bool) string {
	if remote {
		return fmt.Sprintf("%s-%d-remote", kind, n)
	}
	return fmt.Sprintf("%s-%d", kind, n)
}

// prepare makes the folder for n objects of a kind.
func (l *laboratory) prepare(ctx context.Context, kind string, n int, remote bool) error {
	folder := filepath.Join(l.work, name(kind, n, remote))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	text := configuration(kind, n)
	if remote {
		text += fmt.Sprintf("\nterraform {\n  backend \"http\" {\n    address = %q\n  }\n}\n", l.states.address+name(kind, n, remote))
	}
	if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(text), 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.cli, "init", "-input=false", "-no-color")
	cmd.Dir, cmd.Env = folder, l.env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("init: %w\n%s", err, out)
	}
	return nil
}

// run runs the command line once.
func (l *laboratory) run(ctx context.Context, m measurement, step, kind string, arguments []string) (figures, error) {
	fmt.Fprintf(l.out, "%5d x %-15s %-10s state in a %-8s ", m.objects, kind, step, m.state())
	busy := l.serverCPU()
	before, err := l.cluster.Metrics(ctx)
	if err != nil {
		return figures{}, err
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, l.cli, arguments...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Join(l.work, name(kind, m.objects, m.remote)), l.env, &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	began := time.Now()
	err = cmd.Run()
	f := figures{wall: time.Since(began), server: l.serverCPU() - busy}
	if err != nil {
		text := output.String()
		return f, fmt.Errorf("%s of %d %s: %w\n%s", step, m.objects, kind, err, text[max(0, len(text)-4000):])
	}
	providers, err := takeRecords(l.record)
	if err != nil {
		return f, err
	}
	// What waits for a process is told what that process used, and all that it waited for in turn.
	f.cli, f.processes = usageOf(cmd.ProcessState).CPU, len(providers)
	for _, used := range providers {
		f.cli -= used.CPU + used.Self
		f.provider += used.CPU
		f.peak = max(f.peak, used.Peak)
	}
	after, err := l.cluster.Metrics(ctx)
	if err != nil {
		return f, err
	}
	f.requests = difference(before, after)
	fmt.Fprintf(l.out, "%7.1f s\n", f.wall.Seconds())
	return f, nil
}

// difference counts the requests that are about our objects, by verb. Requests about the kind and the cluster count too:
// the document of the API group, and the namespace whose UID tells clusters apart.
func difference(before, after map[string]int) map[string]int {
	out := map[string]int{}
	for key, count := range after {
		verb, rest, _ := strings.Cut(key, " ")
		if count -= before[key]; count == 0 {
			continue
		}
		dry, ok := strings.CutPrefix(rest, plural+"."+group)
		switch {
		case ok && dry == " (dry run)":
			out["dry run"] += count
		case ok && dry == "", rest == "namespaces", strings.Contains(rest, group):
			out[verb] += count
		}
	}
	return out
}

// serverCPU is what the API server, with its etcd and controllers, has used so far; 0 where the system does not say.
func (l *laboratory) serverCPU() time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", l.cluster.APIServer().PID()))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:])) // from the third field on
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond // 100 ticks a second, on every architecture
}
