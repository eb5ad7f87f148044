package queue

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTheSchemaIsWhole(t *testing.T) { compositetest.Schema(t, Kind) }

func with(engine, more string) string {
	return fmt.Sprintf("{name: speech-quebec-a100, cluster: {name: train, namespace: train}, engine: %s, parent: research-quebec-a100, pool: {node_pool: quebec-a100, resource: nvidia.com/gpu, capacity: 24}, %s}", engine, more)
}

var configs = map[string]string{
	"kai":       with("kai", `display_name: Speech, priority: 150, preempt_min_runtime: 15m, reclaim_min_runtime: 1h, namespaces: [speech], create_namespaces: false, gpu: {quota: 4.5, limit: 8, over_quota_weight: 2}, cpu: {quota: "64"}, memory: {limit: 1Ti}`),
	"kai-plain": `{name: speech, cluster: {name: train, namespace: train}, engine: kai, parent: research, pool: {node_pool: a, resource: amd.com/gpu}}`,
	"kueue":     with("kueue", `display_name: Speech, namespaces: [speech, asr], gpu: {quota: 4, limit: 8, over_quota_weight: 2}, cpu: {quota: "64", over_quota_weight: 2}, memory: {limit: 1Ti}`),
}

func TestQueuesBecomeTheseObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }

func TestAWrongQueueIsFoundInThePlan(t *testing.T) {
	for name, c := range map[string]struct{ config, at, says string }{
		"its own parent":               {strings.Replace(with("kai", "gpu: {quota: 1}"), "parent: research", "parent: speech", 1), "parent", "Queue speech-quebec-a100 names itself as its parent"},
		"a reserved name":              {strings.Replace(configs["kai-plain"], "name: speech", "name: default", 1), "name", `the name "default" is reserved`},
		"a pool without resource":      {strings.Replace(configs["kai-plain"], ", resource: amd.com/gpu", "", 1), "pool.resource", "says no resource"},
		"a pool of the other engine":   {strings.Replace(configs["kai-plain"], "node_pool: a", "engine: kueue, node_pool: a", 1), "pool.engine", `is one of engine "kueue"`},
		"a limit under the quota":      {with("kai", "gpu: {quota: 4, limit: 2}"), "gpu.limit", "has a quota of 4 GPUs in pool quebec-a100 and a limit of 2"},
		"more than the pool has":       {with("kai", "gpu: {quota: 25}"), "gpu.quota", "has a quota of 25 GPUs, pool quebec-a100 has 24 GPUs"},
		"a part of a GPU on Kueue":     {with("kueue", "namespaces: [a], gpu: {quota: 0.5}"), "gpu.quota", "Kueue counts whole devices only"},
		"no namespaces on Kueue":       {with("kueue", "gpu: {quota: 0}"), "namespaces", "lists no namespaces"},
		"a priority on Kueue":          {with("kueue", "namespaces: [a], priority: 1"), "priority", "no priority among themselves"},
		"a quota beside the Cohort's":  {with("kueue", "namespaces: [a], gpu: {quota: 4}"), "gpu.quota", "adds to that of its Cohort"},
		"min runtimes on Kueue":        {with("kueue", "namespaces: [a], reclaim_min_runtime: 1h"), "reclaim_min_runtime", "no time in which work cannot be preempted"},
		"weight 0 with room above it":  {with("kai", "gpu: {quota: 4, over_quota_weight: 0}"), "gpu.over_quota_weight", "weight 0 in pool quebec-a100"},
		"CPU finer than a millicore":   {with("kai", "cpu: {quota: 1u}"), "cpu", "finer than schedulers count"},
		"weights that differ on Kueue": {with("kueue", "namespaces: [a], cpu: {over_quota_weight: 3}"), "cpu.over_quota_weight", "is 3 and that of gpu is 1"},
	} {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, check := range Kind.Checks {
				for _, f := range check(compositetest.Model(t, Kind, c.config)) {
					all = append(all, f.Path.String()+": "+f.Detail)
				}
			}
			for _, line := range all {
				if strings.HasPrefix(line, c.at+": ") && strings.Contains(line, c.says) {
					return
				}
			}
			t.Errorf("nothing says %q at %s, but\n%s", c.says, c.at, strings.Join(all, "\n"))
		})
	}
}

