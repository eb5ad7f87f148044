package devcluster

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

// clusterAPINamespace is the one that Cluster API's own installation uses.
const clusterAPINamespace = "capi-system"

const startAttempts = 5

// startClusterAPI installs Cluster API's CRDs, runs its manager, and has the API server call its webhooks.
func (c *Cluster) startClusterAPI(ctx context.Context) error {
	client, err := dynamic.NewForConfig(c.RESTConfig())
	if err != nil {
		return err
	}
	if err := createNamespaceOf(ctx, client, clusterAPINamespace); err != nil {
		return err
	}
	certificates, err := c.writeManagerFiles()
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		port, err := kubeapi.FreePort()
		if err != nil {
			return err
		}
		hooks := webhooks{url: "https://127.0.0.1:" + strconv.Itoa(port), ca: c.api.CA().CertPEM}
		if err := c.installClusterAPICRDs(ctx, hooks.convert); err != nil {
			return err
		}
		err = c.runManager(ctx, port, certificates)
		if err == nil {
			return c.installWebhooks(ctx, client, hooks)
		}
		if attempt == startAttempts || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
	}
}

// writeManagerFiles writes the manager's kubeconfig and the certificates of its webhooks, and returns where these are.
func (c *Cluster) writeManagerFiles() (string, error) {
	certificates := c.dir(clusterAPIDir, "certificates")
	if err := os.MkdirAll(certificates, 0o700); err != nil {
		return "", err
	}
	kubeconfig, err := c.api.KubeconfigFor("cluster-api", "system:masters")
	if err != nil {
		return "", err
	}
	serving, err := c.api.CA().Server("127.0.0.1")
	if err != nil {
		return "", err
	}
	return certificates, errors.Join(
		os.WriteFile(c.dir(clusterAPIDir, "kubeconfig"), kubeconfig, 0o600),
		os.WriteFile(filepath.Join(certificates, "tls.crt"), serving.CertPEM, 0o600),
		os.WriteFile(filepath.Join(certificates, "tls.key"), serving.KeyPEM, 0o600),
	)
}

// runManager starts the manager and waits until its webhook server accepts connections.
func (c *Cluster) runManager(ctx context.Context, port int, certificates string) error {
	manager, err := process.Start(process.Spec{
		Name: "cluster-api",
		Dir:  c.dir(clusterAPIDir),
		Path: c.paths.ClusterAPI,
		Args: []string{
			"--kubeconfig=" + c.dir(clusterAPIDir, "kubeconfig"),
			"--webhook-port=" + strconv.Itoa(port),
			"--webhook-cert-dir=" + certificates,
			"--leader-elect=false",
			"--health-addr=0",
			"--diagnostics-address=0",
		},
		Env: []string{"POD_NAMESPACE=" + clusterAPINamespace},
	})
	if err != nil {
		return err
	}
	if err := waitWebhookServer(ctx, manager, port, c.api.CA()); err != nil {
		return err
	}
	c.manager = manager
	return nil
}

// waitWebhookServer waits until the webhook server of a manager accepts connections. A manager that does not get there
// is stopped.
func waitWebhookServer(ctx context.Context, manager *process.Process, port int, ca *pki.CA) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca.CertPEM)
	dialer := tls.Dialer{Config: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	err := manager.Wait(ctx, func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return errors.Join(err, manager.Kill())
	}
	return nil
}

// installWebhooks applies Cluster API's webhook configurations and waits until the API server asks the webhooks.
func (c *Cluster) installWebhooks(ctx context.Context, client dynamic.Interface, hooks webhooks) error {
	file := filepath.Join(c.paths.ClusterAPISource, "config", "webhook", "manifests.yaml")
	if err := hooks.install(ctx, client, file, "capi-"); err != nil {
		return fmt.Errorf("install the webhooks of Cluster API: %w", err)
	}
	return c.waitRefusal(ctx, client)
}

// waitRefusal waits until a Cluster that Cluster API must refuse is refused by its webhook.
func (c *Cluster) waitRefusal(ctx context.Context, client dynamic.Interface) error {
	wrong := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": clusterAPIGroup + "/v1beta2", "kind": "Cluster",
		"metadata": map[string]any{"name": "probe", "namespace": clusterAPINamespace},
		"spec":     map[string]any{"clusterNetwork": map[string]any{"pods": map[string]any{"cidrBlocks": []any{"none"}}}},
	}}
	clusters := client.Resource(schema.GroupVersionResource{Group: clusterAPIGroup, Version: "v1beta2", Resource: "clusters"})
	return c.manager.Wait(ctx, func(ctx context.Context) error {
		_, err := clusters.Namespace(clusterAPINamespace).Create(ctx, wrong, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if (apierrors.IsInvalid(err) || apierrors.IsForbidden(err)) && strings.Contains(err.Error(), "admission webhook") {
			return nil
		}
		return fmt.Errorf("the webhooks do not judge a Cluster yet: %w", errors.Join(err, ctx.Err()))
	})
}

// webhooks are served by a process on this machine, not by a Service of the cluster.
type webhooks struct {
	url string
	ca  []byte
}

// install applies the webhook configurations of a file, under names as the project's installation makes them from those
// in the file.
func (w webhooks) install(ctx context.Context, client dynamic.Interface, file, prefix string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	for document := range strings.SplitSeq(string(data), "\n---\n") {
		configuration := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(document), &configuration.Object); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		configuration.SetName(prefix + configuration.GetName())
		if err := w.redirect(configuration); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		resource := schema.GroupVersionResource{
			Group: "admissionregistration.k8s.io", Version: "v1", Resource: strings.ToLower(configuration.GetKind()) + "s",
		}
		options := metav1.ApplyOptions{FieldManager: fieldManager, Force: true}
		if _, err := client.Resource(resource).Apply(ctx, configuration.GetName(), configuration, options); err != nil {
			return err
		}
	}
	return nil
}

// createNamespaceOf makes the namespace of a manager.
func createNamespaceOf(ctx context.Context, client dynamic.Interface, name string) error {
	namespaces := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "namespaces"})
	namespace := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name},
	}}
	_, err := namespaces.Create(ctx, namespace, metav1.CreateOptions{})
	return err
}

// redirect makes every webhook of a configuration call this machine, with the path that it has.
func (w webhooks) redirect(configuration *unstructured.Unstructured) error {
	list, _, err := unstructured.NestedSlice(configuration.Object, "webhooks")
	if err != nil {
		return err
	}
	for _, entry := range list {
		hook, ok := entry.(map[string]any)
		if !ok {
			return errors.New("a webhook is not an object")
		}
		path, found, err := unstructured.NestedString(hook, "clientConfig", "service", "path")
		if err != nil || !found {
			return fmt.Errorf("webhook %v has no path", hook["name"])
		}
		hook["clientConfig"] = w.clientConfig(path)
	}
	return unstructured.SetNestedSlice(configuration.Object, list, "webhooks")
}

// convert lets Cluster API convert between the versions of its kinds.
func (w webhooks) convert(crd *unstructured.Unstructured) error {
	return unstructured.SetNestedMap(crd.Object, map[string]any{
		"strategy": "Webhook",
		"webhook": map[string]any{
			"conversionReviewVersions": []any{"v1"},
			"clientConfig":             w.clientConfig("/convert"),
		},
	}, "spec", "conversion")
}

func (w webhooks) clientConfig(path string) map[string]any {
	return map[string]any{"url": w.url + path, "caBundle": base64.StdEncoding.EncodeToString(w.ca)}
}
