package pool_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/topology"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_scheduling_pool.this"

// yard is a folder with one pool, whose name no other test has.
type yard struct {
	*cli.Workdir
	api   *acctest.Scheduled
	block string
	id    string
}

func newYard(t *testing.T) *yard {
	t.Helper()
	api := acctest.Schedulers(t)
	return &yard{Workdir: cli.New(t, ""), api: api, block: api.ProviderBlock(), id: "pool-" + strings.ToLower(rand.Text()[:6])}
}

func (y *yard) now(t *testing.T, engine string, more ...string) {
	t.Helper()
	y.Configure(t, y.block+fmt.Sprintf(`
resource "k0smos_scheduling_pool" "this" {
  name      = %[1]q
  cluster   = %[2]s
  engine    = %[3]q
  node_pool = "np-%[1]s"
  %[4]s
}
`, y.id, y.api.Cluster, engine, strings.Join(more, "\n  ")))
}

func (y *yard) key(kind api.Kind) kube.Key { return kube.Key{Kind: kube.Kind(kind), Name: y.id} }

func (y *yard) spec(t *testing.T, kind api.Kind) string {
	t.Helper()
	text, err := json.Marshal(y.api.Get(t, y.key(kind)).Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (y *yard) plans(t *testing.T, want string) {
	t.Helper()
	if got := y.Changes(t)[address]; got != want {
		t.Errorf("the plan does %q, want %q:\n%s", got, want, y.Plan(t).Output)
	}
}

// operate plays the part of KAI's operator for the pool: it says Ready of each generation.
func (y *yard) operate(t *testing.T) {
	t.Helper()
	shards := y.api.Client.Resource(schema.GroupVersionResource{Group: shard.Kind.Group, Version: shard.Kind.Version, Resource: shard.Kind.Resource})
	ctx, cancel := context.WithCancel(t.Context())
	events, err := shards.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + y.id})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		for event := range events.ResultChan() {
			o, ok := event.Object.(*unstructured.Unstructured)
			if !ok {
				continue
			}
			status := map[string]any{"apiVersion": shard.Kind.APIVersion(), "kind": shard.Kind.Kind, "metadata": map[string]any{"name": o.GetName()},
				"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "status": "True", "reason": "Ready", "message": "", "observedGeneration": o.GetGeneration(), "lastTransitionTime": "2026-01-01T00:00:00Z"}}}}
			_, _ = shards.ApplyStatus(ctx, o.GetName(), &unstructured.Unstructured{Object: status}, metav1.ApplyOptions{FieldManager: "kai-operator", Force: true}) // it may be gone
		}
	}()
}

const more = `resource = "nvidia.com/gpu"
  capacity = 24`

func TestAccTheLifeOfAPoolOnKAI(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.operate(t)
	y.now(t, "kai", more, `placement = { gpu = "spread" }`, `min_runtime = { reclaim = "90m" }`, `args = { v = "4" }`, "fair_share_history = {}", `topology = ["zone", "kubernetes.io/hostname"]`)
	y.Apply(t)
	y.plans(t, "")
	want := fmt.Sprintf(`{"args":{"v":"4"},"minRuntime":{"reclaimMinRuntime":"90m"},"partitionLabelValue":"np-%s","placementStrategy":{"gpu":"spread"},"usageDBConfig":{"clientType":"prometheus"}}`, y.id)
	if got := y.spec(t, shard.Kind); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	ref, _ := json.Marshal(y.State(t)[address].Values["ref"])
	if want := fmt.Sprintf(`{"capacity":24,"engine":"kai","name":%[1]q,"node_pool":"np-%[1]s","resource":"nvidia.com/gpu"}`, y.id); string(ref) != want {
		t.Errorf("the reference is %s", ref)
	}

	// Another spelling is no change; another value is one, in place.
	y.now(t, "kai", more, `placement = { gpu = "spread" }`, `min_runtime = { reclaim = "1h30m" }`, `args = { v = "4" }`, "fair_share_history = {}", `topology = ["zone", "kubernetes.io/hostname"]`)
	y.plans(t, "")
	y.now(t, "kai", more, `placement = { gpu = "binpack" }`, `fair_share_history = { window = "2d", half_life = "24h", weight = 0.5 }`, `topology = ["zone", "kubernetes.io/hostname"]`)
	y.plans(t, "update")
	y.Apply(t)
	y.plans(t, "")

	// A hand is taken back, that field only; another tool is not overruled.
	y.api.EditAs(t, "kubectl-edit", y.key(shard.Kind), func(object map[string]any) {
		_ = unstructured.SetNestedField(object, "spread", "spec", "placementStrategy", "gpu")
		_ = unstructured.SetNestedField(object, "200Mi", "spec", "goMemLimit") // nobody's but theirs
	})
	y.Plan(t).Worked(t, `"spread" -> "binpack"`, "0 to add, 1 to change, 0 to destroy")
	y.Apply(t)
	if got := y.spec(t, shard.Kind); !strings.Contains(got, `"gpu":"binpack"`) || !strings.Contains(got, `"goMemLimit":"200Mi"`) {
		t.Errorf("got %s", got)
	}
	y.plans(t, "")
	y.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: %s}, spec: {kValue: 3}}", y.id))
	y.Plan(t).Failed(t, `managed by "fleet"`)
	y.block = y.api.ProviderBlock("force_conflicts = true")
	y.now(t, "kai", more, `placement = { gpu = "binpack" }`, `fair_share_history = { window = "2d", half_life = "24h", weight = 0.5 }`, `topology = ["zone", "kubernetes.io/hostname"]`)
	y.Apply(t)
	y.plans(t, "")

	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, "geo/train:kai/"+y.id)
	y.plans(t, "")

	// Levels cannot be edited, and may go.
	y.block = y.api.ProviderBlock()
	y.now(t, "kai", more, `topology = ["zone", "rack"]`)
	y.Plan(t).Worked(t, "must be replaced", "1 to add, 0 to change, 1 to destroy")
	y.Apply(t)
	y.plans(t, "")
	y.now(t, "kai", more)
	y.plans(t, "update")
	y.Apply(t)
	y.api.AwaitGone(t, y.key(topology.Kind))
	y.plans(t, "")

	y.Destroy(t)
	y.api.AwaitGone(t, y.key(shard.Kind))
}

