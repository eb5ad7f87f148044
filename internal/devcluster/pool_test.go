package devcluster

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Cluster API is the real one here: what it makes of the stand-in's part is what it would make of the operator's.
func TestThePoolsOfACluster(t *testing.T) {
	r := startRig(t)
	r.createPool(t)

	t.Run("become nodes with labels, taints and GPUs", r.becomeNodes)
	t.Run("grow and shrink without touching other hosts", r.growAndShrink)
	t.Run("are drained before their hosts are taken away", r.drain)
	t.Run("are rolled out one at a time", r.rollOut)
	t.Run("are healed by health checks", r.heal)
	t.Run("give up a host that is cut off", r.giveUp)
	t.Run("go away, and their hosts are free", r.remove)
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
	r.createPod(t, "work", machine)
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

// giveUp takes away a host that answers no more.
func (r *rig) giveUp(t *testing.T) {
	machine := r.machineOn(t, "10.0.0.3:22")
	r.cluster.StandIn().Dark("10.0.0.3", true)
	defer r.cluster.StandIn().Dark("10.0.0.3", false)
	r.patch(t, healthChecks, "qc", `{"metadata": {"annotations": {"cluster.x-k8s.io/paused": ""}}}`)
	r.patch(t, machines, machine, `{"metadata": {"annotations": {"cluster.x-k8s.io/delete-machine": "yes"}}}`)
	r.patch(t, deployments, "qc", `{"spec": {"replicas": 2}}`)
	r.awaitRunning(t, 2)
	if host := r.cluster.StandIn().Host("10.0.0.3"); !host.Dirty || host.Machine.Name != "" {
		t.Errorf("the host is %+v", host)
	}
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
