package queue_test

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_queue.this"

// lane is a folder with one queue, whose names no other test has.
type lane struct {
	*cli.Workdir
	api   *acctest.Scheduled
	block string
	id    string
}

func newLane(t *testing.T) *lane {
	t.Helper()
	api := acctest.Schedulers(t)
	return &lane{Workdir: cli.New(t, ""), api: api, block: api.ProviderBlock(), id: strings.ToLower(rand.Text()[:6])}
}

// now changes the configuration to a queue speech-<id> below a parent.
func (l *lane) now(t *testing.T, engine, parent, more string) {
	t.Helper()
	l.Configure(t, l.block+fmt.Sprintf(`
resource "k0smos_queue" "this" {
  name    = "speech-%[1]s"
  cluster = %[2]s
  engine  = %[3]q
  parent  = "%[4]s-%[1]s"
  pool    = { node_pool = "p%[1]s", resource = "nvidia.com/gpu", capacity = 24 }
  %[5]s
}
`, l.id, l.api.Cluster, engine, parent, more))
}

func (l *lane) queue(name string) kube.Key {
	return kube.Key{Kind: kube.Kind(kai.QueueKind), Name: name + "-" + l.id}
}

// parent makes a queue of somebody else, as another workspace would.
func (l *lane) parent(t *testing.T, name, above string, quota int) {
	t.Helper()
	l.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s-%s, labels: {kai.scheduler/node-pool: p%s}}, spec: {parentQueue: %q, resources: {gpu: {quota: %d, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}}",
		name, l.id, l.id, above, quota))
}

func (l *lane) plans(t *testing.T, want string) {
	t.Helper()
	if got := l.Changes(t)[address]; got != want {
		t.Errorf("the plan does %q, want %q:\n%s", got, want, l.Plan(t).Output)
	}
}

func (l *lane) field(t *testing.T, at ...string) any {
	t.Helper()
	v, _, _ := unstructured.NestedFieldNoCopy(l.api.Get(t, l.queue("speech")).Object, at...)
	return v
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestAccTheLifeOfAQueueUnderAParentOfAnotherState(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	const gpu, limits = "gpu = { quota = 4 }", "timeouts {\n    delete = \"8s\"\n  }"
	l.now(t, "kai", "research", gpu)
	l.Plan(t).Worked(t, "Queue research-"+l.id+", the parent of queue speech-"+l.id+", does not exist")
	l.TryApply(t).Failed(t, "does not exist", "QueueDoesNotExist")
	if l.api.Find(t, l.queue("speech")) != nil {
		t.Fatal("an orphan was made")
	}

	l.parent(t, "research", "", 8)
	l.now(t, "kai", "research", gpu+"\n  namespaces = [\"speech-"+l.id+"\"]\n  "+limits)
	l.Apply(t)
	l.plans(t, "")
	equal(t, "the quota", l.field(t, "spec", "resources", "gpu", "quota"), int64(4))
	equal(t, "the label of the namespace", l.api.Get(t, kube.Key{Kind: acctest.Namespaces, Name: "speech-" + l.id}).GetLabels()["project.k0smos.io/speech-"+l.id], "research-"+l.id)

	// A sibling in another state uses the parent up: a warning, since nobody here can tell who has to give way.
	l.parent(t, "vision", "research-"+l.id, 5)
	l.now(t, "kai", "research", "gpu = { quota = 4.5 }\n  "+limits)
	l.Plan(t).Worked(t, "Projects ask 9.5 GPUs, queue research-"+l.id+" has 8")
	l.Apply(t)
	equal(t, "the quota", l.field(t, "spec", "resources", "gpu", "quota"), 4.5)

	// A move with everything in it.
	l.parent(t, "product", "", 8)
	l.now(t, "kai", "product", "gpu = { quota = 4 }\n  "+limits)
	l.plans(t, "update")
	l.Apply(t)
	equal(t, "the parent", l.field(t, "spec", "parentQueue"), "product-"+l.id)

	// A cycle that closes through a queue of somebody else would stop the scheduler: it is never applied.
	l.parent(t, "foreign", "speech-"+l.id, 1)
	l.parent(t, "product", "foreign-"+l.id, 8)
	l.now(t, "kai", "product", "gpu = { quota = 3 }\n  "+limits)
	way := fmt.Sprintf("speech-%[1]s -> product-%[1]s -> foreign-%[1]s -> speech-%[1]s", l.id)
	l.Plan(t).Worked(t, way)
	l.TryApply(t).Failed(t, way, "endless loop")
	equal(t, "the quota", l.field(t, "spec", "resources", "gpu", "quota"), int64(4))
	l.parent(t, "product", "", 8)
	l.Apply(t)
	l.api.Delete(t, l.queue("foreign"))

	// By hand, by another tool, and out of the state.
	l.api.EditAs(t, "kubectl-edit", l.queue("speech"), func(object map[string]any) {
		_ = unstructured.SetNestedField(object, "vision-"+l.id, "spec", "parentQueue")
	})
	l.Plan(t).Worked(t, "0 to add, 1 to change, 0 to destroy")
	l.Apply(t)
	equal(t, "the parent", l.field(t, "spec", "parentQueue"), "product-"+l.id)
	l.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: speech-%s}, spec: {resources: {gpu: {quota: 7}}}}", l.id))
	l.Plan(t).Failed(t, `managed by "fleet"`)
	l.block = l.api.ProviderBlock("force_conflicts = true")
	l.now(t, "kai", "product", "gpu = { quota = 3 }\n  "+limits)
	l.Apply(t)
	l.Must(t, "state", "rm", address)
	l.Must(t, "import", "-no-color", address, "geo/train:kai/speech-"+l.id)
	l.Apply(t) // timeouts are nowhere in the cluster
	l.plans(t, "")

	// It goes when nobody needs it.
	l.api.EditStatusAs(t, "queue-controller", l.queue("speech"), map[string]any{"requested": map[string]any{"nvidia.com/gpu": "2"}})
	l.TryDestroy(t).Failed(t, "requested are 2 GPUs", "force_destroy")
	l.api.EditStatusAs(t, "queue-controller", l.queue("speech"), map[string]any{"childQueues": []any{"below"}})
	l.TryDestroy(t).Failed(t, "is the parent of below")
	l.api.EditStatusAs(t, "queue-controller", l.queue("speech"), map[string]any{})
	l.Destroy(t)
	l.api.AwaitGone(t, l.queue("speech"))
}

