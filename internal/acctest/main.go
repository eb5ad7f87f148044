// Package acctest is what acceptance tests share: clusters that are started once per test binary, ways to look at
// objects and to meddle with them as somebody else, the provider under test, and the tools that look for its mistakes.
package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

var exit struct {
	sync.Mutex
	hooks []func() error
}

// Main runs the tests of a package and then stops what they shared:
//
//	func TestMain(m *testing.M) { acctest.Main(m) }
func Main(m *testing.M) {
	if err := prepare(); err != nil {
		fmt.Fprintln(os.Stderr, "acceptance tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	exit.Lock()
	defer exit.Unlock()
	for i := len(exit.hooks) - 1; i >= 0; i-- {
		if err := exit.hooks[i](); err != nil {
			fmt.Fprintln(os.Stderr, "acceptance tests, clean-up:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// AtExit has Main call f after the last test. What was registered last is called first.
func AtExit(f func() error) {
	exit.Lock()
	defer exit.Unlock()
	exit.hooks = append(exit.hooks, f)
}

// prepare takes the user's clusters out of reach and names the CLI that the test framework is to run.
func prepare() error {
	for _, name := range []string{"KUBECONFIG", "KUBE_CONFIG_PATH", "KUBE_CONFIG_PATHS", "KUBERNETES_SERVICE_HOST", "TF_WORKSPACE"} {
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	dir, err := os.MkdirTemp("", "k0smos-acctest-")
	if err != nil {
		return err
	}
	AtExit(func() error { return os.RemoveAll(dir) })
	// A configuration file of the user's could send the CLI to other providers.
	config := filepath.Join(dir, "cli.tfrc")
	if err := os.WriteFile(config, nil, 0o600); err != nil {
		return err
	}
	if err := os.Setenv("TF_CLI_CONFIG_FILE", config); err != nil {
		return err
	}
	program, err := findCLI()
	if err != nil {
		return err
	}
	return program.announce()
}
