//go:build kueue

package department_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

var (
	jobKind   = kube.Kind{Group: "batch", Version: "v1", Kind: "Job", Resource: "jobs", Namespaced: true}
	queueKind = kube.Kind(kueue.ClusterQueueKind)
)

// rig is a cluster with Kueue's own manager in it. To the provider it is the hosted cluster geo/train of itself. There
// are no nodes: a Job runs when Kueue has taken its suspension away.
type rig struct {
	*acctest.Server
	kueue *devcluster.Kueue

	mu   sync.Mutex
	runs map[string]map[string]int64 // GPUs of the Jobs that run, by namespace and name
	most map[string]int64            // the most of them at any time, by namespace
	all  int64                       // the most in all namespaces together
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{Server: acctest.OwnServer(t), runs: map[string]map[string]int64{}, most: map[string]int64{}}
	var err error
	r.kueue, err = devcluster.StartKueue(t.Context(), devcluster.KueueOptions{Server: r.Process, Dir: t.TempDir(), Log: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.kueue.Err(), r.kueue.Stop()); err != nil {
			t.Error(err)
		}
	})
	kubeconfig, err := os.ReadFile(r.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	r.ApplyAs(t, "k0smotron", "{apiVersion: v1, kind: Namespace, metadata: {name: geo}}\n---\n"+
		"{apiVersion: v1, kind: Secret, metadata: {name: train-kubeconfig, namespace: geo}, data: {value: "+base64.StdEncoding.EncodeToString(kubeconfig)+"}}")
	r.count(t)
	return r
}

// count keeps count of the GPUs that Jobs have, at every change of a Job.
func (r *rig) count(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	watch, err := r.Client.Resource(resourceOf(jobKind)).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		cancel()
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		for event := range watch.ResultChan() {
			if job, ok := event.Object.(*unstructured.Unstructured); ok {
				r.noteJob(job, event.Type == "DELETED")
			}
		}
	})
	t.Cleanup(func() { cancel(); watch.Stop(); done.Wait() })
}

func (r *rig) noteJob(job *unstructured.Unstructured, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	namespace := job.GetNamespace()
	if r.runs[namespace] == nil {
		r.runs[namespace] = map[string]int64{}
	}
	suspended, _, _ := unstructured.NestedBool(job.Object, "spec", "suspend")
	gpus, _, _ := unstructured.NestedInt64(job.Object, "spec", "parallelism")
	if gone || suspended {
		gpus = 0
	}
	r.runs[namespace][job.GetName()] = gpus
	var all int64
	for name, jobs := range r.runs {
		var sum int64
		for n := range maps.Values(jobs) {
			sum += n
		}
		r.most[name], all = max(r.most[name], sum), all+sum
	}
	r.all = max(r.all, all)
}

// peak is the most GPUs that ran in a namespace at any time, and in all.
func (r *rig) peak(namespace string) (there, all int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.most[namespace], r.all
}

// job is a Job of as many pods with one GPU each.
func job(namespace, name, queue string, gpus int) string {
	return fmt.Sprintf(`
apiVersion: batch/v1
kind: Job
metadata: {name: %s, namespace: %s, labels: {kueue.x-k8s.io/queue-name: %s}}
spec:
  parallelism: %[4]d
  completions: %[4]d
  template:
    spec:
      restartPolicy: Never
      containers:
      - {name: work, image: none, resources: {requests: {nvidia.com/gpu: 1, cpu: 4, memory: 16Gi}, limits: {nvidia.com/gpu: 1}}}
`, name, namespace, queue, gpus)
}

// submit starts work as a user does. The LocalQueue of a project has the name of the project.
func (r *rig) submit(t *testing.T, namespace, name, queue string, gpus int) {
	t.Helper()
	r.ApplyAs(t, "user", job(namespace, name, queue, gpus))
}

// refused is why the API server would not take an object, "" if it would.
func (r *rig) refused(t *testing.T, document string) string {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(document), &object.Object); err != nil {
		t.Fatal(err)
	}
	gvk := object.GroupVersionKind()
	resource := schema.GroupVersionResource{Group: gvk.Group, Version: gvk.Version, Resource: strings.ToLower(gvk.Kind) + "s"}
	_, err := r.Client.Resource(resource).Namespace(object.GetNamespace()).Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	if err != nil {
		return err.Error()
	}
	return ""
}

