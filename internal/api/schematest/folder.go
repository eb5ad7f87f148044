// Package schematest checks objects and schemas in tests, without a cluster: whether an object would be accepted by
// the definitions in a folder, and whether our schemas are a subset of the original ones.
package schematest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Variable names the environment variable with the folder of the original definitions. A relative folder is meant
// from the top of the repository, whatever package the test is in.
const Variable = "K0SMOS_CRDS"

// Upstream returns the folder of the original definitions, or "" where none was given.
func Upstream(t testing.TB) string {
	t.Helper()
	folder := os.Getenv(Variable)
	if folder == "" {
		return ""
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(top(t), folder)
	}
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		t.Fatalf("%s=%s is not a folder (looked at %s): give the folder of the original definitions, or unset it", Variable, os.Getenv(Variable), folder)
	}
	return folder
}

// Ours returns the folder of the definitions that are generated from internal/api.
func Ours(t testing.TB) string {
	t.Helper()
	return filepath.Join(top(t), "internal", "api", "crds")
}

// Folder returns Upstream, or Ours where that was not given.
func Folder(t testing.TB) string {
	t.Helper()
	if folder := Upstream(t); folder != "" {
		return folder
	}
	return Ours(t)
}

// top is the folder of the provider's go.mod: tests run in the folder of their package.
func top(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/k0smos/terraform-provider-k0smos\n") {
			return folder
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("no go.mod of the provider above the working directory of the test")
		}
		folder = parent
	}
}
