package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

// TestMain lets the test binary be the program: up starts itself again as the supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == superviseVerb {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestUpAndDown(t *testing.T) {
	h, out := newHome(t)
	if err := h.status(t.Context()); err == nil || !strings.Contains(err.Error(), "no cluster runs") {
		t.Errorf("status before up: %v", err)
	}
	up(t, h)
	if !strings.Contains(out.String(), "export KUBE_CONFIG_PATH="+h.kubeconfig()) {
		t.Errorf("it does not say how to use the cluster:\n%s", out)
	}

	info, err := os.Stat(h.kubeconfig())
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the kubeconfig has mode %v (%v)", info.Mode(), err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", h.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	api, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	configMaps := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	if _, err := api.Resource(configMaps).Namespace("capi-system").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	if err := h.status(t.Context()); err != nil {
		t.Errorf("status after up: %v", err)
	}

	before, _ := h.running()
	out.Reset()
	up(t, h)
	if after, _ := h.running(); after != before || !strings.Contains(out.String(), "runs already") {
		t.Errorf("the second up started %+v beside %+v and said\n%s", after, before, out)
	}

	children := children(t, h)
	if len(children) != 2 {
		t.Errorf("%d processes are recorded", len(children))
	}
	if err := h.down(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, record := range append(children, before) {
		if record.Alive() {
			t.Errorf("process %d still runs", record.PID)
		}
	}
	if _, err := os.Stat(h.dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", h.dir, err)
	}
	if err := h.down(t.Context()); err != nil {
		t.Errorf("a second down: %v", err)
	}
}

func TestTheSupervisorDoesNotOutliveItsCluster(t *testing.T) {
	h, _ := newHome(t)
	up(t, h)
	supervisor, _ := h.running()
	all := children(t, h)
	if err := syscall.Kill(all[0].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	waitEnd(t, append(all, supervisor)...)
	if h.ready() {
		t.Error("the kubeconfig of a cluster that is gone is still there")
	}
	if log, err := os.ReadFile(h.log()); err != nil || !strings.Contains(string(log), "ended by itself") {
		t.Errorf("its log does not say why (%v):\n%s", err, log)
	}

	t.Run("and a new up starts afresh over what it left", func(t *testing.T) {
		up(t, h)
		if err := h.status(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("and what a killed supervisor leaves is cleaned up", func(t *testing.T) {
		supervisor, _ := h.running()
		left := children(t, h)
		if err := syscall.Kill(supervisor.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		waitEnd(t, supervisor)
		if err := h.down(t.Context()); err != nil {
			t.Fatal(err)
		}
		waitEnd(t, left...)
		if _, err := os.Stat(h.dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", h.dir, err)
		}
	})
}

func TestAnInterruptedUpLeavesNothingRunning(t *testing.T) {
	h, _ := newHome(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.out = cancelOn{"Starting the API server", cancel}
	err := h.up(ctx)
	if err == nil || !strings.Contains(err.Error(), "interrupted") {
		t.Fatalf("got %v", err)
	}
	if supervisor, running := h.running(); running {
		t.Errorf("%+v still runs", supervisor)
	}
	waitEnd(t, children(t, h)...)
}

func TestAClusterThatCannotStartSaysWhy(t *testing.T) {
	h, _ := newHome(t)
	h.crds = filepath.Join(t.TempDir(), "missing")
	err := h.up(t.Context())
	if err == nil || !strings.Contains(err.Error(), "missing") {
		t.Fatalf("got %v", err)
	}
	if _, running := h.running(); running || h.ready() {
		t.Error("something runs")
	}
	if err := h.down(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestARecordOfAnotherProcessIsStale(t *testing.T) {
	h, _ := newHome(t)
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		marker:           markerText,
		"supervisor.pid": `{"pid":` + strconv.Itoa(os.Getpid()) + `,"started":"before the reboot"}`,
		"kubeconfig":     "old",
	} {
		if err := os.WriteFile(h.path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.status(t.Context()); err == nil {
		t.Error("it counts as running")
	}
	if err := h.down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(h.dir); !os.IsNotExist(err) {
		t.Errorf("%s is still there (%v)", h.dir, err)
	}
}

func TestAFolderWithOtherFilesIsLeftAlone(t *testing.T) {
	h, _ := newHome(t)
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	mine := h.path("kubeconfig")
	if err := os.WriteFile(mine, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, verb := range map[string]func(context.Context) error{"up": h.up, "down": h.down} {
		if err := verb(t.Context()); err == nil || !strings.Contains(err.Error(), "--dir") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if text, err := os.ReadFile(mine); err != nil || string(text) != "mine" {
		t.Errorf("the file is %q (%v)", text, err)
	}
}

func TestWrongArgumentsAreErrors(t *testing.T) {
	for name, args := range map[string][]string{
		"no verb":              {},
		"an unknown verb":      {"start"},
		"an unknown flag":      {"up", "--fast"},
		"one argument more":    {"status", "now"},
		"a flag with no value": {"down", "--dir"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(t.Context(), args); err == nil {
				t.Error("accepted")
			}
		})
	}
}

func newHome(t *testing.T) (home, *bytes.Buffer) {
	t.Helper()
	out := &bytes.Buffer{}
	h := home{dir: filepath.Join(t.TempDir(), ".devcluster"), crds: os.Getenv("K0SMOS_CRDS"), out: out}
	t.Cleanup(func() {
		if record, running := h.running(); running {
			if err := record.Stop(30 * time.Second); err != nil {
				t.Error(err)
			}
		}
	})
	return h, out
}

func up(t *testing.T, h home) {
	t.Helper()
	if err := h.up(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// children are the recorded processes below the supervisor.
func children(t *testing.T, h home) []process.Record {
	t.Helper()
	paths, err := filepath.Glob(h.path("*/*.pid"))
	if err != nil {
		t.Fatal(err)
	}
	var records []process.Record
	for _, path := range paths {
		record, err := process.ReadRecord(path)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

func waitEnd(t *testing.T, records ...process.Record) {
	t.Helper()
	for _, record := range records {
		end := time.Now().Add(30 * time.Second)
		for record.Alive() {
			if time.Now().After(end) {
				t.Fatalf("process %d does not end", record.PID)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
}

// cancelOn cancels when something is said.
type cancelOn struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelOn) Write(p []byte) (int, error) {
	if strings.Contains(string(p), c.text) {
		c.cancel()
	}
	return len(p), nil
}
