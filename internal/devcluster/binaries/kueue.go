package binaries

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Kueue is Kueue's own manager. It is no part of the embedded cluster, so nobody builds it who does not ask for it.
type Kueue struct {
	Program string // the manager
	Source  string // the folder of Kueue's module: its CRDs and webhook manifests are in there
}

// FindKueue returns Kueue's manager, and builds it first if the cache does not have it, as Find does.
func FindKueue(ctx context.Context, progress io.Writer) (Kueue, error) {
	if progress == nil {
		progress = io.Discard
	}
	source, err := sourceFolder()
	if err != nil {
		return Kueue{}, err
	}
	r, err := kueueRecipe(ctx, filepath.Join(source, "kueue"))
	if err != nil {
		return Kueue{}, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return Kueue{}, err
	}
	program, err := r.find(ctx, cache, progress)
	return Kueue{Program: program, Source: r.source}, err
}

// metricsCertificates is where the manager reads the certificate of its metrics endpoint, for which it has no flag. It
// reads it with metrics turned off as well.
const metricsCertificates = `metricsCertPath := "/etc/kueue/metrics/certs"`

// kueueRecipe lets the manager take the certificate of its webhooks for its metrics too.
func kueueRecipe(ctx context.Context, module string) (recipe, error) {
	const within = "sigs.k8s.io/kueue"
	r := recipe{name: "kueue", module: module, target: within + "/cmd/kueue", within: within}
	if err := r.readVersions(ctx, within); err != nil {
		return r, err
	}
	var err error
	if r.source, err = moduleFolder(ctx, module, within); err != nil {
		return r, err
	}
	main := filepath.Join(r.source, "cmd", "kueue", "main.go")
	text, err := os.ReadFile(main)
	if err != nil {
		return r, err
	}
	if strings.Count(string(text), metricsCertificates) != 1 {
		return r, fmt.Errorf("%s: cannot find where the certificate of metrics is read; adapt the recipe to Kueue %s", main, r.version)
	}
	r.mainGo = strings.Replace(string(text), metricsCertificates, "metricsCertPath := cfg.Webhook.CertDir", 1)
	return r, nil
}
