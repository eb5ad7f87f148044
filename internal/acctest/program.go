package acctest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Program is the CLI that runs the provider: Terraform or OpenTofu.
type Program struct {
	Path         string
	Tofu         bool
	Major, Minor int
}

var program = sync.OnceValues(lookUpCLI)

// CLI is the program that acceptance tests run: TF_ACC_TERRAFORM_PATH, else terraform, else tofu in PATH.
func CLI(t testing.TB) Program {
	t.Helper()
	p, err := findCLI()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// AtLeast says whether the program has what came with this version of its kind: terraform 1.12 or tofu 1.12, which are
// not the same thing.
func (p Program) AtLeast(terraform, tofu string) bool {
	need := terraform
	if p.Tofu {
		need = tofu
	}
	major, minor, err := parseVersion(need)
	if err != nil {
		panic(err) // a mistake in the test
	}
	return p.Major > major || p.Major == major && p.Minor >= minor
}

func findCLI() (Program, error) { return program() }

func lookUpCLI() (Program, error) {
	path := os.Getenv("TF_ACC_TERRAFORM_PATH")
	if path == "" {
		for _, name := range []string{"terraform", "tofu"} {
			if found, err := exec.LookPath(name); err == nil {
				path = found
				break
			}
		}
	}
	if path == "" {
		return Program{}, errors.New("neither terraform nor tofu is in PATH; install one or name it in TF_ACC_TERRAFORM_PATH")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		return Program{}, fmt.Errorf("%s version: %w", path, err)
	}
	p := Program{Path: path, Tofu: strings.HasPrefix(string(text), "OpenTofu")}
	out, err := exec.CommandContext(ctx, path, "version", "-json").Output()
	if err != nil {
		return Program{}, fmt.Errorf("%s version -json: %w", path, err)
	}
	var version struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(out, &version); err != nil {
		return Program{}, fmt.Errorf("%s version -json: %w", path, err)
	}
	p.Major, p.Minor, err = parseVersion(version.Version)
	return p, err
}

func parseVersion(s string) (major, minor int, err error) {
	parts := strings.SplitN(s, ".", 3)
	if len(parts) < 2 {
		return 0, 0, fmt.Errorf("version %q", s)
	}
	if major, err = strconv.Atoi(parts[0]); err != nil {
		return 0, 0, err
	}
	minor, err = strconv.Atoi(parts[1])
	return major, minor, err
}

// announce tells the test framework which program to run. Tofu looks for providers that have no source address in
// another registry, and has to be told so.
func (p Program) announce() error {
	settings := map[string]string{"TF_ACC_TERRAFORM_PATH": p.Path}
	if p.Tofu {
		settings["TF_ACC_PROVIDER_NAMESPACE"] = "hashicorp"
		settings["TF_ACC_PROVIDER_HOST"] = "registry.opentofu.org"
	}
	for name, value := range settings {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	return nil
}
