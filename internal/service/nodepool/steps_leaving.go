package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Annotations by which Cluster API says what an object was cloned from.
const clonedFrom = "cluster.x-k8s.io/cloned-from-name"

// leave says what comes before an object of the pool is deleted. Whatever goes while a Machine still needs it makes the Machine
// hang for ever.
func leave(m Model, ref composite.Ref) *composite.Step {
	e := effectiveOf(m)
	var step composite.Step
	switch ref.Kind.Kind {
	case clusterapi.MachineDeploymentKind.Kind:
		step = deploymentLeaves(e, m.ForceRelease.ValueBool())
	case infrastructure.RemoteMachineTemplateKind.Kind:
		step = templateLeaves(e, ref, infrastructure.RemoteMachineKind)
	case bootstrap.K0sWorkerConfigTemplateKind.Kind:
		step = templateLeaves(e, ref, bootstrap.K0sWorkerConfigKind)
	case infrastructure.PooledRemoteMachineKind.Kind:
		step = hostLeaves(ref)
	default:
		return nil
	}
	return &step
}

// deploymentLeaves deletes the MachineDeployment and waits until nothing that was made of it is left.
func deploymentLeaves(e effective, force bool) composite.Step {
	return composite.Step{
		Name: "delete the Machines of pool " + e.name,
		Look: func(composite.Live) []composite.Query {
			out := []composite.Query{e.queryDeployment(), e.queryCluster()}
			for _, kind := range []api.Kind{clusterapi.MachineSetKind, clusterapi.MachineKind} {
				out = append(out, e.queryMachines(kind))
			}
			if !e.foreign {
				out = append(out, e.queryHosts(), e.queryMachines(infrastructure.RemoteMachineKind))
			}
			return out
		},
		Next: func(seen composite.Live) composite.Move {
			f := stockOf(e, seen)
			if f.deployment == nil && len(f.sets) == 0 && len(f.machines) == 0 && len(f.remotes) == 0 {
				return composite.Move{Done: true}
			}
			var move composite.Move
			if d := f.deployment; d != nil && d.DeletionTimestamp == nil {
				move.Delete = []composite.Delete{{Ref: composite.Ref{Kind: clusterapi.MachineDeploymentKind, Namespace: e.namespace, Name: e.name}, UID: string(d.UID)}}
			}
			stuck := f.homelessOnes()
			if force {
				for _, r := range stuck {
					move.Patch = append(move.Patch, freed(r))
				}
			}
			move.Why = f.remaining(e, stuck)
			return move
		},
	}
}

// remaining says what is left of a pool that is being deleted, and what it waits for.
func (f stock) remaining(e effective, stuck []infrastructure.RemoteMachine) string {
	var whys []string
	if why := f.standing(e); why != "" {
		whys = append(whys, why)
	}
	if len(stuck) > 0 {
		whys = append(whys, homelessWhy(stuck))
	}
	const shown = 5
	for i, name := range slices.Sorted(maps.Keys(f.machines)) {
		if i == shown {
			whys = append(whys, fmt.Sprintf("and %d more Machines", len(f.machines)-shown))
			break
		}
		whys = append(whys, strings.TrimSuffix("Machine "+name+" is left: "+leavingWhy(f.machines[name]), ": "))
	}
	whys = append(whys, f.uncleaned(shown)...)
	if len(f.machines) == 0 {
		for _, name := range slices.Sorted(maps.Keys(f.remotes)) {
			if r := f.remotes[name]; r.DeletionTimestamp == nil || r.Spec.Address == "" {
				whys = append(whys, "RemoteMachine "+name+" is left without its Machine")
			}
		}
		for _, set := range f.sets {
			whys = append(whys, "MachineSet "+set.Name+" is left")
		}
	}
	if len(whys) == 0 {
		return "the MachineDeployment is still there"
	}
	return strings.Join(whys, "; ")
}

