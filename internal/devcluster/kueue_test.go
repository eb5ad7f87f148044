//go:build kueue

package devcluster

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

var (
	flavors       = schema.GroupVersionResource{Group: kueueGroup, Version: "v1beta2", Resource: "resourceflavors"}
	clusterQueues = schema.GroupVersionResource{Group: kueueGroup, Version: "v1beta2", Resource: "clusterqueues"}
	localQueues   = schema.GroupVersionResource{Group: kueueGroup, Version: "v1beta2", Resource: "localqueues"}
	jobs          = schema.GroupVersionResource{Group: "batch", Version: "v1", Resource: "jobs"}
)

func TestKueue(t *testing.T) {
	api := startKueue(t)
	t.Run("judges and converts by its webhooks", func(t *testing.T) { kueueJudges(t, api) })
	t.Run("admits what fits into a quota and holds the rest", func(t *testing.T) { kueueAdmits(t, api) })
}

func kueueAdmits(t *testing.T, api dynamic.Interface) {
	create(t, api, flavors, object(kueueGroup+"/v1beta2", "ResourceFlavor", "", "a100", map[string]any{}))
	create(t, api, clusterQueues, object(kueueGroup+"/v1beta2", "ClusterQueue", "", "vision", map[string]any{
		"namespaceSelector": map[string]any{},
		"resourceGroups":    []any{group("8")},
	}))
	createNamespace(t, api, "vision")
	create(t, api, localQueues, object(kueueGroup+"/v1beta2", "LocalQueue", "vision", "vision", map[string]any{"clusterQueue": "vision"}))

	create(t, api, jobs, gpuJob("vision", "fits", 6))
	create(t, api, jobs, gpuJob("vision", "waits", 4))
	suspended := func(name string, want bool) func() error {
		return func() error {
			live, err := api.Resource(jobs).Namespace("vision").Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			if got, _, _ := unstructured.NestedBool(live.Object, "spec", "suspend"); got != want {
				return fmt.Errorf("job %s: suspend = %v", name, got)
			}
			return nil
		}
	}
	eventually(t, "6 of 8 GPUs are free", suspended("fits", false))
	if err := suspended("waits", true)(); err != nil {
		t.Error(err)
	}
	background := metav1.DeletePropagationBackground // by default a Job leaves its Workload behind, which keeps its GPUs
	if err := api.Resource(jobs).Namespace("vision").Delete(t.Context(), "fits", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "8 of 8 GPUs are free", suspended("waits", false))
}

func kueueJudges(t *testing.T, api dynamic.Interface) {
	spec := map[string]any{"resourceGroups": []any{group("8")}}
	made := create(t, api, clusterQueues, object(kueueGroup+"/v1beta2", "ClusterQueue", "", "judged", spec))
	if finalizers := made.GetFinalizers(); len(finalizers) != 1 {
		t.Errorf("Kueue holds its queues by a finalizer; this one has %v", finalizers)
	}
	old := clusterQueues
	old.Version = "v1beta1"
	if _, err := api.Resource(old).Get(t.Context(), "judged", metav1.GetOptions{}); err != nil {
		t.Errorf("the old version: %v", err)
	}
	wrong := group("8")
	wrong["coveredResources"] = []any{"cpu", "nvidia.com/gpu"}
	flavor, ok := wrong["flavors"].([]any)[0].(map[string]any)
	if !ok {
		t.Fatal("no flavor")
	}
	flavor["resources"] = []any{map[string]any{"name": "nvidia.com/gpu", "nominalQuota": "8"}, map[string]any{"name": "cpu", "nominalQuota": "8"}}
	_, err := api.Resource(clusterQueues).Create(t.Context(), object(kueueGroup+"/v1beta2", "ClusterQueue", "", "wrong",
		map[string]any{"resourceGroups": []any{wrong}}), metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) || !strings.Contains(fmt.Sprint(err), "must match the name in coveredResources") {
		t.Errorf("resources in another order: %v", err)
	}
}

// startKueue runs Kueue in a cluster of its own.
func startKueue(t *testing.T) dynamic.Interface {
	t.Helper()
	server, err := StartAPIServer(t.Context(), APIServerOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	kueue, err := StartKueue(t.Context(), KueueOptions{Server: server, Dir: t.TempDir(), Log: os.Stderr})
	if err != nil {
		t.Fatal(errors.Join(err, server.Kill()))
	}
	t.Cleanup(func() {
		if err := errors.Join(kueue.Err(), kueue.Stop(), server.Kill()); err != nil {
			t.Error(err)
		}
	})
	return kueue.client
}

func group(gpus string) map[string]any {
	return map[string]any{
		"coveredResources": []any{"nvidia.com/gpu"},
		"flavors": []any{map[string]any{"name": "a100", "resources": []any{
			map[string]any{"name": "nvidia.com/gpu", "nominalQuota": gpus},
		}}},
	}
}

// gpuJob is a Job of as many pods with one GPU each, in the LocalQueue that is named like its namespace.
func gpuJob(namespace, name string, gpus int64) *unstructured.Unstructured {
	one := map[string]any{"nvidia.com/gpu": "1"}
	job := object("batch/v1", "Job", namespace, name, map[string]any{
		"parallelism": gpus, "completions": gpus,
		"template": map[string]any{"spec": map[string]any{
			"restartPolicy": "Never",
			"containers":    []any{map[string]any{"name": "work", "image": "none", "resources": map[string]any{"requests": one, "limits": one}}},
		}},
	})
	job.SetLabels(map[string]string{"kueue.x-k8s.io/queue-name": namespace})
	return job
}
