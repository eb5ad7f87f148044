package devcluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
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

// Cluster API is the real one here: what it makes of the stand-in's part is what it would make of the operator's.
func TestThePoolsOfACluster(t *testing.T) {
	r := startRig(t)
	r.createPool(t)

	t.Run("become nodes with labels, taints and GPUs", r.becomeNodes)
	t.Run("grow and shrink without touching other hosts", r.growAndShrink)
	t.Run("are drained before their hosts are taken away", r.drain)
	t.Run("are rolled out one at a time", r.rollOut)
	t.Run("are healed by health checks", r.heal)
	t.Run("go away, and their hosts are free", r.remove)
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

func (r *rig) becomeNodes(t *testing.T) {
	r.awaitRunning(t, 2)
	for _, machine := range r.list(t, machines) {
		node, err := r.hosted.Resource(nodes).Get(t.Context(), machine.GetName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		labels := node.GetLabels()
		for key, want := range map[string]string{
			"topology.kubernetes.io/region": "ca-qc", "k0smos.io/gpu-model": "A100-80GB", "k0smotron.io/machine-name": machine.GetName(),
		} {
			if labels[key] != want {
				t.Errorf("label %s is %q", key, labels[key])
			}
		}
		if rack := labels["node.cluster.x-k8s.io/rack"]; rack != "r1" && rack != "r2" {
			t.Errorf("the label of the host did not reach the node: %v", labels)
		}
		taints, _, _ := unstructured.NestedSlice(node.Object, "spec", "taints")
		want := []any{map[string]any{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}}
		if fmt.Sprint(taints) != fmt.Sprint(want) {
			t.Errorf("taints are %v", taints)
		}
		if gpus, _, _ := unstructured.NestedString(node.Object, "status", "allocatable", "nvidia.com/gpu"); gpus != "8" {
			t.Errorf("%q GPUs", gpus)
		}
	}
}

func (r *rig) growAndShrink(t *testing.T) {
	before := maps.Clone(r.cluster.StandIn().Hosts())
	r.patch(t, deployments, "qc", `{"spec": {"replicas": 3}}`)
	r.awaitRunning(t, 3)
	third := r.cluster.StandIn().HostOf(poolNamespace, r.machineOn(t, "10.0.0.3:22"))
	if third != "10.0.0.3:22" {
		t.Errorf("the new machine runs on %q", third)
	}
	r.patch(t, machines, r.machineOn(t, "10.0.0.2:22"), `{"metadata": {"annotations": {"cluster.x-k8s.io/delete-machine": "yes"}}}`)
	r.patch(t, deployments, "qc", `{"spec": {"replicas": 2}}`)
	r.awaitRunning(t, 2)
	after := r.cluster.StandIn().Hosts()
	if b, a := before["10.0.0.1:22"], after["10.0.0.1:22"]; a.Bootstraps != b.Bootstraps || a.CleanUps != 0 || a.Machine != b.Machine {
		t.Errorf("the first host was touched: %v, then %v", b, a)
	}
	if released := after["10.0.0.2:22"]; released.CleanUps != 1 || released.Machine.Name != "" {
		t.Errorf("the marked machine is not the one that went: %v", released)
	}
	if reserved := r.reserved(t); !slices.Equal(reserved, []string{"qc-gpu01", "qc-gpu03"}) {
		t.Errorf("reserved are %v", reserved)
	}
	if left, err := r.hosted.Resource(nodes).List(t.Context(), metav1.ListOptions{}); err != nil || len(left.Items) != 2 {
		t.Errorf("%d nodes are left (%v)", len(left.Items), err)
	}
}

func (r *rig) drain(t *testing.T) {
	machine := r.machineOn(t, "10.0.0.3:22")
	pod := object("v1", "Pod", "default", "work", map[string]any{
		"nodeName": machine, "containers": []any{map[string]any{"name": "c", "image": "i"}},
		"tolerations": []any{map[string]any{"operator": "Exists"}},
	})
	// Only what a controller would make again is moved.
	pod.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "work", UID: "1", Controller: new(true)}})
	eventually(t, "the pod is made", func() error {
		_, err := r.hosted.Resource(pods).Namespace("default").Create(t.Context(), pod, metav1.CreateOptions{})
		return err
	})
	r.patch(t, machines, machine, `{"metadata": {"annotations": {"cluster.x-k8s.io/delete-machine": "yes"}}}`)
	r.patch(t, deployments, "qc", `{"spec": {"replicas": 1}}`)
	r.awaitRunning(t, 1)
	if _, err := r.hosted.Resource(pods).Namespace("default").Get(t.Context(), "work", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the pod was not drained: %v", err)
	}
	r.patch(t, deployments, "qc", `{"spec": {"replicas": 3}}`)
	r.awaitRunning(t, 3)
}

func (r *rig) rollOut(t *testing.T) {
	watch, err := r.api.Resource(remoteMachines).Namespace(poolNamespace).Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	r.createTemplates(t, "qc-2")
	r.patch(t, deployments, "qc", `{"spec": {"template": {"spec": {"bootstrap": {"configRef": {"name": "qc-2"}}, "infrastructureRef": {"name": "qc-2"}}}}}`)
	lowest := 3
	eventually(t, "all hosts are of the new template", func() error {
		status := r.get(t, deployments, "qc").Object
		ready, _, _ := unstructured.NestedInt64(status, "status", "readyReplicas")
		lowest = min(lowest, int(ready))
		for address, host := range r.cluster.StandIn().Hosts() {
			if host.Files["/etc/motd"] != "qc-2" || host.Machine.Name == "" {
				return fmt.Errorf("%s: %v", address, host)
			}
		}
		return nil
	})
	r.awaitRunning(t, 3)
	if lowest < 2 {
		t.Errorf("only %d machines were ready at a time", lowest)
	}
}

func (r *rig) heal(t *testing.T) {
	create(t, r.api, healthChecks, parse(t, `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: {name: qc}
spec:
  clusterName: geo
  selector: {matchLabels: {cluster.x-k8s.io/deployment-name: qc}}
  checks: {unhealthyNodeConditions: [{type: Ready, status: "False", timeoutSeconds: 1}]}
  remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 1}}
`))
	sick := r.machineOn(t, "10.0.0.2:22")
	r.cluster.StandIn().NodeNotReady("10.0.0.2", true)
	eventually(t, "the sick machine is replaced", func() error {
		_, err := r.api.Resource(machines).Namespace(poolNamespace).Get(t.Context(), sick, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("it is still there: %w", err)
	})
	r.cluster.StandIn().NodeNotReady("10.0.0.2", false)
	r.awaitRunning(t, 3)
}

func (r *rig) remove(t *testing.T) {
	foreground := metav1.DeletePropagationForeground
	if err := r.api.Resource(deployments).Namespace(poolNamespace).Delete(t.Context(), "qc", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pool is gone", func() error { return gone(t, r.api, deployments, poolNamespace, "qc") })
	if left := r.list(t, remoteMachines); len(left) > 0 {
		t.Errorf("%d RemoteMachines are left", len(left))
	}
	if reserved := r.reserved(t); len(reserved) > 0 {
		t.Errorf("reserved are %v", reserved)
	}
	for address, host := range r.cluster.StandIn().Hosts() {
		if host.Machine.Name != "" || host.CleanUps != host.Bootstraps {
			t.Errorf("%s: %v", address, host)
		}
	}
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
