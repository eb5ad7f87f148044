// Package cli runs the real Terraform or OpenTofu program with the built provider, so that a test can do what a person
// at a terminal does: interrupt a run, look at the log, use two states at once.
package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

// limit ends a program that a test forgot.
const limit = 5 * time.Minute

// Workdir is a folder with a configuration and its state.
type Workdir struct {
	Dir string
	// Env is added to the environment of every run.
	Env []string
	// Trace has every run write the TRACE log of program and provider into Run.Log.
	Trace bool

	program string
	config  string
	logs    int
}

// New makes a folder with a configuration. The provider's source address is declared for it.
func New(t testing.TB, configuration string) *Workdir {
	t.Helper()
	plugins, err := built()
	if err != nil {
		t.Fatal(err)
	}
	w := &Workdir{Dir: t.TempDir(), program: acctest.CLI(t).Path, config: filepath.Join(t.TempDir(), "cli.tfrc")}
	overrides := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"k0smos/k0smos\" = %q\n  }\n  direct {}\n}\ndisable_checkpoint = true\n", plugins)
	if err := os.WriteFile(w.config, []byte(overrides), 0o600); err != nil {
		t.Fatal(err)
	}
	w.write(t, "versions.tf", acctest.Requirement)
	w.Configure(t, configuration)
	return w
}

// Configure replaces the configuration.
func (w *Workdir) Configure(t testing.TB, configuration string) {
	t.Helper()
	w.write(t, "main.tf", configuration)
}

func (w *Workdir) write(t testing.TB, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Run is a program that runs, or has run.
type Run struct {
	// Log is the file with the TRACE log, if the folder has it written.
	Log string

	t      testing.TB
	cmd    *exec.Cmd
	output bytes.Buffer
	done   chan struct{}
	err    error
}

// Start begins a command, for instance "apply".
func (w *Workdir) Start(t testing.TB, arguments ...string) *Run {
	t.Helper()
	w.logs++
	r := &Run{t: t, Log: filepath.Join(w.Dir, fmt.Sprintf("trace-%d.log", w.logs)), done: make(chan struct{})}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), limit)
	r.cmd = exec.CommandContext(ctx, w.program, arguments...)
	r.cmd.Dir = w.Dir
	r.cmd.Env = w.environment()
	if w.Trace {
		r.cmd.Env = append(r.cmd.Env, "TF_LOG=TRACE", "TF_LOG_PATH="+r.Log)
	}
	r.cmd.Stdout, r.cmd.Stderr = &r.output, &r.output
	if err := r.cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	go func() {
		defer cancel()
		r.err = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		select {
		case <-r.done:
		default:
			_ = r.cmd.Process.Kill()
			<-r.done
		}
	})
	return r
}

func (w *Workdir) environment() []string {
	return append(append(os.Environ(), "TF_CLI_CONFIG_FILE="+w.config, "TF_IN_AUTOMATION=1", "TF_INPUT=0"), w.Env...)
}

// Interrupt does what Ctrl-C does. It may be called from any goroutine.
func (r *Run) Interrupt() { _ = r.cmd.Process.Signal(os.Interrupt) }

// Done is closed when the program has ended.
func (r *Run) Done() <-chan struct{} { return r.done }

// Result is how a command ended.
type Result struct {
	Output string // standard output and standard error, as they came, without line drawing and wrapping
	Code   int
}

// Wait returns when the program has ended.
func (r *Run) Wait() Result {
	r.t.Helper()
	<-r.done
	var exit *exec.ExitError
	if r.err != nil && !errors.As(r.err, &exit) {
		r.t.Fatalf("%s: %v", r.cmd, r.err)
	}
	return Result{Output: unwrap(r.output.String()), Code: r.cmd.ProcessState.ExitCode()}
}

// unwrap takes the frame from messages and joins their wrapped lines, so that a test can look for a sentence.
func unwrap(text string) string {
	text = strings.NewReplacer("│ ", "", "│", "", "╷", "", "╵", "").Replace(text)
	return strings.Join(strings.Fields(text), " ")
}

// Do runs a command to its end.
func (w *Workdir) Do(t testing.TB, arguments ...string) Result {
	t.Helper()
	return w.Start(t, arguments...).Wait()
}

// Must runs a command that has to succeed, and returns what it printed.
func (w *Workdir) Must(t testing.TB, arguments ...string) string {
	t.Helper()
	r := w.Do(t, arguments...)
	if r.Code != 0 {
		t.Fatalf("%s ended with code %d:\n%s", strings.Join(arguments, " "), r.Code, r.Output)
	}
	return r.Output
}

