package devcluster

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

var (
	deployments    = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machinedeployments"}
	machines       = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machines"}
	healthChecks   = schema.GroupVersionResource{Group: "cluster.x-k8s.io", Version: "v1beta2", Resource: "machinehealthchecks"}
	pooled         = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "pooledremotemachines"}
	hostTemplates  = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "remotemachinetemplates"}
	remoteMachines = schema.GroupVersionResource{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Resource: "remotemachines"}
	workerConfigs  = schema.GroupVersionResource{Group: "bootstrap.cluster.x-k8s.io", Version: "v1beta2", Resource: "k0sworkerconfigtemplates"}
	nodes          = schema.GroupVersionResource{Version: "v1", Resource: "nodes"}
	pods           = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

const poolNamespace = "pool"

// rig is a cluster with a pool of three hosts, of which the MachineDeployment uses two at first.
type rig struct {
	cluster *Cluster
	api     dynamic.Interface
	hosted  dynamic.Interface
}

func startRig(t *testing.T) *rig {
	t.Helper()
	c := startCluster(t, Options{Log: t.Output(), StandIn: standin.Options{Log: t.Output()}})
	r := &rig{cluster: c, api: dial(t, c)}
	createNamespace(t, r.api, poolNamespace)
	create(t, r.api, remoteClusters, object("infrastructure.cluster.x-k8s.io/v1beta2", "RemoteCluster", poolNamespace, "geo", nil))
	create(t, r.api, controlPlanes, object("controlplane.cluster.x-k8s.io/v1beta2", "K0smotronControlPlane", poolNamespace, "geo", map[string]any{
		"version": "v1.35.4+k0s.0", "replicas": int64(1), "service": map[string]any{"type": "LoadBalancer"},
		"storage": map[string]any{"type": "etcd"},
	}))
	create(t, r.api, clusters, object("cluster.x-k8s.io/v1beta2", "Cluster", poolNamespace, "geo", map[string]any{
		"infrastructureRef": reference("infrastructure.cluster.x-k8s.io", "RemoteCluster", "geo"),
		"controlPlaneRef":   reference("controlplane.cluster.x-k8s.io", "K0smotronControlPlane", "geo"),
	}))
	eventually(t, "the hosted cluster has a kubeconfig", func() error {
		_, err := r.api.Resource(secrets).Namespace(poolNamespace).Get(t.Context(), "geo-kubeconfig", metav1.GetOptions{})
		return err
	})
	r.hosted = r.dialHosted(t)
	return r
}