// live reads Queues as "name parent pool quota".
func live(t *testing.T, queues ...string) composite.Live {
	t.Helper()
	var out composite.Live
	for _, text := range queues {
		f := strings.Fields(text + " - - 0")
		parent := ""
		if f[1] != "-" {
			parent = f[1]
		}
		object := map[string]any{}
		err := yaml.Unmarshal(fmt.Appendf(nil, `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s, labels: {kai.scheduler/node-pool: %s}}, spec: {parentQueue: %q, resources: {gpu: {quota: %s, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}}`,
			f[0], f[2], parent, f[3]), &object)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, &unstructured.Unstructured{Object: object})
	}
	return out
}

func TestThePlaceInTheLiveTreeIsJudged(t *testing.T) {
	m := compositetest.Model(t, Kind, with("kai", "gpu: {quota: 4}"))
	for name, c := range map[string]struct {
		live  composite.Live
		says  string
		fatal bool
	}{
		"no parent":                         {live(t, "other - quebec-a100 8"), "Queue research-quebec-a100, the parent of queue speech-quebec-a100, does not exist", true},
		"a parent of another pool":          {live(t, "research-quebec-a100 - atlanta 8"), `its parent research-quebec-a100 has the pool label "atlanta"`, true},
		"a cycle through a queue of others": {live(t, "research-quebec-a100 foreign quebec-a100 8", "foreign speech-quebec-a100 quebec-a100 8"), "speech-quebec-a100 -> research-quebec-a100 -> foreign -> speech-quebec-a100", true},
		"a cycle above":                     {live(t, "research-quebec-a100 foreign quebec-a100 8", "foreign research-quebec-a100 quebec-a100 0"), "research-quebec-a100 -> foreign -> research-quebec-a100", true},
		"siblings that use the parent up":   {live(t, "research-quebec-a100 - quebec-a100 8", "vision research-quebec-a100 quebec-a100 5"), "Projects ask 9 GPUs, queue research-quebec-a100 has 8 in pool quebec-a100", false},
		"more than the parent has":          {live(t, "research-quebec-a100 - quebec-a100 3"), "One project asks 4 GPUs, queue research-quebec-a100 has 3", false},
		"enough for all":                    {live(t, "research-quebec-a100 - quebec-a100 9", "vision research-quebec-a100 quebec-a100 5", "speech-quebec-a100 research-quebec-a100 quebec-a100 8"), "", false},
	} {
		t.Run(name, func(t *testing.T) {
			findings := survey(m, c.live)
			if c.says == "" && len(findings) == 0 {
				return
			}
			if len(findings) != 1 || !strings.Contains(findings[0].Detail, c.says) || findings[0].Warning == c.fatal {
				t.Errorf("it says %+v", findings)
			}
		})
	}
}

func TestShrinkingBelowWhatIsAllocatedIsSaid(t *testing.T) {
	tree := live(t, "research-quebec-a100 - quebec-a100 9", "speech-quebec-a100 research-quebec-a100 quebec-a100 8")
	tree[1].Object["status"] = map[string]any{"allocated": map[string]any{"nvidia.com/gpu": "6", "cpu": "48"}, "allocatedNonPreemptible": map[string]any{"nvidia.com/gpu": "5"}}
	for config, want := range map[string]string{
		"gpu: {quota: 4, limit: 5}": "has 6 GPUs allocated now in pool quebec-a100, and its limit is 5",
		"gpu: {quota: 4}":           "has 5 GPUs allocated now in pool quebec-a100 to work that must not be preempted, and its quota is 4",
		"gpu: {quota: 5}":           "has 6 GPUs allocated now in pool quebec-a100, and its quota is 5",
	} {
		findings := survey(compositetest.Model(t, Kind, with("kai", config)), tree)
		if len(findings) != 1 || !findings[0].Warning || !strings.Contains(findings[0].Detail, want) {
			t.Errorf("%s: %+v", config, findings)
		}
	}
}

