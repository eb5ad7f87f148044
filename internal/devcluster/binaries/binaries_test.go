package binaries

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program is a module as small as can be, with a dependency whose main package is what gets built.
var program = map[string]string{
	"go.mod": "module example.com/build\n\ngo 1.26.0\n\nrequire example.com/program v1.2.3\n\nreplace example.com/program => ./program\n",
	"main.go": `package main

import "fmt"

var version = "none"

func main() { fmt.Println("built", version) }
`,
	"go.sum":          "",
	"program/go.mod":  "module example.com/program\n\ngo 1.26.0\n",
	"program/main.go": "package main\n\nfunc main() { println(\"original\") }\n",
}

func TestAProgramIsBuiltOnceAndFoundLater(t *testing.T) {
	cache := t.TempDir()
	r := tinyRecipe(t, nil)
	r.ldflags = []string{"-X main.version=v7"}
	var building sync.WaitGroup
	said := make([]bytes.Buffer, 3)
	found := make([]string, 3)
	for i := range found {
		building.Go(func() {
			var err error
			if found[i], err = r.find(t.Context(), cache, &said[i]); err != nil {
				t.Error(err)
			}
		})
	}
	building.Wait()
	var builds int
	for i := range found {
		builds += strings.Count(said[i].String(), "Building tiny v1.2.3")
		if found[i] != found[0] {
			t.Errorf("found %s and %s", found[0], found[i])
		}
	}
	if builds != 1 {
		t.Errorf("built %d times for three who came at once", builds)
	}
	if out := output(t, found[0]); out != "built v7\n" {
		t.Errorf("the program says %q", out)
	}
	rest, err := os.ReadDir(filepath.Dir(found[0]))
	if err != nil || len(rest) != 1 {
		t.Errorf("beside the program there is %v (%v)", rest, err)
	}
}

func TestATargetsMainCanBeReplacedWithoutTouchingItsModule(t *testing.T) {
	r := tinyRecipe(t, nil)
	r.target, r.source = "example.com/program", filepath.Join(r.module, "program")
	r.mainGo = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"patched\") }\n"
	found, err := r.find(t.Context(), t.TempDir(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if out := output(t, found); out != "patched\n" {
		t.Errorf("the program says %q", out)
	}
}

func TestAFailedBuildSaysWhyAndLeavesNothing(t *testing.T) {
	cache := t.TempDir()
	r := tinyRecipe(t, map[string]string{"main.go": "package main\n\nfunc main() { nonsense }\n"})
	_, err := r.find(t.Context(), cache, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "undefined: nonsense") {
		t.Fatalf("got %v", err)
	}
	left, err := filepath.Glob(filepath.Join(cache, "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

func TestTheKeyChangesWithWhatChangesTheProgram(t *testing.T) {
	original := key(t, tinyRecipe(t, nil))
	tests := []struct {
		name   string
		recipe recipe
		same   bool
	}{
		{"the same source in another folder", tinyRecipe(t, nil), true},
		{"a file that is not compiled", tinyRecipe(t, map[string]string{"notes.md": "hello"}), true},
		{"another source", tinyRecipe(t, map[string]string{"main.go": program["main.go"] + "\n// changed\n"}), false},
		{"one more source", tinyRecipe(t, map[string]string{"more.go": "package main\n"}), false},
		{"another dependency", tinyRecipe(t, map[string]string{"go.sum": "x"}), false},
		{"another Go", changed(t, func(r *recipe) { r.goVer = "go1.0" }), false},
		{"other flags", changed(t, func(r *recipe) { r.ldflags = []string{"-X a=b"} }), false},
		{"another target", changed(t, func(r *recipe) { r.target = "./x" }), false},
		{"another main", changed(t, func(r *recipe) { r.mainGo = "package main" }), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := key(t, test.recipe); (got == original) != test.same {
				t.Errorf("keys %s and %s", original, got)
			}
		})
	}
}

func TestTheAPIServerIsLinkedWithItsVersion(t *testing.T) {
	source, err := sourceFolder()
	if err != nil {
		t.Fatal(err)
	}
	r, err := apiServerRecipe(t.Context(), filepath.Join(source, "apiserver"))
	if err != nil {
		t.Fatal(err)
	}
	major, minor, _ := strings.Cut(strings.TrimPrefix(r.version, "v"), ".")
	minor, _, _ = strings.Cut(minor, ".")
	flags := strings.Join(r.ldflags, " ")
	for _, want := range []string{"gitVersion=" + r.version, "gitMajor=" + major, "gitMinor=" + minor} {
		if !strings.Contains(flags, want) {
			t.Errorf("%s is not in %s", want, flags)
		}
	}
}

func TestClusterAPIListensOnLoopbackOnly(t *testing.T) {
	source, err := sourceFolder()
	if err != nil {
		t.Fatal(err)
	}
	r, err := clusterAPIRecipe(t.Context(), filepath.Join(source, "clusterapi"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(r.mainGo, `Host: "127.0.0.1"`) != 1 {
		t.Error("the webhook server is not bound to loopback")
	}
	if _, err := os.Stat(filepath.Join(r.source, "config", "webhook", "manifests.yaml")); err != nil {
		t.Error(err)
	}
}

func TestAMainBelowItsModuleCanBeReplaced(t *testing.T) {
	r := tinyRecipe(t, map[string]string{"program/cmd/deep/main.go": "package main\n\nfunc main() { println(\"original\") }\n"})
	r.within, r.target, r.source = "example.com/program", "example.com/program/cmd/deep", filepath.Join(r.module, "program")
	r.mainGo = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"patched\") }\n"
	found, err := r.find(t.Context(), t.TempDir(), &bytes.Buffer{})
	if err != nil {
		t.Fatal(err)
	}
	if out := output(t, found); out != "patched\n" {
		t.Errorf("the program says %q", out)
	}
}

func TestOutsideOfTheRepositoryNothingCanBeBuilt(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := sourceFolder(); err == nil || !strings.Contains(err.Error(), "not inside of this repository") {
		t.Fatalf("got %v", err)
	}
}

func tinyRecipe(t *testing.T, change map[string]string) recipe {
	t.Helper()
	files := maps.Clone(program)
	maps.Copy(files, change)
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := recipe{name: "tiny", module: dir, target: "."}
	if err := r.readVersions(t.Context(), "example.com/program"); err != nil {
		t.Fatal(err)
	}
	return r
}

func changed(t *testing.T, change func(*recipe)) recipe {
	t.Helper()
	r := tinyRecipe(t, nil)
	change(&r)
	return r
}

func key(t *testing.T, r recipe) string {
	t.Helper()
	key, err := r.key()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func output(t *testing.T, program string) string {
	t.Helper()
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", program, err))
	}
	return string(out)
}
