package nodepool

import (
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
)

// shrunk is the size at which Cluster API deletes the Machines of hosts that leave and no others, or why there is none.
//
// The mark on a Machine only counts inside of its MachineSet, and which MachineSet shrinks is for Cluster API to say. With one, it
// is that. Where a rollout is under way, it is the oldest of the old ones, whose Machines go anyway, but the size must not follow
// the count down while they come and go. Where old Machines are meant to stay, another host would be drained for one that leaves.
func (r release) shrunk(f stock, leaving map[string]bool) (size int64, why string) {
	for name, machine := range f.machines { // one that goes without our mark is replaced, and counts
		if !leaving[name] && (machine.DeletionTimestamp == nil || !hasKey(machine.Annotations, clusterapi.DeleteMachineAnnotation)) {
			size++
		}
	}
	active := f.activeSets()
	switch {
	case len(active) < 2:
		return size, ""
	case !frozen(*f.deployment):
		if r.before.scaled {
			return max(size, counted(f.deployment.Spec.Replicas)), "" // its size is not known here: the rollout comes first
		}
		return max(size, r.wanted-int64(len(leaving))), ""
	}
	var elsewhere []string
	oldest := f.oldest(active)
	for name := range leaving {
		if machine, ok := f.machines[name]; ok && (machine.DeletionTimestamp == nil || size < counted(f.deployment.Spec.Replicas)) && (oldest == "" || setOf(machine) != oldest) {
			elsewhere = append(elsewhere, name)
		}
	}
	if len(elsewhere) == 0 {
		return size, ""
	}
	slices.Sort(elsewhere)
	return 0, fmt.Sprintf("The pool has Machines of %d templates, and rollout.%s keeps the old ones. Cluster API would take another Machine than %s when the pool shrinks, and drain a host that stays. "+
		"Finish the rollout first: bring back these hosts in the configuration, with rollout.paused = false and rollout.strategy = rolling, and apply. To build a host anew with strategy on_delete, it is enough to delete its Machine: kubectl delete machine -n %s %s",
		len(active), freezing(*f.deployment), strings.Join(elsewhere, ", "), r.before.namespace, elsewhere[0])
}

func freezing(d clusterapi.MachineDeployment) string {
	if isTrue(d.Spec.Paused) {
		return "paused"
	}
	return "strategy"
}

// activeSets are the MachineSets that have Machines, or are about to.
func (f stock) activeSets() []clusterapi.MachineSet {
	var out []clusterapi.MachineSet
	for _, set := range f.sets {
		if set.DeletionTimestamp == nil && (counted(set.Spec.Replicas) > 0 || counted(set.Status.Replicas) > 0) {
			out = append(out, set)
		}
	}
	return out
}

// oldest names the MachineSet that shrinks first with strategy on_delete: the oldest of those that are not from the newest
// template. It is empty where that cannot be told; a paused MachineDeployment shrinks all of them in proportion.
func (f stock) oldest(active []clusterapi.MachineSet) string {
	if isTrue(f.deployment.Spec.Paused) {
		return ""
	}
	newest := madeFrom(f.deployment.Spec.Template.Spec)
	var old []clusterapi.MachineSet
	for _, set := range active {
		if madeFrom(set.Spec.Template.Spec) != newest {
			old = append(old, set)
		}
	}
	slices.SortFunc(old, func(a, b clusterapi.MachineSet) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	if len(old) == 0 || len(old) > 1 && old[0].CreationTimestamp.Equal(&old[1].CreationTimestamp) {
		return ""
	}
	return old[0].Name
}

func setOf(m clusterapi.Machine) string {
	if owner := metav1.GetControllerOfNoCopy(&m); owner != nil {
		return owner.Name
	}
	return ""
}