func (r *rig) dialHosted(t *testing.T) dynamic.Interface {
	t.Helper()
	secret, err := r.api.Resource(secrets).Namespace(poolNamespace).Get(t.Context(), "geo-kubeconfig", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	data, _, _ := unstructured.NestedString(secret.Object, "data", "value")
	config, err := clientcmd.RESTConfigFromKubeConfig(decode64(t, data))
	if err != nil {
		t.Fatal(err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

const poolTemplates = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: RemoteMachineTemplate
metadata: {name: NAME}
spec: {template: {spec: {pool: qc}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: K0sWorkerConfigTemplate
metadata: {name: NAME}
spec:
  template:
    spec:
      version: v1.35.4+k0s.0
      args:
      - --labels=topology.kubernetes.io/region=ca-qc,k0smos.io/gpu-vendor=nvidia,k0smos.io/gpu-model=A100-80GB
      - --taints="nvidia.com/gpu=present:NoSchedule"
      files: [{path: /etc/motd, content: "NAME", permissions: "0644"}]
`

const poolDeployment = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: {name: qc, labels: {cluster.x-k8s.io/cluster-name: geo}}
spec:
  clusterName: geo
  replicas: 2
  selector: {matchLabels: {cluster.x-k8s.io/cluster-name: geo, cluster.x-k8s.io/deployment-name: qc}}
  rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}}
  template:
    metadata: {labels: {cluster.x-k8s.io/cluster-name: geo, cluster.x-k8s.io/deployment-name: qc}}
    spec:
      clusterName: geo
      version: v1.35.4+k0s.0
      deletion: {nodeDrainTimeoutSeconds: 60, nodeVolumeDetachTimeoutSeconds: 30, nodeDeletionTimeoutSeconds: 30}
      bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: K0sWorkerConfigTemplate, name: qc-1}}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachineTemplate, name: qc-1}
`

func (r *rig) createPool(t *testing.T) {
	t.Helper()
	key := object("v1", "Secret", poolNamespace, "qc-ssh", nil)
	key.Object["stringData"] = map[string]any{"value": "a private key"}
	create(t, r.api, secrets, key)
	for i := range 3 {
		host := object("infrastructure.cluster.x-k8s.io/v1beta2", "PooledRemoteMachine", poolNamespace, fmt.Sprintf("qc-gpu0%d", i+1), map[string]any{
			"pool":    "qc",
			"machine": map[string]any{"address": fmt.Sprintf("10.0.0.%d", i+1), "sshKeyRef": map[string]any{"name": "qc-ssh"}},
		})
		host.SetLabels(map[string]string{"node.cluster.x-k8s.io/rack": fmt.Sprintf("r%d", i+1)})
		create(t, r.api, pooled, host)
	}
	r.createTemplates(t, "qc-1")
	create(t, r.api, deployments, parse(t, poolDeployment))
}

func (r *rig) createTemplates(t *testing.T, name string) {
	t.Helper()
	infra, config, _ := strings.Cut(strings.ReplaceAll(poolTemplates, "NAME", name), "---")
	create(t, r.api, hostTemplates, parse(t, infra))
	create(t, r.api, workerConfigs, parse(t, config))
}

func parse(t *testing.T, manifest string) *unstructured.Unstructured {
	t.Helper()
	made := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(manifest), &made.Object); err != nil {
		t.Fatal(err)
	}
	made.SetNamespace(poolNamespace)
	return made
}

// createPod makes a pod that a controller would make again: others are not moved.
func (r *rig) createPod(t *testing.T, name, node string) {
	t.Helper()
	pod := object("v1", "Pod", "default", name, map[string]any{
		"nodeName": node, "containers": []any{map[string]any{"name": "c", "image": "i"}},
		"tolerations": []any{map[string]any{"operator": "Exists"}},
	})
	pod.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: name, UID: "1", Controller: new(true)}})
	// A new namespace is without its service account for a moment.
	eventually(t, "the pod is made", func() error {
		_, err := r.hosted.Resource(pods).Namespace("default").Create(t.Context(), pod, metav1.CreateOptions{})
		return err
	})
}

// awaitRunning waits until the MachineDeployment has exactly so many Machines and all of them run.
func (r *rig) awaitRunning(t *testing.T, count int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d machines run", count), func() error {
		var phases []string
		for _, machine := range r.list(t, machines) {
			phase, _, _ := unstructured.NestedString(machine.Object, "status", "phase")
			phases = append(phases, machine.GetName()+" "+phase)
		}
		running := 0
		for _, phase := range phases {
			if strings.HasSuffix(phase, " Running") {
				running++
			}
		}
		status, _, _ := unstructured.NestedMap(r.get(t, deployments, "qc").Object, "status")
		if running == count && len(phases) == count && status["readyReplicas"] == int64(count) && status["upToDateReplicas"] == int64(count) {
			return nil
		}
		return fmt.Errorf("%v", phases)
	})
}

func (r *rig) machineOn(t *testing.T, address string) string {
	t.Helper()
	for _, machine := range r.list(t, machines) {
		if r.cluster.StandIn().HostOf(poolNamespace, machine.GetName()) == address {
			return machine.GetName()
		}
	}
	t.Fatalf("no machine runs on %s", address)
	return ""
}

func (r *rig) reserved(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, host := range r.list(t, pooled) {
		if taken, _, _ := unstructured.NestedBool(host.Object, "status", "reserved"); taken {
			names = append(names, host.GetName())
		}
	}
	return names
}

func (r *rig) list(t *testing.T, resource schema.GroupVersionResource) []unstructured.Unstructured {
	t.Helper()
	found, err := r.api.Resource(resource).Namespace(poolNamespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return found.Items
}

func (r *rig) get(t *testing.T, resource schema.GroupVersionResource, name string) *unstructured.Unstructured {
	t.Helper()
	found, err := r.api.Resource(resource).Namespace(poolNamespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (r *rig) patch(t *testing.T, resource schema.GroupVersionResource, name, merge string) {
	t.Helper()
	_, err := r.api.Resource(resource).Namespace(poolNamespace).Patch(t.Context(), name, types.MergePatchType, []byte(merge), metav1.PatchOptions{})
	if err != nil {
		t.Fatal(err)
	}
}