// Says fails the test where the output lacks one of the texts.
func (r Result) Says(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(r.Output, text) {
			t.Errorf("the output does not say %q:\n%s", text, r.Output)
		}
	}
}

// Failed fails the test where the command succeeded or its output lacks one of the texts.
func (r Result) Failed(t testing.TB, texts ...string) {
	t.Helper()
	if r.Code == 0 {
		t.Errorf("the command succeeded:\n%s", r.Output)
	}
	r.Says(t, texts...)
}

// Worked fails the test where the command failed or its output lacks one of the texts.
func (r Result) Worked(t testing.TB, texts ...string) {
	t.Helper()
	if r.Code != 0 {
		t.Fatalf("the command ended with code %d:\n%s", r.Code, r.Output)
	}
	r.Says(t, texts...)
}

// Plan plans without keeping the plan.
func (w *Workdir) Plan(t testing.TB, arguments ...string) Result {
	t.Helper()
	return w.Do(t, append([]string{"plan", "-no-color"}, arguments...)...)
}

// TryApply applies the configuration, which may fail.
func (w *Workdir) TryApply(t testing.TB, arguments ...string) Result {
	t.Helper()
	return w.StartApply(t, arguments...).Wait()
}

// TryDestroy destroys what the state holds, which may fail.
func (w *Workdir) TryDestroy(t testing.TB) Result {
	t.Helper()
	return w.Do(t, "destroy", "-auto-approve", "-no-color")
}

// PlanFile plans and keeps the plan, for Apply.
func (w *Workdir) PlanFile(t testing.TB) string {
	t.Helper()
	file := filepath.Join(w.Dir, "saved.plan")
	w.Must(t, "plan", "-no-color", "-out="+file)
	return file
}

// Apply applies the configuration, which has to succeed.
func (w *Workdir) Apply(t testing.TB, arguments ...string) string {
	t.Helper()
	return w.Must(t, append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)...)
}

// StartApply begins to apply the configuration.
func (w *Workdir) StartApply(t testing.TB, arguments ...string) *Run {
	t.Helper()
	return w.Start(t, append([]string{"apply", "-auto-approve", "-no-color"}, arguments...)...)
}

// Destroy destroys what the state holds, which has to succeed.
func (w *Workdir) Destroy(t testing.TB) string {
	t.Helper()
	return w.Must(t, "destroy", "-auto-approve", "-no-color")
}

// Changes plans and says what is to be done, by resource address: for instance "create", "update", "delete,create".
// A plan without changes is an empty map.
func (w *Workdir) Changes(t testing.TB) map[string]string {
	t.Helper()
	file := filepath.Join(w.Dir, "changes.plan")
	w.Must(t, "plan", "-no-color", "-out="+file)
	var plan struct {
		ResourceChanges []struct {
			Address string `json:"address"`
			Change  struct {
				Actions []string `json:"actions"`
			} `json:"change"`
		} `json:"resource_changes"`
	}
	w.JSON(t, &plan, "show", "-json", file)
	changes := map[string]string{}
	for _, c := range plan.ResourceChanges {
		if action := strings.Join(c.Change.Actions, ","); action != "no-op" {
			changes[c.Address] = action
		}
	}
	return changes
}

// Resource is one resource instance as the state holds it.
type Resource struct {
	Tainted bool
	Values  map[string]any
}

// State is the resource instances of the state by address.
func (w *Workdir) State(t testing.TB) map[string]Resource {
	t.Helper()
	var state struct {
		Values struct {
			RootModule struct {
				Resources []struct {
					Address string         `json:"address"`
					Tainted bool           `json:"tainted"`
					Values  map[string]any `json:"values"`
				} `json:"resources"`
			} `json:"root_module"`
		} `json:"values"`
	}
	w.JSON(t, &state, "show", "-json")
	resources := map[string]Resource{}
	for _, r := range state.Values.RootModule.Resources {
		resources[r.Address] = Resource{Tainted: r.Tainted, Values: r.Values}
	}
	return resources
}

// JSON runs a command that prints JSON on standard output.
func (w *Workdir) JSON(t testing.TB, into any, arguments ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), w.program, arguments...)
	cmd.Dir = w.Dir
	cmd.Env = w.environment()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	if err := json.Unmarshal(out, into); err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
}

// built is the folder of the built provider. It is built once per test binary.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "k0smos-provider-")
	if err != nil {
		return "", err
	}
	acctest.AtExit(func() error { return os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(dir, "terraform-provider-k0smos"),
		"github.com/k0smos/terraform-provider-k0smos")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the provider: %w\n%s", err, out)
	}
	return dir, nil
})
