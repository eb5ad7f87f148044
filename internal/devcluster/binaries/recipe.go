package binaries

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// recipe is how one program is built.
type recipe struct {
	name    string   // of the program and of its cache entry
	version string   // of the module that it is mostly made of
	module  string   // folder of the build module
	source  string   // folder of the module with that version, if it is needed
	ldflags []string // in addition to stripping
	target  string   // package to build
	within  string   // module of the target, if its main.go is replaced and the target is not the module's own folder
	mainGo  string   // text to compile in place of the target's main.go
	goVer   string   // of the Go that builds it, and what for
}

// apiServerRecipe links the version in, without which the API server calls itself v0.0.0-master and Cluster API
// refuses it.
func apiServerRecipe(ctx context.Context, module string) (recipe, error) {
	r := recipe{name: "apiserver", module: module, target: "."}
	if err := r.readVersions(ctx, "k8s.io/kubernetes"); err != nil {
		return r, err
	}
	parts := strings.SplitN(strings.TrimPrefix(r.version, "v"), ".", 3)
	if len(parts) != 3 {
		return r, fmt.Errorf("%s: k8s.io/kubernetes %s is not a version", module, r.version)
	}
	const pkg = "k8s.io/component-base/version."
	r.ldflags = []string{
		"-X " + pkg + "gitVersion=" + r.version,
		"-X " + pkg + "gitMajor=" + parts[0],
		"-X " + pkg + "gitMinor=" + parts[1],
	}
	return r, nil
}

// clusterAPIRecipe binds the webhook server to loopback, for which the manager has no flag.
func clusterAPIRecipe(ctx context.Context, module string) (recipe, error) {
	r := recipe{name: "cluster-api", module: module, target: "sigs.k8s.io/cluster-api"}
	if err := r.readVersions(ctx, "sigs.k8s.io/cluster-api"); err != nil {
		return r, err
	}
	var err error
	if r.source, err = moduleFolder(ctx, module, r.target); err != nil {
		return r, err
	}
	main := filepath.Join(r.source, "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return r, err
	}
	port := regexp.MustCompile(`(?m)^\s*Port:\s+webhookPort,$`)
	if len(port.FindAll(text, -1)) != 1 {
		return r, fmt.Errorf("%s: cannot find where the webhook server gets its port; adapt the recipe to Cluster API %s", main, r.version)
	}
	r.mainGo = port.ReplaceAllString(string(text), "${0} Host: \"127.0.0.1\",")
	return r, nil
}

// readVersions reads what the cache key needs: the version of the module that counts, and of the Go that builds it.
func (r *recipe) readVersions(ctx context.Context, dependency string) error {
	mod, err := os.ReadFile(filepath.Join(r.module, "go.mod"))
	if err != nil {
		return err
	}
	found := regexp.MustCompile(`(?m)^\s*(?:require\s+)?` + regexp.QuoteMeta(dependency) + `\s+(v\S+)`).FindSubmatch(mod)
	if found == nil {
		return fmt.Errorf("%s does not require %s", filepath.Join(r.module, "go.mod"), dependency)
	}
	r.version = string(found[1])
	r.goVer, err = goCommand(ctx, r.module, "env", "GOVERSION", "GOOS", "GOARCH")
	return err
}

// moduleFolder finds the source of a dependency of a build module, and has it downloaded if it is not there.
func moduleFolder(ctx context.Context, module, dependency string) (string, error) {
	dir, err := goCommand(ctx, module, "list", "-m", "-f", "{{.Dir}}", dependency)
	if err != nil || dir != "" {
		return dir, err
	}
	if _, err := goCommand(ctx, module, "mod", "download", dependency); err != nil {
		return "", err
	}
	dir, err = goCommand(ctx, module, "list", "-m", "-f", "{{.Dir}}", dependency)
	if err == nil && dir == "" {
		err = fmt.Errorf("the Go command does not say where the source of %s is", dependency)
	}
	return dir, err
}

// key names the cache entry. It changes with anything that changes the program.
func (r recipe) key() (string, error) {
	sum := sha256.New()
	for _, part := range append([]string{r.goVer, r.target, r.mainGo}, r.ldflags...) {
		add(sum, part)
	}
	files, err := filepath.Glob(filepath.Join(r.module, "*"))
	if err != nil {
		return "", err
	}
	for _, file := range files {
		base := filepath.Base(file)
		if base != "go.mod" && base != "go.sum" && filepath.Ext(base) != ".go" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		add(sum, base)
		add(sum, string(data))
	}
	return r.name + "-" + r.version + "-" + hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func add(sum hash.Hash, part string) {
	fmt.Fprintf(sum, "%d:%s;", len(part), part)
}
