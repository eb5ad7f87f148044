package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// rolloutStep waits until the pool consists of what was declared. The counters of a MachineDeployment do not tell: Cluster API adds
// them up from those of its MachineSets, which lag behind, so that just after a change they still count the old Machines as the
// newest. The Machines themselves do not lie.
func rolloutStep(e effective) composite.Step {
	return composite.Step{
		Name: "wait for the Machines of pool " + e.name,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{e.queryDeployment(), e.queryMachines(clusterapi.MachineSetKind), e.queryMachines(clusterapi.MachineKind)}
		},
		Next: func(seen composite.Live) composite.Move {
			deployment, ok := seen.Find(clusterapi.MachineDeploymentKind.Kind, e.name)
			if !ok {
				return composite.Move{Why: "its MachineDeployment does not exist"}
			}
			if state := deploymentReady(deployment); !state.Ready {
				return composite.Move{Failed: state.Failed, Why: state.Why}
			}
			why := stockOf(e, seen).behind()
			return composite.Move{Done: why == "", Why: why}
		},
	}
}

// behind says what keeps the Machines from being as declared. Old ones that are on their way out count, too: templates stay for
// as long as there are any.
func (f stock) behind() string {
	if f.deployment == nil {
		return "its MachineDeployment cannot be read"
	}
	wanted, mixed := madeFrom(f.deployment.Spec.Template.Spec), frozen(*f.deployment)
	newest := map[string]bool{}
	var old, away, left []string
	for _, set := range f.sets {
		if newest[set.Name] = mixed || madeFrom(set.Spec.Template.Spec) == wanted; !newest[set.Name] && counted(set.Status.Replicas) > 0 {
			left = append(left, set.Name)
		}
	}
	there := int64(0)
	for _, name := range slices.Sorted(maps.Keys(f.machines)) {
		machine := f.machines[name]
		owner := metav1.GetControllerOfNoCopy(&machine)
		switch isOld := owner == nil || !newest[owner.Name]; {
		case machine.DeletionTimestamp != nil && isOld:
			old = append(old, strings.TrimSuffix(name+" (is leaving: "+leavingWhy(machine), ": ")+")")
		case machine.DeletionTimestamp != nil:
		case isOld:
			old = append(old, name)
		default:
			there++
			if !available(machine) {
				away = append(away, name)
			}
		}
	}
	switch _, want := sizes(*f.deployment); {
	case len(old) > 0:
		return "Machines that are to be replaced are left: " + strings.Join(old, ", ")
	case len(left) > 0:
		return "MachineSets of earlier templates still count Machines: " + strings.Join(left, ", ")
	case len(away) > 0:
		return "nodes cannot be used yet: those of Machines " + strings.Join(away, ", ")
	case there != want:
		return fmt.Sprintf("there are %d Machines of %d", there, want)
	}
	return ""
}

// template is what of a Machine's specification is replaced with the Machine.
type template struct{ bootstrap, infrastructure, version string }

func madeFrom(spec clusterapi.MachineSpec) template {
	out := template{infrastructure: spec.InfrastructureRef.Kind + "/" + spec.InfrastructureRef.Name, version: spec.Version}
	if spec.Bootstrap.ConfigRef != nil {
		out.bootstrap = spec.Bootstrap.ConfigRef.Name
	}
	return out
}

func available(m clusterapi.Machine) bool {
	for _, c := range m.Status.Conditions {
		if c.Type == clusterapi.ConditionAvailable {
			return c.Status == metav1.ConditionTrue
		}
	}
	return false
}