func TestAccAQueueOfSomebodyElseIsImported(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	l.parent(t, "research", "", 8)
	l.parent(t, "speech", "research-"+l.id, 4)
	l.now(t, "kai", "research", "gpu = { quota = 4 }")
	l.TryApply(t).Failed(t, "exists already", "terraform import")
	l.Must(t, "import", "-no-color", address, "geo/train:kai/speech-"+l.id)
	l.block = l.api.ProviderBlock("force_conflicts = true") // the other tool declares the same fields
	l.now(t, "kai", "research", "gpu = { quota = 5 }")
	l.Plan(t).Worked(t, "Adopts", "0 to add, 1 to change, 0 to destroy")
	l.Apply(t)
	l.plans(t, "")
	equal(t, "the quota", l.field(t, "spec", "resources", "gpu", "quota"), int64(5))
	l.Destroy(t)
}

func TestAccAQueueOnKueue(t *testing.T) {
	t.Parallel()
	l := newLane(t)
	more := fmt.Sprintf("gpu = { quota = 4, limit = 6 }\n  namespaces = [\"speech-%s\"]\n  wait = false", l.id)
	l.now(t, "kueue", "research", more)
	l.TryApply(t).Failed(t, "Cohort research-"+l.id, "does not exist")
	l.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: research-%s}, spec: {parentName: k0smos}}", l.id))
	l.Plan(t).Worked(t, "adds to that of its Cohort")
	l.Apply(t)
	l.plans(t, "")
	queue := kube.Key{Kind: kube.Kind(kueue.ClusterQueueKind), Name: "speech-" + l.id}
	local := kube.Key{Kind: kube.Kind(kueue.LocalQueueKind), Namespace: "speech-" + l.id, Name: "speech-" + l.id}
	cohort, _, _ := unstructured.NestedString(l.api.Get(t, queue).Object, "spec", "cohortName")
	equal(t, "the cohort", cohort, "research-"+l.id)
	l.api.Get(t, local)
	l.Destroy(t)
	l.api.AwaitGone(t, queue)
	l.api.AwaitGone(t, local)
}
