package devcluster

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

// upstreamFolders are all definitions of all projects, of those projects that are there in two versions the one that
// the stand-in plays.
func upstreamFolders(t *testing.T, root string) []fs.FS {
	t.Helper()
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	folders := []fs.FS{os.DirFS(filepath.Join(root, upstreamK0smotron))}
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != filepath.Dir(upstreamK0smotron) {
			folders = append(folders, os.DirFS(filepath.Join(root, entry.Name())))
		}
	}
	if len(folders) < 5 {
		t.Fatalf("%s holds only %d projects", root, len(folders))
	}
	return folders
}

func startCluster(t *testing.T, o Options) *Cluster {
	t.Helper()
	o.CRDs = os.Getenv("K0SMOS_CRDS")
	c, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func dial(t *testing.T, c *Cluster) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func object(apiVersion, kind, namespace, name string, spec map[string]any) *unstructured.Unstructured {
	made := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": name, "namespace": namespace},
	}}
	if spec != nil {
		made.Object["spec"] = spec
	}
	return made
}

func reference(group, kind, name string) map[string]any {
	return map[string]any{"apiGroup": group, "kind": kind, "name": name}
}

func createNamespace(t *testing.T, api dynamic.Interface, name string) {
	t.Helper()
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	if _, err := api.Resource(namespaces).Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func create(t *testing.T, api dynamic.Interface, resource schema.GroupVersionResource, o *unstructured.Unstructured) *unstructured.Unstructured {
	t.Helper()
	made, err := api.Resource(resource).Namespace(o.GetNamespace()).Create(t.Context(), o, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func gone(t *testing.T, api dynamic.Interface, resource schema.GroupVersionResource, namespace string, names ...string) error {
	t.Helper()
	for _, name := range names {
		if _, err := api.Resource(resource).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s is still there: %w", name, err)
		}
	}
	return nil
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	if err := poll(t.Context(), func(context.Context) error { return check() }); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// recorded are the processes that run for a cluster.
func recorded(t *testing.T, dir string) map[string]process.Record {
	t.Helper()
	found := map[string]process.Record{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".pid" {
			return err
		}
		record, err := process.ReadRecord(path)
		found[path] = record
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func decode64(t *testing.T, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
