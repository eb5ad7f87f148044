package devcluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/binaries"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/process"
)

const (
	kueueGroup = "kueue.x-k8s.io"
	// kueueNamespace is the one that Kueue's own installation uses.
	kueueNamespace = "kueue-system"
)

// KueueOptions say where Kueue's manager runs.
type KueueOptions struct {
	Server *APIServer // the cluster whose queues it minds
	Dir    string     // for its files; made if missing
	Log    io.Writer  // gets a line if the manager has to be built; nil is silence
}

// Kueue is Kueue's own manager, with its CRDs and webhooks, at work in a cluster. It admits and evicts by quotas, so no
// nodes are needed: whether a Job is suspended is all that it decides.
type Kueue struct {
	opts    KueueOptions
	found   binaries.Kueue
	client  dynamic.Interface
	manager *process.Process
}

// StartKueue installs Kueue in a cluster and returns when its webhooks judge. It runs until Stop, not until ctx ends.
func StartKueue(ctx context.Context, o KueueOptions) (*Kueue, error) {
	found, err := binaries.FindKueue(ctx, o.Log)
	if err != nil {
		return nil, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	client, err := dynamic.NewForConfig(o.Server.RESTConfig())
	if err != nil {
		return nil, err
	}
	k := &Kueue{opts: o, found: found, client: client}
	if err := k.start(ctx); err != nil {
		return nil, errors.Join(err, k.Stop())
	}
	return k, nil
}

func (k *Kueue) start(ctx context.Context) error {
	if err := createNamespaceOf(ctx, k.client, kueueNamespace); err != nil {
		return err
	}
	if err := k.writeFiles(); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		port, err := kubeapi.FreePort()
		if err != nil {
			return err
		}
		hooks := webhooks{url: "https://127.0.0.1:" + strconv.Itoa(port), ca: k.opts.Server.CA().CertPEM}
		if err := k.installCRDs(ctx, hooks); err != nil {
			return err
		}
		err = k.run(ctx, port)
		if err == nil {
			manifests := filepath.Join(k.found.Source, "config", "components", "webhook", "manifests.yaml")
			if err := hooks.install(ctx, k.client, manifests, "kueue-"); err != nil {
				return fmt.Errorf("install the webhooks of Kueue: %w", err)
			}
			return k.waitRefusal(ctx)
		}
		if attempt == startAttempts || !strings.Contains(err.Error(), "address already in use") {
			return err
		}
	}
}

// installCRDs installs the CRDs of Kueue's module. The manager converts between the versions of those kinds for which
// its installation says so.
func (k *Kueue) installCRDs(ctx context.Context, hooks webhooks) error {
	folder := filepath.Join(k.found.Source, "config", "components", "crd")
	definitions, err := readCRDs(os.DirFS(filepath.Join(folder, "bases")))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(folder, "kustomization.yaml"))
	if err != nil {
		return err
	}
	converted := map[string]bool{}
	for _, found := range regexp.MustCompile(`(?m)^- path: patches/webhook_in_(\w+)\.yaml$`).FindAllSubmatch(text, -1) {
		converted[string(found[1])+"."+kueueGroup] = true
	}
	if len(converted) == 0 {
		return fmt.Errorf("%s: cannot find which kinds are converted", folder)
	}
	for _, crd := range definitions {
		if !converted[crd.GetName()] {
			continue
		}
		if err := hooks.convert(crd); err != nil {
			return err
		}
	}
	return install(ctx, k.opts.Server.RESTConfig(), definitions)
}

// configuration is that of a usual installation as far as quotas go: fair sharing is on, without which weights have no
// effect, and Jobs and Pods are those workloads whose kinds every cluster has.
const configuration = `apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: ` + kueueNamespace + `
health: {healthProbeBindAddress: "0"}
metrics: {bindAddress: "0"}
webhook: {host: 127.0.0.1, port: %d, certDir: %q}
leaderElection: {leaderElect: false}
internalCertManagement: {enable: false}
clientConnection: {qps: -1}
featureGates: {VisibilityOnDemand: false}
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
integrations: {frameworks: [batch/job, pod]}
`

func (k *Kueue) dir(name ...string) string {
	return filepath.Join(append([]string{k.opts.Dir}, name...)...)
}

// writeFiles writes the manager's kubeconfig and the certificate of its webhooks.
func (k *Kueue) writeFiles() error {
	if err := os.MkdirAll(k.dir("certificates"), 0o700); err != nil {
		return err
	}
	kubeconfig, err := k.opts.Server.KubeconfigFor("kueue", "system:masters")
	if err != nil {
		return err
	}
	serving, err := k.opts.Server.CA().Server("127.0.0.1")
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(k.dir("kubeconfig"), kubeconfig, 0o600),
		os.WriteFile(k.dir("certificates", "tls.crt"), serving.CertPEM, 0o600),
		os.WriteFile(k.dir("certificates", "tls.key"), serving.KeyPEM, 0o600),
	)
}

// run starts the manager and waits until its webhook server accepts connections.
func (k *Kueue) run(ctx context.Context, port int) error {
	config := fmt.Sprintf(configuration, port, k.dir("certificates"))
	if err := os.WriteFile(k.dir("configuration.yaml"), []byte(config), 0o600); err != nil {
		return err
	}
	manager, err := process.Start(process.Spec{
		Name: "kueue",
		Dir:  k.opts.Dir,
		Path: k.found.Program,
		Args: []string{"--config=" + k.dir("configuration.yaml"), "--kubeconfig=" + k.dir("kubeconfig"), "--zap-log-level=2"},
	})
	if err != nil {
		return err
	}
	if err := waitWebhookServer(ctx, manager, port, k.opts.Server.CA()); err != nil {
		return err
	}
	k.manager = manager
	return nil
}

// waitRefusal waits until a ClusterQueue that Kueue must refuse is refused by its webhook.
func (k *Kueue) waitRefusal(ctx context.Context) error {
	wrong := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": kueueGroup + "/v1beta2", "kind": "ClusterQueue", "metadata": map[string]any{"name": "probe"},
		"spec": map[string]any{"resourceGroups": []any{map[string]any{
			"coveredResources": []any{"cpu"},
			"flavors": []any{map[string]any{"name": "probe", "resources": []any{
				map[string]any{"name": "memory", "nominalQuota": "1"}, // which is not covered; the CRD lets that pass
			}}},
		}}},
	}}
	queues := k.client.Resource(schema.GroupVersionResource{Group: kueueGroup, Version: "v1beta2", Resource: "clusterqueues"})
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	return k.manager.Wait(ctx, func(ctx context.Context) error {
		_, err := queues.Create(ctx, wrong, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if (apierrors.IsInvalid(err) || apierrors.IsForbidden(err)) && strings.Contains(err.Error(), "admission webhook") {
			return nil
		}
		return fmt.Errorf("the webhooks do not judge a ClusterQueue yet: %w", errors.Join(err, ctx.Err()))
	})
}

// Stop ends the manager and returns when it is gone. Stopping twice does nothing.
func (k *Kueue) Stop() error {
	if k.manager == nil {
		return nil
	}
	return k.manager.Kill()
}

// Err says why the manager ended, if it ended by itself.
func (k *Kueue) Err() error { return k.manager.Err() }

// Log is the path of what the manager says, which tells why it admits or evicts.
func (k *Kueue) Log() string { return k.manager.Log() }
