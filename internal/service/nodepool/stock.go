package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// stock is what there is of a pool.
type stock struct {
	deployment *clusterapi.MachineDeployment
	cluster    *clusterapi.Cluster
	machines   map[string]clusterapi.Machine
	remotes    map[string]infrastructure.RemoteMachine
	sets       []clusterapi.MachineSet
	hosts      []infrastructure.PooledRemoteMachine
}

func stockOf(e effective, live composite.Live) stock {
	f := stock{machines: map[string]clusterapi.Machine{}, remotes: map[string]infrastructure.RemoteMachine{}}
	for _, d := range composite.All[clusterapi.MachineDeployment](live, clusterapi.MachineDeploymentKind) {
		if d.Namespace == e.namespace && d.Name == e.name {
			f.deployment = &d
		}
	}
	for _, c := range composite.All[clusterapi.Cluster](live, clusterapi.ClusterKind) {
		if c.Namespace == e.namespace && c.Name == e.cluster.Name.ValueString() {
			f.cluster = &c
		}
	}
	for _, m := range composite.All[clusterapi.Machine](live, clusterapi.MachineKind) {
		f.machines[m.Name] = m
	}
	for _, r := range composite.All[infrastructure.RemoteMachine](live, infrastructure.RemoteMachineKind) {
		f.remotes[r.Name] = r
	}
	f.sets = composite.All[clusterapi.MachineSet](live, clusterapi.MachineSetKind)
	f.hosts = composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind)
	return f
}

// Selections of what there is of a pool.
func (e effective) queryDeployment() composite.Query {
	return composite.Query{Kind: clusterapi.MachineDeploymentKind, Namespace: e.namespace, Name: e.name}
}

func (e effective) queryCluster() composite.Query {
	return composite.Query{Kind: clusterapi.ClusterKind, Namespace: e.namespace, Name: e.cluster.Name.ValueString()}
}

// queryMachines selects what is made with each Machine of the pool: Cluster API copies the labels to all of it.
func (e effective) queryMachines(kind api.Kind) composite.Query {
	return composite.Query{Kind: kind, Namespace: e.namespace, Selector: pairs(e.machinesOf())}
}

func (e effective) queryHosts() composite.Query {
	return composite.Query{Kind: infrastructure.PooledRemoteMachineKind, Namespace: e.namespace}
}

// standing says why nothing moves, where somebody has stopped Cluster API.
func (f stock) standing(e effective) string {
	switch {
	case f.cluster != nil && f.cluster.Spec.Paused != nil && *f.cluster.Spec.Paused:
		return fmt.Sprintf("The Cluster %s/%s is paused (spec.paused), so Cluster API neither drains nor deletes anything. Resume it and apply again.", e.namespace, f.cluster.Name)
	case f.deployment != nil && hasKey(f.deployment.Annotations, pausedAnnotation):
		return fmt.Sprintf("The MachineDeployment %s/%s is paused by the annotation %s, so Cluster API neither drains nor deletes anything. Remove the annotation and apply again.", e.namespace, e.name, pausedAnnotation)
	}
	return ""
}

const pausedAnnotation = "cluster.x-k8s.io/paused"

func hasKey(m map[string]string, key string) bool {
	_, ok := m[key]
	return ok
}

// leavingWhy says how far the deletion of a Machine is.
func leavingWhy(m clusterapi.Machine) string {
	for _, c := range m.Status.Conditions {
		if c.Type == "Deleting" && c.Message != "" {
			return c.Message
		}
	}
	return ""
}

// homeless tells a RemoteMachine that is being deleted and never got a host. The operator's cleanup fails for want of an SSH
// key, for ever, and its finalizer keeps the Machine, the pool and the whole cluster. One that has an address, or whose
// bootstrap ever ran, is never meant; nor one that a host is reserved for, since the operator writes the address only after
// the bootstrap.
func (f stock) homeless(r infrastructure.RemoteMachine) bool {
	if r.DeletionTimestamp == nil || r.Spec.Address != "" || r.Spec.ProviderID != "" || r.Status.Initialization.Provisioned || r.Spec.ProvisionJob != nil {
		return false
	}
	for _, c := range r.Status.Conditions {
		if c.Type == infrastructure.ConditionBootstrapExecSucceeded && c.Status == metav1.ConditionTrue {
			return false
		}
	}
	for _, host := range f.hosts {
		if host.Status.MachineRef.Name == r.Name {
			return false
		}
	}
	return slices.Contains(r.Finalizers, infrastructure.RemoteMachineFinalizer)
}

// homelessOnes lists them by name.
func (f stock) homelessOnes() []infrastructure.RemoteMachine {
	var out []infrastructure.RemoteMachine
	for _, name := range slices.Sorted(maps.Keys(f.remotes)) {
		if f.homeless(f.remotes[name]) {
			out = append(out, f.remotes[name])
		}
	}
	return out
}

// freed takes the finalizer off a RemoteMachine that never got a host.
func freed(r infrastructure.RemoteMachine) composite.Patch {
	at := slices.Index(r.Finalizers, infrastructure.RemoteMachineFinalizer)
	return patchOf(infrastructure.RemoteMachineKind, r.ObjectMeta, nil,
		operation{Op: "test", Path: fmt.Sprintf("/metadata/finalizers/%d", at), Value: infrastructure.RemoteMachineFinalizer},
		operation{Op: "remove", Path: fmt.Sprintf("/metadata/finalizers/%d", at)})
}

// homelessWhy says what it is that hangs, and what helps.
func homelessWhy(ones []infrastructure.RemoteMachine) string {
	var names, commands []string
	for _, r := range ones {
		names = append(names, r.Namespace+"/"+r.Name)
		commands = append(commands, fmt.Sprintf(`kubectl patch remotemachine -n %s %s --type json -p '[{"op": "test", "path": "/metadata/finalizers/%[3]d", "value": %[4]q}, {"op": "remove", "path": "/metadata/finalizers/%[3]d"}]'`,
			r.Namespace, r.Name, slices.Index(r.Finalizers, infrastructure.RemoteMachineFinalizer), infrastructure.RemoteMachineFinalizer))
	}
	return fmt.Sprintf("RemoteMachine %s is being deleted and never got a host: it has no address, so the operator's cleanup fails for ever and its finalizer %s keeps it, and with it the pool and the whole cluster. "+
		"Nothing ever ran on a host for it. Set force_release = true and apply, and only this finalizer is removed. Where a destroy hangs, that apply would make the pool anew; remove the finalizer by hand instead, and destroy again: %s",
		strings.Join(names, ", "), infrastructure.RemoteMachineFinalizer, strings.Join(commands, "; "))
}
