package devcluster

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/crds"
)

var (
	namespaces     = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	configMaps     = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	accounts       = schema.GroupVersionResource{Version: "v1", Resource: "serviceaccounts"}
	secrets        = schema.GroupVersionResource{Version: "v1", Resource: "secrets"}
	clusters       = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "clusters"}
	clustersBefore = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta1", Resource: "clusters"}
	remoteClusters = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "remoteclusters"}
	controlPlanes  = schema.GroupVersionResource{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Resource: "k0smotroncontrolplanes"}
)

func TestTheWholeCluster(t *testing.T) {
	c := startCluster(t, Options{})
	api := dial(t, c)

	t.Run("Cluster API adopts the infrastructure of a Cluster", func(t *testing.T) {
		createNamespace(t, api, "adopt")
		create(t, api, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", "adopt", "geo", nil))
		made := create(t, api, clusters, object("cluster.x-k8s.io/v1beta2", "Cluster", "adopt", "geo", map[string]any{
			"infrastructureRef": reference("infrastructure.cluster.x-k8s.io", "RemoteCluster", "geo"),
			// Without an endpoint, and without a control plane to bring one, the infrastructure cannot be ready.
			"controlPlaneEndpoint": map[string]any{"host": "203.0.113.7", "port": int64(6443)},
		}))
		eventually(t, "the RemoteCluster belongs to the Cluster", func() error {
			got, err := api.Resource(remoteClusters).Namespace("adopt").Get(t.Context(), "geo", metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got.GetLabels()["cluster.x-k8s.io/cluster-name"] != "geo" {
				return fmt.Errorf("labels %v", got.GetLabels())
			}
			for _, owner := range got.GetOwnerReferences() {
				if owner.UID == made.GetUID() {
					return nil
				}
			}
			return fmt.Errorf("owners %v", got.GetOwnerReferences())
		})
	})

	t.Run("Cluster API converts between its versions", func(t *testing.T) {
		got, err := api.Resource(clustersBefore).Namespace("adopt").Get(t.Context(), "geo", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		version, _, err := unstructured.NestedString(got.Object, "spec", "infrastructureRef", "apiVersion")
		if err != nil || version != "infrastructure.cluster.x-k8s.io/v1beta2" && version != "infrastructure.cluster.x-k8s.io/v1beta1" {
			t.Errorf("the reference has apiVersion %q (%v), which only the converter can add", version, err)
		}
	})

	t.Run("Cluster API refuses a wrong Cluster", func(t *testing.T) {
		wrong := object("cluster.x-k8s.io/v1beta2", "Cluster", "adopt", "wrong", map[string]any{
			"clusterNetwork":    map[string]any{"services": map[string]any{"cidrBlocks": []any{"10.0.0.0/99"}}},
			"infrastructureRef": reference("infrastructure.cluster.x-k8s.io", "RemoteCluster", "wrong"),
		})
		_, err := api.Resource(clusters).Namespace("adopt").Create(t.Context(), wrong, metav1.CreateOptions{})
		if err == nil || !strings.Contains(err.Error(), "admission webhook") || !strings.Contains(err.Error(), "cidrBlocks") {
			t.Fatalf("got %v", err)
		}
	})

	t.Run("a hosted control plane comes up and goes away", func(t *testing.T) { hostAndRemove(t, c, api) })

	t.Run("requests are counted by verb and kind", func(t *testing.T) {
		before, err := c.Metrics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := api.Resource(configMaps).Namespace("adopt").List(t.Context(), metav1.ListOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		tried := object("v1", "ConfigMap", "adopt", "tried", nil)
		options := metav1.ApplyOptions{FieldManager: "test", DryRun: []string{metav1.DryRunAll}}
		if _, err := api.Resource(configMaps).Namespace("adopt").Apply(t.Context(), "tried", tried, options); err != nil {
			t.Fatal(err)
		}
		after, err := c.Metrics(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := after["LIST configmaps"] - before["LIST configmaps"]; got != 3 {
			t.Errorf("3 lists count as %d", got)
		}
		if got := after["APPLY configmaps (dry run)"] - before["APPLY configmaps (dry run)"]; got != 1 {
			t.Errorf("a dry run counts as %d", got)
		}
	})

	t.Run("all goes on when the API server was killed and started again", func(t *testing.T) {
		if err := c.KillAPIServer(); err != nil {
			t.Fatal(err)
		}
		if err := c.RestartAPIServer(t.Context()); err != nil {
			t.Fatal(err)
		}
		create(t, api, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", "adopt", "later", nil))
		select {
		case <-c.Died():
			t.Errorf("it counts as dead: %v", c.Err())
		default:
		}
	})

	t.Run("stops without leaving a process or a file", func(t *testing.T) {
		dir, records := c.opts.Dir, recorded(t, c.opts.Dir)
		if len(records) != 2 {
			t.Errorf("%d processes are recorded", len(records))
		}
		if err := c.Stop(); err != nil {
			t.Fatal(err)
		}
		for name, record := range records {
			if record.Alive() {
				t.Errorf("%s still runs", name)
			}
		}
		if _, err := os.Stat(dir); !os.IsNotExist(err) {
			t.Errorf("%s is still there (%v)", dir, err)
		}
	})
}

// hostAndRemove is the main job of the stand-in and of Cluster API together.
func hostAndRemove(t *testing.T, c *Cluster, api dynamic.Interface) {
	createNamespace(t, api, "host")
	create(t, api, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", "host", "train", nil))
	create(t, api, controlPlanes, object("controlplane.cluster.x-k8s.io/v1beta2", "K0smotronControlPlane", "host", "train", map[string]any{
		"version": "v1.35.4-k0s.0", "replicas": int64(1), "service": map[string]any{"type": "LoadBalancer"},
		"storage": map[string]any{"type": "etcd"},
	}))
	create(t, api, clusters, object("cluster.x-k8s.io/v1beta2", "Cluster", "host", "train", map[string]any{
		"infrastructureRef": reference("infrastructure.cluster.x-k8s.io", "RemoteCluster", "train"),
		"controlPlaneRef":   reference("controlplane.cluster.x-k8s.io", "K0smotronControlPlane", "train"),
	}))
	eventually(t, "the control plane is initialized", func() error {
		got, err := api.Resource(clusters).Namespace("host").Get(t.Context(), "train", metav1.GetOptions{})
		if err != nil {
			return err
		}
		status, _, _ := unstructured.NestedMap(got.Object, "status")
		if done, _, _ := unstructured.NestedBool(status, "initialization", "controlPlaneInitialized"); !done {
			return fmt.Errorf("status %v", status)
		}
		return nil
	})
	if _, err := api.Resource(secrets).Namespace("host").Get(t.Context(), "train-kubeconfig", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	hosted := recorded(t, filepath.Join(c.opts.Dir, hostedDir))
	if len(hosted) != 1 {
		t.Errorf("%d hosted API servers run", len(hosted))
	}
	foreground := metav1.DeletePropagationForeground
	if err := api.Resource(clusters).Namespace("host").Delete(t.Context(), "train", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "all of it is gone", func() error {
		for _, resource := range []schema.GroupVersionResource{clusters, controlPlanes, remoteClusters} {
			if _, err := api.Resource(resource).Namespace("host").Get(t.Context(), "train", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s: %w", resource.Resource, err)
			}
		}
		for name, record := range hosted {
			if record.Alive() {
				return fmt.Errorf("%s still runs", name)
			}
		}
		return nil
	})
}

func TestClustersSideBySide(t *testing.T) {
	first := startCluster(t, Options{WithoutClusterAPI: true, Dir: filepath.Join(t.TempDir(), "first")})
	second := startCluster(t, Options{WithoutClusterAPI: true})
	one, two := dial(t, first), dial(t, second)

	t.Run("do not see each other's objects", func(t *testing.T) {
		createNamespace(t, one, "only-here")
		if _, err := two.Resource(namespaces).Get(t.Context(), "only-here", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("give every namespace what namespaces have", func(t *testing.T) {
		createNamespace(t, one, "usual")
		eventually(t, "the service account and the CA are there", func() error {
			if _, err := one.Resource(accounts).Namespace("usual").Get(t.Context(), "default", metav1.GetOptions{}); err != nil {
				return err
			}
			_, err := one.Resource(configMaps).Namespace("usual").Get(t.Context(), "kube-root-ca.crt", metav1.GetOptions{})
			return err
		})
	})

	t.Run("delete in the foreground, owned objects first", func(t *testing.T) {
		createNamespace(t, one, "owned")
		owner := create(t, one, configMaps, object("v1", "ConfigMap", "owned", "owner", nil))
		child := object("v1", "ConfigMap", "owned", "child", nil)
		block := true
		child.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.GetUID(), BlockOwnerDeletion: &block}})
		create(t, one, configMaps, child)
		foreground := metav1.DeletePropagationForeground
		if err := one.Resource(configMaps).Namespace("owned").Delete(t.Context(), "owner", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "both are gone", func() error { return gone(t, one, configMaps, "owned", "owner", "child") })
	})

	t.Run("delete custom objects in the foreground", func(t *testing.T) {
		createNamespace(t, one, "custom")
		create(t, one, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", "custom", "geo", nil))
		foreground := metav1.DeletePropagationForeground
		if err := one.Resource(remoteClusters).Namespace("custom").Delete(t.Context(), "geo", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is gone", func() error { return gone(t, one, remoteClusters, "custom", "geo") })
	})

	t.Run("delete a namespace with what is in it", func(t *testing.T) {
		createNamespace(t, one, "full")
		create(t, one, configMaps, object("v1", "ConfigMap", "full", "some", nil))
		create(t, one, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", "full", "geo", nil))
		if err := one.Resource(namespaces).Delete(t.Context(), "full", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is gone", func() error {
			_, err := one.Resource(namespaces).Get(t.Context(), "full", metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil
			}
			return fmt.Errorf("still there: %w", err)
		})
	})

	t.Run("take all definitions that there are", func(t *testing.T) {
		folders := []fs.FS{crds.Files}
		if upstream := os.Getenv("K0SMOS_CRDS"); upstream != "" {
			folders = upstreamFolders(t, upstream)
		}
		if err := InstallCRDs(t.Context(), second.RESTConfig(), folders...); err != nil {
			t.Fatal(err)
		}
		got, err := two.Resource(controlPlanes).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(got.Items) != 0 {
			t.Errorf("got %v (%v)", got, err)
		}
		crd, err := two.Resource(crdResource).Get(t.Context(), "k0smotroncontrolplanes.controlplane.cluster.x-k8s.io", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if crd.GetLabels()["cluster.x-k8s.io/v1beta2"] != "v1beta2" {
			t.Errorf("Cluster API does not find its version by the labels %v", crd.GetLabels())
		}
	})

	t.Run("say so when a part dies", func(t *testing.T) {
		if err := syscall.Kill(second.api.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-second.Died()
		if err := second.Err(); err == nil || !strings.Contains(err.Error(), "apiserver ended by itself") {
			t.Errorf("got %v", err)
		}
	})

	t.Run("leave their logs in a folder that was given", func(t *testing.T) {
		if err := first.Stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(first.opts.Dir, managementDir, "apiserver.log")); err != nil {
			t.Error(err)
		}
	})
}
