package nodepool

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// deploymentReady: every node is there, has the newest template, and can be used. Hosts that change only when somebody deletes
// their Machine, or while rollouts stand still, are not waited for. Where somebody else says how many nodes there are, those
// that exist are waited for, and no fewer than the lower bound.
func deploymentReady(live map[string]any) composite.ReadyState {
	generation, _, _ := unstructured.NestedInt64(live, "metadata", "generation")
	if seen, _, _ := unstructured.NestedInt64(live, "status", "observedGeneration"); seen < generation {
		return composite.ReadyState{Why: "Cluster API has not seen the last change yet"}
	}
	d, ok := composite.As[clusterapi.MachineDeployment](composite.Live{{Object: live}}, clusterapi.MachineDeploymentKind, "")
	if !ok {
		return composite.ReadyState{Why: "it is no MachineDeployment that can be read"}
	}
	exist, want := sizes(d)
	switch {
	case exist != want:
		return composite.ReadyState{Why: fmt.Sprintf("there are %d Machines of %d%s", exist, want, because(live, clusterapi.ConditionScalingUp, clusterapi.ConditionScalingDown, clusterapi.ConditionMachinesReady))}
	case !frozen(d) && counted(d.Status.UpToDateReplicas) != want:
		return composite.ReadyState{Why: fmt.Sprintf("%d Machines of %d have the newest template%s", counted(d.Status.UpToDateReplicas), want, because(live, clusterapi.ConditionRollingOut, clusterapi.ConditionMachinesReady))}
	case counted(d.Status.AvailableReplicas) != want:
		return composite.ReadyState{Why: fmt.Sprintf("%d nodes of %d can be used%s", counted(d.Status.AvailableReplicas), want, because(live, clusterapi.ConditionMachinesReady, clusterapi.ConditionScalingUp))}
	}
	return composite.ReadyState{Ready: true}
}

// sizes are how many Machines there are, and how many there should be.
func sizes(d clusterapi.MachineDeployment) (exist, want int64) {
	exist, want = counted(d.Status.Replicas), counted(d.Spec.Replicas)
	if _, scaler := parseSize(d); !scaler.IsNull() {
		bounds, _ := scaler.Get()
		want = max(exist, bounds.Min.ValueInt64())
	}
	return exist, want
}

// frozen tells whether Machines stay that are made from what was declared before.
func frozen(d clusterapi.MachineDeployment) bool {
	return isTrue(d.Spec.Paused) || d.Spec.Rollout != nil && d.Spec.Rollout.Strategy != nil && d.Spec.Rollout.Strategy.Type == clusterapi.OnDelete
}

// because is what the first of these conditions has to say.
func because(live map[string]any, conditions ...string) string {
	for _, condition := range conditions {
		if status, _, message := composite.ConditionOf(live, condition); message != "" && (condition != clusterapi.ConditionMachinesReady || status != "True") {
			return ": " + message
		}
	}
	return ""
}

func counted(n *int32) int64 {
	if n == nil {
		return 0
	}
	return int64(*n)
}