func TestAccAPoolIsOneOfItsKindAndStaysWhileItHasWork(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.operate(t)
	const limit = "timeouts {\n    delete = \"8s\"\n  }"
	other := kube.Key{Kind: kube.Kind(shard.Kind), Name: "other-" + y.id}
	y.api.ApplyAs(t, "kubectl", fmt.Sprintf("{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: %s}, spec: {partitionLabelValue: np-%s}}", other.Name, y.id))
	y.now(t, "kai", more, limit)
	y.Plan(t).Worked(t, "Pool has a scheduler already", other.Name)
	y.TryApply(t).Failed(t, "Pool has a scheduler already", other.Name)
	y.api.Delete(t, other)
	y.api.AwaitGone(t, other)
	y.Apply(t)
	y.plans(t, "")

	queue := kube.Key{Kind: kube.Kind(kai.QueueKind), Name: "busy-" + y.id}
	y.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s, labels: {kai.scheduler/node-pool: np-%s}}, spec: {resources: {gpu: {quota: 1, limit: -1, overQuotaWeight: 1}}}}", queue.Name, y.id))
	y.api.EditStatusAs(t, "queue-controller", queue, map[string]any{"requested": map[string]any{"nvidia.com/gpu": "8"}})
	y.TryDestroy(t).Failed(t, "Queue "+queue.Name, "still has work")
	if y.api.Find(t, y.key(shard.Kind)) == nil {
		t.Fatal("the scheduler went with work in its queues")
	}
	y.api.EditStatusAs(t, "queue-controller", queue, map[string]any{"requested": map[string]any{"nvidia.com/gpu": "0"}})
	y.Destroy(t)
	y.api.AwaitGone(t, y.key(shard.Kind))
	y.api.Delete(t, queue)
}

func TestAccAPoolWithoutAnOperatorSaysSo(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.now(t, "kai", more, "timeouts {\n    create = \"4s\"\n  }")
	y.TryApply(t).Worked(t, "is it running?", "1 added")
	y.plans(t, "update") // the wait is resumed
	y.operate(t)
	y.Apply(t)
	y.plans(t, "")
	y.Destroy(t)
}

func TestAccTheLifeOfAPoolOnKueue(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.now(t, "kueue", more, `placement = { gpu = "spread" }`)
	y.Plan(t).Worked(t, "placement has no effect with engine", "1 to add")
	y.Apply(t)
	y.plans(t, "")
	y.now(t, "kueue", more, `topology = ["zone"]`)
	y.plans(t, "update")
	y.Apply(t)
	y.plans(t, "")
	if got, want := y.spec(t, kueue.ResourceFlavorKind), fmt.Sprintf(`{"nodeLabels":{"kai.scheduler/node-pool":"np-%[1]s"},"topologyName":%[1]q}`, y.id); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, "geo/train:kueue/"+y.id)
	y.plans(t, "")
	y.now(t, "kueue", more, `topology = ["zone", "rack"]`)
	y.Plan(t).Worked(t, "must be replaced")

	queue := kube.Key{Kind: kube.Kind(kueue.ClusterQueueKind), Name: "user-" + y.id}
	y.now(t, "kueue", more, `topology = ["zone"]`, "timeouts {\n    delete = \"8s\"\n  }")
	y.Apply(t)
	y.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: %s}, spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: %s, resources: [{name: cpu, nominalQuota: 1}]}]}]}}", queue.Name, y.id))
	y.TryDestroy(t).Failed(t, "still part of the quotas of ClusterQueue", queue.Name, "create_before_destroy")
	y.api.Delete(t, queue)
	y.Destroy(t)
	y.api.AwaitGone(t, y.key(kueue.ResourceFlavorKind))
	y.api.AwaitGone(t, y.key(kueue.TopologyKind))
}

func TestAccALostAnswerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	y.operate(t)
	proxy := y.api.Proxy(t)
	y.block = acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig()))
	lost := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "get", Resource: "secrets"}, Do: faultproxy.ResetAfter()})
	y.now(t, "kai", more, "timeouts {\n    create = \"8s\"\n  }")
	y.TryApply(t)
	if lost.Fired() == 0 {
		t.Fatal("the fault did not happen")
	}
	lost.Remove()
	y.Apply(t)
	y.plans(t, "")
	y.Destroy(t)
	y.api.AwaitGone(t, y.key(shard.Kind))
}