// mustRun waits until a Job runs.
func (r *rig) mustRun(t *testing.T, namespace, name string) {
	t.Helper()
	r.await(t, fmt.Sprintf("job %s/%s runs", namespace, name), func() bool { return !r.suspended(t, namespace, name) })
}

// mustWait waits until Kueue has looked at a Job and said why it does not run, and why has to be in that.
func (r *rig) mustWait(t *testing.T, namespace, name, why string) {
	t.Helper()
	r.await(t, fmt.Sprintf("job %s/%s waits because: %s", namespace, name, why), func() bool {
		return strings.Contains(r.condition(t, namespace, name, "QuotaReserved", "False"), why)
	})
	if !r.suspended(t, namespace, name) {
		t.Errorf("job %s/%s runs", namespace, name)
	}
}

// mustNeverHaveLeft fails where a Job does not run or was ever evicted.
func (r *rig) mustNeverHaveLeft(t *testing.T, namespace, name string) {
	t.Helper()
	if r.suspended(t, namespace, name) {
		t.Errorf("job %s/%s does not run any more", namespace, name)
	}
	if why := r.condition(t, namespace, name, "Evicted", ""); why != "" {
		t.Errorf("job %s/%s was evicted: %s", namespace, name, why)
	}
}

func (r *rig) suspended(t *testing.T, namespace, name string) bool {
	t.Helper()
	live := r.Get(t, kube.Key{Kind: jobKind, Namespace: namespace, Name: name})
	suspended, _, _ := unstructured.NestedBool(live.Object, "spec", "suspend")
	return suspended
}

// condition is the message of a condition of a Job's Workload with the given status, any if that is "".
func (r *rig) condition(t *testing.T, namespace, name, kind, status string) string {
	t.Helper()
	list, err := r.Client.Resource(resourceOf(kube.Kind(kueue.WorkloadKind))).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, workload := range list.Items {
		owners := workload.GetOwnerReferences()
		if len(owners) != 1 || owners[0].Name != name {
			continue
		}
		conditions, _, _ := unstructured.NestedSlice(workload.Object, "status", "conditions")
		for _, c := range conditions {
			fields, ok := c.(map[string]any)
			if ok && fields["type"] == kind && (status == "" || fields["status"] == status) {
				return fmt.Sprintf("%v: %v", fields["reason"], fields["message"])
			}
		}
	}
	return ""
}

// end ends work. By default a Job leaves its Workload behind, which keeps its GPUs.
func (r *rig) end(t *testing.T, namespace, name string) {
	t.Helper()
	key := kube.Key{Kind: jobKind, Namespace: namespace, Name: name}
	background := metav1.DeletePropagationBackground
	if err := r.Client.Resource(resourceOf(jobKind)).Namespace(namespace).Delete(t.Context(), name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	r.AwaitGone(t, key)
}

// endAll ends the work of everybody.
func (r *rig) endAll(t *testing.T) {
	t.Helper()
	list, err := r.Client.Resource(resourceOf(jobKind)).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, job := range list.Items {
		r.end(t, job.GetNamespace(), job.GetName())
	}
}

// await waits until something is so. Where it never is, it says what there is.
func (r *rig) await(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(40 * time.Second); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			r.explain(t)
			r.endAll(t) // or the destroy after the test waits for it
			t.Fatalf("not so after 40 s: %s", what)
		}
	}
}

// explain prints the queues, the work, and what Kueue said last.
func (r *rig) explain(t *testing.T) {
	for _, kind := range []kube.Kind{kube.Kind(kueue.CohortKind), queueKind, kube.Kind(kueue.WorkloadKind)} {
		list, err := r.Client.Resource(resourceOf(kind)).List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
		if err != nil {
			t.Log(err)
			continue
		}
		for _, o := range list.Items {
			text, _ := yaml.Marshal(map[string]any{"spec": o.Object["spec"], "status": o.Object["status"]})
			t.Logf("%s %s/%s\n%s", o.GetKind(), o.GetNamespace(), o.GetName(), text)
		}
	}
	if log, err := os.ReadFile(r.kueue.Log()); err == nil {
		t.Logf("Kueue, at last:\n%s", log[max(0, len(log)-2000):])
	}
}

func resourceOf(k kube.Kind) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: k.Group, Version: k.Version, Resource: k.Resource}
}
