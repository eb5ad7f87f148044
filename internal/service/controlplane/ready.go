package controlplane

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// planeReady: counters, version, phase and the kubeconfig Secret all come up to half a minute before the control plane can
// be used, so none of them is enough. Usable means Available and initialized; updated means that the version runs on all
// members. The operator has no observedGeneration of its own, but its condition has.
func planeReady(live map[string]any) composite.ReadyState {
	spec, _, _ := unstructured.NestedMap(live, "spec")
	status, _, _ := unstructured.NestedMap(live, "status")
	if why := unobserved(live, controlplane.ConditionAvailable); why != "" {
		return composite.ReadyState{Why: why}
	}
	if state := composite.Condition(controlplane.ConditionAvailable)(live); !state.Ready {
		return state
	}
	if done, _, _ := unstructured.NestedBool(status, "initialization", "controlPlaneInitialized"); !done {
		return composite.ReadyState{Why: "the control plane is not initialized yet"}
	}
	want, errWant := tf.ParseVersion(text(spec, "version"))
	runs, errRuns := tf.ParseVersion(text(status, "version"))
	if errWant == nil && (errRuns != nil || want != runs) {
		return composite.ReadyState{Why: fmt.Sprintf("it runs version %q and not yet %s", text(status, "version"), want)}
	}
	replicas, found, _ := unstructured.NestedInt64(spec, "replicas")
	if !found {
		replicas = defaultReplicas
	}
	for _, counter := range []string{"replicas", "readyReplicas", "upToDateReplicas"} {
		if n, _, _ := unstructured.NestedInt64(status, counter); n != replicas {
			return composite.ReadyState{Why: fmt.Sprintf("%s is %d of %d", counter, n, replicas)}
		}
	}
	return composite.ReadyState{Ready: true}
}

// clusterReady: the phase Provisioned comes before anything runs.
func clusterReady(live map[string]any) composite.ReadyState {
	if done, _, _ := unstructured.NestedBool(live, "status", "initialization", "controlPlaneInitialized"); !done {
		_, _, message := composite.ConditionOf(live, clusterapi.ConditionControlPlaneInitialized)
		if message == "" {
			message = "Cluster API has not seen the control plane answer yet"
		}
		return composite.ReadyState{Why: message}
	}
	return composite.ReadyState{Ready: true}
}

// unobserved tells a condition that is about an older generation.
func unobserved(live map[string]any, condition string) string {
	generation, _, _ := unstructured.NestedInt64(live, "metadata", "generation")
	list, _, _ := unstructured.NestedSlice(live, "status", "conditions")
	for _, item := range list {
		c, ok := item.(map[string]any)
		if !ok || c["type"] != condition {
			continue
		}
		if seen, ok := c["observedGeneration"].(int64); ok && seen < generation {
			return "the operator has not seen the last change yet"
		}
	}
	return ""
}

func text(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}
