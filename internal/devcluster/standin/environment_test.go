package standin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/crds"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

// management is the one management cluster of these tests; every test has a namespace of its own.
var management *kubeapi.Server

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "standin")
	if err != nil {
		return failed(err)
	}
	if management, err = kubeapi.Start(context.Background(), kubeapi.Options{Dir: dir}); err != nil {
		return failed(err)
	}
	code := 0
	if err := installDefinitions(context.Background()); err != nil {
		code = failed(err)
	} else {
		code = m.Run()
	}
	if err := errors.Join(management.Stop(), os.RemoveAll(dir)); err != nil {
		return failed(err)
	}
	return code
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// definitions are the CRDs of upstream where K0SMOS_CRDS says where they are, else our own.
func definitions() ([][]byte, error) {
	var files fs.FS = crds.Files
	patterns := []string{"*.yaml"}
	if folder := os.Getenv("K0SMOS_CRDS"); folder != "" {
		files = os.DirFS(absolute(folder))
		patterns = []string{
			"k0smotron/v2.1.0/*_clusters.yaml", "k0smotron/v2.1.0/*_k0smotroncontrolplanes.yaml", "k0smotron/v2.1.0/*_remoteclusters.yaml",
			"k0smotron/v2.1.0/*machines.yaml", "k0smotron/v2.1.0/*_k0sworkerconfigs.yaml",
			"cluster-api/*/cluster.x-k8s.io_clusters.yaml", "cluster-api/*/cluster.x-k8s.io_machines.yaml",
		}
	}
	var all [][]byte
	for _, pattern := range patterns {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			content, err := fs.ReadFile(files, name)
			if err != nil {
				return nil, err
			}
			all = append(all, content)
		}
	}
	if len(all) < 4 {
		return nil, fmt.Errorf("found only %d definitions", len(all))
	}
	return all, nil
}

// absolute resolves a path that a user gave relative to the repository's root, where make runs.
func absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join("..", "..", "..", path)
}

func installDefinitions(ctx context.Context) error {
	client, err := dynamic.NewForConfig(management.RESTConfig())
	if err != nil {
		return err
	}
	all, err := definitions()
	if err != nil {
		return err
	}
	resource := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, content := range all {
		var crd unstructured.Unstructured
		if err := yaml.Unmarshal(content, &crd.Object); err != nil {
			return err
		}
		if _, err := resource.Create(ctx, &crd, metav1.CreateOptions{}); err != nil {
			return err
		}
		if err := established(ctx, resource, crd.GetName()); err != nil {
			return err
		}
	}
	return nil
}

func established(ctx context.Context, resource dynamic.ResourceInterface, name string) error {
	w, err := resource.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		return err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if crd, ok := event.Object.(*unstructured.Unstructured); ok && flatten(crd)["status.conditions[Established].status"] == "True" {
			return nil
		}
	}
	return fmt.Errorf("%s was not established", name)
}

// bench is what a test works with.
type bench struct {
	*recorder
	client    dynamic.Interface
	namespace string
	operator  *standin.StandIn
}

var namespaces atomic.Int64

// newBench starts a stand-in and records what happens in a fresh namespace.
func newBench(t *testing.T, options standin.Options) *bench {
	t.Helper()
	config := management.RESTConfig()
	config.WarningHandler = rest.NoWarnings{}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	namespace := fmt.Sprintf("test-%d", namespaces.Add(1))
	if _, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Create(t.Context(),
		&unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": namespace}}},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if options.Launch == nil {
		options.Launch = launchFake
	}
	options.Log = t.Output()
	b := &bench{recorder: record(t, client, namespace), client: client, namespace: namespace}
	if b.operator, err = standin.Start(t.Context(), management.RESTConfig(), options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.operator.Stop(); err != nil {
			t.Error(err)
		}
		if err := b.clear(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// clear takes away what the next test's operator would care for. The test's own context is over by then.
func (b *bench) clear() error {
	ctx := context.Background()
	for _, resource := range []schema.GroupVersionResource{machines, remoteMachines, clusters, controlPlanes, derived, remoteClusters} {
		objects := b.client.Resource(resource).Namespace(b.namespace)
		list, err := objects.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, obj := range list.Items {
			_, err := objects.Patch(ctx, obj.GetName(), types.MergePatchType, []byte(`{"metadata": {"finalizers": null}}`), metav1.PatchOptions{})
			if err == nil {
				err = objects.Delete(ctx, obj.GetName(), metav1.DeleteOptions{})
			}
			if err != nil && !apierrors.IsNotFound(err) {
				return err
			}
		}
	}
	return nil
}

// launchFake serves just enough of an API server for the operator to find it alive.
func launchFake(_ context.Context, ref standin.Ref, _ pki.Pair) (*standin.Hosted, error) {
	uid := fmt.Sprintf("uid-%s-%d", ref.Name, time.Now().UnixNano())
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "kube-system", "uid": uid}})
	}))
	ca, err := pki.NewCA("fake")
	if err != nil {
		return nil, err
	}
	return hosted(server.URL, pemOf(server), ca, uid, func() error { server.Close(); return nil })
}

// launchReal starts a second real API server.
func launchReal(t *testing.T) standin.HostedLauncher {
	var lock sync.Mutex
	return func(ctx context.Context, ref standin.Ref, pair pki.Pair) (*standin.Hosted, error) {
		ca, err := pki.ParseCA(pair.CertPEM, pair.KeyPEM)
		if err != nil {
			return nil, err
		}
		lock.Lock()
		dir := t.TempDir()
		lock.Unlock()
		server, err := kubeapi.Start(ctx, kubeapi.Options{Dir: dir, CA: ca, Name: ref.Name})
		if err != nil {
			return nil, err
		}
		client, err := dynamic.NewForConfig(server.RESTConfig())
		if err != nil {
			return nil, err
		}
		system, err := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}).Get(ctx, "kube-system", metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return hosted(server.Endpoint(), ca.CertPEM, ca, string(system.GetUID()), server.Stop)
	}
}

func hosted(url string, bundle []byte, ca *pki.CA, uid string, stop func() error) (*standin.Hosted, error) {
	admin, err := ca.Client("admin", "system:masters")
	if err != nil {
		return nil, err
	}
	config := clientcmdapi.NewConfig()
	config.Clusters["c"] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: bundle}
	config.AuthInfos["u"] = &clientcmdapi.AuthInfo{ClientCertificateData: admin.CertPEM, ClientKeyData: admin.KeyPEM}
	config.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	config.CurrentContext = "x"
	content, err := clientcmd.Write(*config)
	return &standin.Hosted{Server: url, CA: bundle, AdminKubeconfig: content, KubeSystemUID: uid, Stop: stop}, err
}
