package acctest

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/crds"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
)

// Scheduled is a bare API server that serves the kinds of KAI and Kueue, with nobody behind them. To the provider it is the
// hosted cluster geo/train of itself.
type Scheduled struct {
	*Server

	// Cluster is the value of the attribute cluster.
	Cluster string
}

var schedulers = sync.OnceValue(func() error {
	server, err := sharedServer()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	folders := []fs.FS{crds.Files}
	if upstream := os.Getenv("K0SMOS_CRDS"); upstream != "" {
		folders = []fs.FS{os.DirFS(filepath.Join(upstream, "kai")), os.DirFS(filepath.Join(upstream, "kueue"))}
	}
	if err := devcluster.InstallCRDs(ctx, server.Config, folders...); err != nil {
		return err
	}
	kubeconfig, err := os.ReadFile(server.Kubeconfig)
	if err != nil {
		return err
	}
	for _, document := range []string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: geo}}",
		fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: train-kubeconfig, namespace: geo}, data: {value: %s}}", base64.StdEncoding.EncodeToString(kubeconfig)),
	} {
		if err := server.TryApplyAs(ctx, "k0smotron", document); err != nil {
			return err
		}
	}
	return nil
})

// Schedulers is the bare API server of this test binary with the kinds of KAI and Kueue.
func Schedulers(t testing.TB) *Scheduled {
	t.Helper()
	server := SharedServer(t)
	if err := schedulers(); err != nil {
		t.Fatalf("install the kinds of the schedulers: %v", err)
	}
	return &Scheduled{Server: server, Cluster: `{ namespace = "geo", name = "train" }`}
}