func TestAncestorsAreLookedAtOneByOne(t *testing.T) {
	m := compositetest.Model(t, Kind, with("kai", ""))
	if refs := related(m); len(refs) != 2 || refs[1].Name != "research-quebec-a100" {
		t.Errorf("%v", refs)
	}
	refs := relatedFurther(m, live(t, "speech-quebec-a100 old quebec-a100 0", "research-quebec-a100 top quebec-a100 0"))
	if len(refs) != 1 || refs[0].Name != "top" || refs[0].Kind != kai.QueueKind {
		t.Errorf("%v", refs)
	}
}

func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	m.Name, m.Engine, m.Parent = types.StringValue("speech"), types.StringValue(rapid.SampledFrom([]string{"kai", "kueue"}).Draw(t, "engine")), types.StringValue(rapid.SampledFrom([]string{"research", "product"}).Draw(t, "parent"))
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("train"), UID: types.StringNull()})
	m.Pool = tf.ObjectOf(scheduling.PoolRef{NodePool: types.StringValue("quebec-a100"), Resource: types.StringValue(scheduling.NVIDIAGPU), Name: types.StringValue("quebec"), Engine: types.StringNull(), Capacity: types.Int64Value(rapid.Int64Range(0, 64).Draw(t, "capacity"))})
	if rapid.Bool().Draw(t, "a display name") {
		m.DisplayName = types.StringValue("Speech")
	}
	if rapid.Bool().Draw(t, "namespaces") {
		m.Namespaces, m.CreateNamespaces = tf.ListOf(types.StringValue("speech"), types.StringValue("asr")), types.BoolValue(rapid.Bool().Draw(t, "create"))
	}
	if m.Engine.ValueString() == "kai" {
		m.Priority = types.Int64Value(rapid.Int64Range(0, 300).Draw(t, "priority"))
		m.ReclaimMinRuntime = tf.DurationOf(rapid.SampledFrom([]string{"30m", "90m"}).Draw(t, "reclaim"))
	}
	quota := rapid.Int64Range(0, 32).Draw(t, "quota")
	m.GPU = tf.ObjectOf(scheduling.GPUShare{Quota: types.Float64Value(float64(quota)), Limit: types.Float64Value(float64(quota + rapid.Int64Range(0, 9).Draw(t, "room"))), OverQuotaWeight: types.Float64Value(rapid.SampledFrom([]float64{0, 0.5, 1, 3}).Draw(t, "weight"))})
	if rapid.Bool().Draw(t, "memory") {
		m.Memory = tf.ObjectOf(scheduling.QuantityShare{Quota: tf.QuantityOf(rapid.SampledFrom([]string{"0", "64Gi", "100G", "1000001"}).Draw(t, "memory")), Limit: tf.NullQuantity(), OverQuotaWeight: types.Float64Null()})
	}
	derive(&m, nil)
	return m
}

func TestReadingWhatWasAppliedChangesNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		read := decompose(compositetest.Live(r, compositetest.Compose(r, Kind, m)), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

func requireSame(t compositetest.TB, want, got []composite.Object) {
	t.Helper()
	if a, b := compositetest.Text(t, want), compositetest.Text(t, got); !bytes.Equal(a, b) {
		t.Fatalf("%s", compositetest.Difference(string(a), string(b)))
	}
}

func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		objects := compositetest.Compose(r, Kind, m)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Engine, empty.Cluster = m.Name, m.Engine, m.Cluster
		found := compositetest.Live(r, objects)
		if refs := locate(empty, found); len(refs) != len(objects) {
			r.Fatalf("of %d objects it finds %v", len(objects), refs)
		}
		requireSame(r, objects, compositetest.Compose(r, Kind, imported(found, empty)))
	})
}
