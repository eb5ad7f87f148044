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
	requests  map[string]int // what the API server answered meanwhile
}

// step is one thing that users do, done with both kinds of resource.
type step struct {
	name            string
	ours, reference figures
}

// measurement is all steps with one number of objects.
type measurement struct {
	objects int
	steps   []step
	state   int64 // bytes of the state after apply
	base    int64 // the same of the reference
}

func newLaboratory(ctx context.Context, o options, work string, out io.Writer) (*laboratory, error) {
	l := &laboratory{options: o, work: work, out: out, record: filepath.Join(work, "record.jsonl")}
	plugins := filepath.Join(work, "plugins")
	if err := os.Mkdir(plugins, 0o700); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := os.Symlink(self, filepath.Join(plugins, pluginName)); err != nil {
		return nil, err
	}
	settings := filepath.Join(work, "cli.tfrc")
	content := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"k0smos/k0smos\" = %q\n  }\n  direct {}\n}\ndisable_checkpoint = true\n", plugins)
	if err := os.WriteFile(settings, []byte(content), 0o600); err != nil {
		return nil, err
	}
	crds, err := definitions()
	if err != nil {
		return nil, err
	}
	if l.cluster, err = devcluster.Start(ctx, devcluster.Options{WithoutClusterAPI: true, Log: out}); err != nil {
		return nil, err
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

func (l *laboratory) close() error { return l.cluster.Stop() }

// measure does everything with n objects. What is compared runs one right after the other.
func (l *laboratory) measure(ctx context.Context, n int) (measurement, error) {
	m := measurement{objects: n}
	folders := map[string]string{}
	for _, resource := range []string{reference, manifests} {
		folder := filepath.Join(l.work, fmt.Sprintf("%s-%d", resource, n))
		if err := os.Mkdir(folder, 0o700); err != nil {
			return m, err
		}
		if err := os.WriteFile(filepath.Join(folder, "main.tf"), []byte(configuration(resource, n)), 0o600); err != nil {
			return m, err
		}
		folders[resource] = folder
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
		var err error
		if done.reference, err = l.run(ctx, n, s.name, reference, folders[reference], s.arguments); err != nil {
			return m, err
		}
		if done.ours, err = l.run(ctx, n, s.name, manifests, folders[manifests], s.arguments); err != nil {
			return m, err
		}
		if s.name == "apply" {
			m.base, m.state = size(folders[reference]), size(folders[manifests])
		}
		m.steps = append(m.steps, done)
	}
	return m, nil
}

func size(folder string) int64 {
	info, err := os.Stat(filepath.Join(folder, "terraform.tfstate"))
	if err != nil {
		return 0
	}
	return info.Size()
}

// run runs the command line once.
func (l *laboratory) run(ctx context.Context, n int, name, resource, folder string, arguments []string) (figures, error) {
	fmt.Fprintf(l.out, "%5d x %-15s %-10s ", n, resource, name)
	before, err := l.cluster.Metrics(ctx)
	if err != nil {
		return figures{}, err
	}
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, l.cli, arguments...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = folder, l.env, &output, &output
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	began := time.Now()
	err = cmd.Run()
	f := figures{wall: time.Since(began)}
	if err != nil {
		text := output.String()
		return f, fmt.Errorf("%s of %d %s: %w\n%s", name, n, resource, err, text[max(0, len(text)-4000):])
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
		default:
			if os.Getenv("K0SMOS_BENCH_DEBUG") != "" {
				fmt.Println("   other", key, count)
			}
		}
	}
	return out
}