// uncleaned says of which hosts k0smotron has not let go, and what its last error was. Cluster API just waits.
func (f stock) uncleaned(shown int) []string {
	var whys []string
	for _, name := range slices.Sorted(maps.Keys(f.remotes)) {
		r := f.remotes[name]
		if r.DeletionTimestamp == nil || r.Spec.Address == "" || len(whys) == shown {
			continue
		}
		why := fmt.Sprintf("RemoteMachine %s waits until k0smotron has cleaned up host %s", name, place(r.Spec.Address, int64(r.Spec.Port)))
		if last := r.Status.Deprecated.V1Beta1.FailureMessage; last != "" {
			why += ", whose last error was: " + strings.TrimSuffix(last, ".")
		}
		whys = append(whys, why)
	}
	return whys
}

// templateLeaves keeps a template for as long as something was made from it, or may still be.
func templateLeaves(e effective, ref composite.Ref, clones api.Kind) composite.Step {
	return composite.Step{
		Name: "wait until nothing is made from " + ref.Kind.Kind + " " + ref.Name,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{e.queryMachines(clusterapi.MachineSetKind), e.queryMachines(clones)}
		},
		Next: func(seen composite.Live) composite.Move {
			var users []string
			going := true
			for _, set := range composite.All[clusterapi.MachineSet](seen, clusterapi.MachineSetKind) {
				machines := set.Spec.Template.Spec
				refers := ref.Kind.Kind == machines.InfrastructureRef.Kind && ref.Name == machines.InfrastructureRef.Name ||
					machines.Bootstrap.ConfigRef != nil && ref.Kind.Kind == machines.Bootstrap.ConfigRef.Kind && ref.Name == machines.Bootstrap.ConfigRef.Name
				if refers && (counted(set.Spec.Replicas) > 0 || counted(set.Status.Replicas) > 0) {
					users = append(users, "MachineSet "+set.Name)
					going = going && (counted(set.Spec.Replicas) == 0 || set.DeletionTimestamp != nil)
				}
			}
			for _, o := range seen {
				if o.GetKind() == clones.Kind && o.GetAnnotations()[clonedFrom] == ref.Name {
					users = append(users, clones.Kind+" "+o.GetName())
					going = going && o.GetDeletionTimestamp() != nil
				}
			}
			if len(users) == 0 {
				return composite.Move{Done: true}
			}
			slices.Sort(users)
			// What is on its way out is waited for. Hosts that nobody replaces now may keep the template for months.
			return composite.Move{Later: !going, Why: fmt.Sprintf("%s %s stays for now: %s was made from it and cannot be deleted without it", ref.Kind.Kind, ref.Name, strings.Join(users, ", "))}
		},
	}
}

// hostLeaves waits until a host is released, and deletes its entry. The entry of one that is in use must never go: its Machine would take another.
func hostLeaves(ref composite.Ref) composite.Step {
	return composite.Step{
		Name: "wait until host " + ref.Name + " is released",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}}
		},
		Next: func(seen composite.Live) composite.Move {
			host, ok := composite.As[infrastructure.PooledRemoteMachine](seen, infrastructure.PooledRemoteMachineKind, ref.Name)
			switch {
			case !ok:
				return composite.Move{Done: true}
			case host.Status.Reserved:
			case host.DeletionTimestamp != nil:
				return composite.Move{Why: "the entry of host " + ref.Name + " is still there"}
			default: // by the version that was free: a Machine may claim it at any moment
				return composite.Move{Why: "the entry of host " + ref.Name + " is still there", Delete: []composite.Delete{{Ref: ref, UID: string(host.UID), ResourceVersion: host.ResourceVersion}}}
			}
			return composite.Move{Why: fmt.Sprintf("host %s is in use by Machine %s in namespace %s. Drain it, or delete that Machine", ref.Name, host.Status.MachineRef.Name, host.Status.MachineRef.Namespace)}
		},
	}
}
