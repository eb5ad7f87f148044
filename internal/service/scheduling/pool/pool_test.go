package pool

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai/shard"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

const head = `
name: quebec
cluster: {name: train, namespace: train}
node_pool: quebec-a100
`

const kaiPool = head + `
engine: kai
resource: nvidia.com/gpu
capacity: 24
placement: {gpu: binpack, cpu: spread}
min_runtime: {preempt: 10m, reclaim: 30m}
topology: [topology.kubernetes.io/zone, kubernetes.io/hostname]
args: {allow-consolidating-reclaim: "false", v: "4"}
fair_share_history: {prometheus_url: "http://prometheus.monitoring.svc:9090", window: 2d, window_type: sliding, half_life: 24h, weight: 0.5}
`

// configs are the cases of the golden files in testdata.
var configs = map[string]string{
	"kai":           kaiPool,
	"kai-minimal":   head + "engine: kai",
	"kueue":         head + "engine: kueue\nresource: nvidia.com/gpu\ncapacity: 24\ntopology: [topology.kubernetes.io/zone]",
	"kueue-minimal": head + "engine: kueue",
}

func TestConfigurationsComposeToGoldenObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }

func TestTheReferenceIsKnownAsFarAsTheConfigurationIs(t *testing.T) {
	m := compositetest.Model(t, Kind, head+"engine: kai\nresource: amd.com/gpu\ncapacity: (not known yet)")
	derive(&m, nil)
	want := scheduling.PoolRef{Name: types.StringValue("quebec"), Engine: types.StringValue("kai"), NodePool: types.StringValue("quebec-a100"), Resource: types.StringValue("amd.com/gpu"), Capacity: types.Int64Unknown()}
	if got, _ := m.Ref.Get(); got != want {
		t.Errorf("got %+v", got)
	}
}

func TestWrongPoolsAreFoundInThePlan(t *testing.T) {
	for name, test := range map[string]struct {
		more string
		want string // what the message says; "" is nothing wrong
		warn bool
	}{
		"a pool of cards":                         {"engine: kai\nresource: nvidia.com/gpu\ncapacity: 8", "", false},
		"a pool of MIG slices":                    {"engine: kai\nresource: nvidia.com/mig-3g.40gb", "", false},
		"what is not known yet is not judged":     {"engine: (not known yet)\nplacement: {gpu: spread}\ntopology: [(not known yet), a]\nargs: {v: (not known yet)}\nresource: (not known yet)\ncapacity: 1", "", false},
		"KAI counts no suffixed profile":          {"engine: kai\nresource: nvidia.com/mig-1g.10gb.me", "GPU quotas and limits would never bind", true},
		"KAI counts no shared cards":              {"engine: kai\nresource: nvidia.com/gpu.shared", "KAI counts as GPUs only", true},
		"Kueue counts whatever has a name":        {"engine: kueue\nresource: nvidia.com/gpu.shared", "", false},
		"a capacity of nothing":                   {"engine: kai\ncapacity: 8", "capacity is 8, and resource does not say of what", false},
		"no capacity and no resource":             {"engine: kai\ncapacity: 0", "", false},
		"placement on Kueue":                      {"engine: kueue\nplacement: {gpu: spread}", "placement has no effect with engine = \"kueue\"", true},
		"min runtimes on Kueue":                   {"engine: kueue\nmin_runtime: {reclaim: 5m}", "min_runtime has no effect", true},
		"args on Kueue":                           {"engine: kueue\nargs: {v: \"3\"}", "args has no effect", true},
		"history on Kueue":                        {"engine: kueue\nfair_share_history: {}", "fair_share_history has no effect", true},
		"a level twice":                           {"engine: kai\ntopology: [a, b, a]", "Levels 0 and 2 of topology are both \"a\"", false},
		"the host above the rack":                 {"engine: kueue\ntopology: [kubernetes.io/hostname, rack]", "Put it last", false},
		"a level that is no label":                {"engine: kai\ntopology: [a b]", "no label of a node", false},
		"an unknown flag":                         {"engine: kai\nargs: {verbose: \"3\"}", "dropped without a word", false},
		"a flag with its dashes":                  {"engine: kai\nargs: {--v: \"3\"}", "names have no dashes", false},
		"a flag of the operator's":                {"engine: kai\nargs: {partition-label-value: x}", "KAI's operator sets", false},
		"a flag that takes a truth":               {"engine: kai\nargs: {leader-elect: \"yes\"}", "takes true or false", false},
		"a flag that takes a number":              {"engine: kai\nargs: {qps: \"-1\"}", "takes a whole number", false},
		"a flag that takes a duration":            {"engine: kai\nargs: {schedule-period: 1d}", "takes a Go duration", false},
		"a negative grace period means no limit":  {"engine: kai\nargs: {default-staleness-grace-period: -1s}", "", false},
		"a flag with null":                        {"engine: kai\nargs: {v: null}", "args has \"v\" with null", false},
		"a label key that is empty":               {"engine: kai\nargs: {gpu-worker-node-label-key: \"\"}", "takes a label key", false},
		"every flag of the list has a good value": {"engine: kai\nargs: {v: \"3\", burst: \"10\", restrict-node-scheduling: \"true\", schedule-period: 2s, cpu-worker-node-label-key: a}", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			m := compositetest.Model(t, Kind, head+test.more)
			var findings []composite.Finding
			for _, check := range checks {
				findings = append(findings, check(m)...)
			}
			if test.want == "" {
				if len(findings) > 0 {
					t.Fatalf("found %+v", findings)
				}
				return
			}
			if len(findings) != 1 || findings[0].Warning != test.warn || !strings.Contains(findings[0].Detail, test.want) || findings[0].Path.Equal(path.Empty()) {
				t.Fatalf("found %+v, want %q", findings, test.want)
			}
		})
	}
}

func TestOnlyWhatCannotBeEditedMakesANewPool(t *testing.T) {
	const one, two, none = "\ntopology: [zone]", "\ntopology: [zone, rack]", ""
	for name, test := range map[string]struct{ was, now, want string }{
		"another capacity and placement":   {head + "engine: kai", head + "engine: kai\ncapacity: 3\nplacement: {gpu: spread}", "[]"},
		"another engine":                   {head + "engine: kai", head + "engine: kueue", "[engine]"},
		"another name":                     {head + "engine: kai", strings.Replace(head, "name: quebec", "name: q", 1) + "engine: kai", "[name]"},
		"another label":                    {head + "engine: kai", strings.Replace(head, "quebec-a100", "q", 1) + "engine: kai", "[node_pool]"},
		"first levels":                     {head + "engine: kai" + none, head + "engine: kai" + one, "[]"},
		"first levels on Kueue":            {head + "engine: kueue" + none, head + "engine: kueue" + one, "[]"},
		"other levels":                     {head + "engine: kai" + one, head + "engine: kai" + two, "[topology]"},
		"no levels any more on KAI":        {head + "engine: kai" + one, head + "engine: kai" + none, "[]"},
		"no levels any more on Kueue":      {head + "engine: kueue" + one, head + "engine: kueue" + none, "[topology]"},
		"levels that are not known yet":    {head + "engine: kai" + one, head + "engine: kai\ntopology: (not known yet)", "[]"},
		"a level that is not known yet":    {head + "engine: kai" + one, head + "engine: kai\ntopology: [(not known yet)]", "[]"},
		"the same levels, spelled as such": {head + "engine: kueue" + two, head + "engine: kueue" + two, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			got := path.Paths(replace(compositetest.Model(t, Kind, test.was), compositetest.Model(t, Kind, test.now)))
			if got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// anyModel generates configurations that the checks accept.
func anyModel(t *rapid.T) Model {
	m := compositetest.Null(Kind)
	text := func(label string, of ...string) types.String {
		return maybe(t, label, types.StringNull(), rapid.Map(rapid.SampledFrom(of), types.StringValue))
	}
	span := func(label string) tf.Duration {
		return maybe(t, label, tf.NullDuration(), rapid.Map(rapid.SampledFrom([]string{"0s", "10m", "90m", "1h30m"}), tf.DurationOf))
	}
	m.Name, m.NodePool = types.StringValue("quebec"), types.StringValue("quebec-a100")
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("train"), UID: types.StringNull()})
	m.Engine = types.StringValue(rapid.SampledFrom([]string{scheduling.EngineKAI, scheduling.EngineKueue}).Draw(t, "engine"))
	if m.Resource = text("resource", "nvidia.com/gpu", "amd.com/gpu"); !m.Resource.IsNull() {
		m.Capacity = maybe(t, "capacity", types.Int64Null(), rapid.Map(rapid.Int64Range(0, 1000), types.Int64Value))
	}
	m.Topology = maybe(t, "topology", tf.NullList[types.String](), rapid.Map(rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"zone", "rack", "example.com/block"}), 1, 3, rapid.ID), func(labels []string) tf.List[types.String] {
		var list []types.String
		for _, l := range labels {
			list = append(list, types.StringValue(l))
		}
		return tf.ListOf(list...)
	}))
	if m.Engine.ValueString() == scheduling.EngineKueue {
		derive(&m, nil)
		return m
	}
	m.Placement = maybe(t, "placement", tf.NullObject[Placement](), rapid.Just(tf.ObjectOf(Placement{text("gpu", "binpack", "spread"), text("cpu", "binpack", "spread")})))
	m.MinRuntime = maybe(t, "runtime", tf.NullObject[MinRuntime](), rapid.Just(tf.ObjectOf(MinRuntime{span("preempt"), span("reclaim")})))
	m.Args = maybe(t, "args", tf.NullMap[types.String](), rapid.Map(rapid.MapOf(rapid.SampledFrom([]string{"v", "qps"}), rapid.SampledFrom([]string{"1", "2"})), func(args map[string]string) tf.Map[types.String] {
		out := map[string]types.String{}
		for k, v := range args {
			out[k] = types.StringValue(v)
		}
		return tf.MapOf(out)
	}))
	m.FairShareHistory = maybe(t, "history", tf.NullObject[History](), rapid.Just(tf.ObjectOf(History{
		text("url", "http://a:9090"), text("window", "1w", "2d"), text("type", "sliding", "tumbling"), span("half life"),
		maybe(t, "weight", types.Float64Null(), rapid.Map(rapid.Float64Range(0, 1000), types.Float64Value)),
	})))
	derive(&m, nil)
	return m
}

func maybe[V attr.Value](t *rapid.T, label string, null V, g *rapid.Generator[V]) V {
	if rapid.Bool().Draw(t, label+" left out") {
		return null
	}
	return g.Draw(t, label)
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

func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		objects := compositetest.Compose(r, Kind, m)
		read := compositetest.Null(Kind)
		read.Name, read.Engine, read.Cluster = m.Name, m.Engine, m.Cluster
		for _, o := range objects {
			found := false
			for _, ref := range locate(read, nil) {
				found = found || ref.Kind == o.Kind && ref.Name == o.Name
			}
			if !found {
				r.Fatalf("an import does not look for %s", o)
			}
		}
		requireSame(r, objects, compositetest.Compose(r, Kind, decompose(compositetest.Live(r, objects), read)))
	})
}

func TestWhatAnotherConfigurationAppliedIsReadAsThatOne(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, other := anyModel(r), anyModel(r)
		m.Engine = other.Engine
		if len(levelsOf(other)) == 0 {
			m.Topology = other.Topology // a Topology that is gone shows as drift
		}
		objects := compositetest.Compose(r, Kind, other)
		read := decompose(compositetest.Live(r, objects), m)
		if m.Engine.ValueString() == scheduling.EngineKueue {
			read.Placement, read.MinRuntime, read.Args, read.FairShareHistory = other.Placement, other.MinRuntime, other.Args, other.FairShareHistory
		}
		requireSame(r, objects, compositetest.Compose(r, Kind, read))
	})
}

func requireSame(t compositetest.TB, want, got []composite.Object) {
	t.Helper()
	if a, b := compositetest.Text(t, want), compositetest.Text(t, got); !bytes.Equal(a, b) {
		t.Fatalf("%s", compositetest.Difference(string(a), string(b)))
	}
}

func TestAnythingInAPoolIsReadWithoutPanic(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		live := compositetest.Live(r, compositetest.Compose(r, Kind, m))
		at := rapid.SampledFrom(live).Draw(r, "object")
		field := rapid.SampledFrom(append(ownership.Leaves(at.Object), "spec", "metadata", "spec.levels")).Draw(r, "field")
		_ = ownership.Set(at.Object, field, rapid.SampledFrom([]any{nil, "", "x", int64(-7), true, []any{}, map[string]any{}}).Draw(r, "value"))
		compositetest.Raw(r, Kind, decompose(live, m))
		scheduled(at.Object)
	})
}

func live(t *testing.T, documents ...string) composite.Live {
	t.Helper()
	var out composite.Live
	for _, d := range documents {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(d), &object); err != nil {
			t.Fatal(err)
		}
		out = append(out, &unstructured.Unstructured{Object: object})
	}
	return out
}

func TestAShardIsReadyWhenItsLastChangeIs(t *testing.T) {
	for name, test := range map[string]struct {
		status string
		ready  bool
		why    string
	}{
		"nothing yet":                 {"{}", false, "has not looked at it yet"},
		"ready":                       {"{conditions: [{type: Ready, status: \"True\", observedGeneration: 2}]}", true, ""},
		"ready of the one before":     {"{conditions: [{type: Ready, status: \"True\", observedGeneration: 1}]}", false, "last change"},
		"not ready":                   {"{conditions: [{type: Ready, status: \"False\", reason: no, message: image not found, observedGeneration: 2}]}", false, "image not found"},
		"an operator without numbers": {"{conditions: [{type: Ready, status: \"True\"}]}", true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			object := live(t, "{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: a, generation: 2}, status: "+test.status+"}")[0].Object
			metadata, _ := object["metadata"].(map[string]any)
			metadata["generation"] = int64(2)
			conditions, _, _ := unstructured.NestedFieldNoCopy(object, "status", "conditions")
			list, _ := conditions.([]any)
			for _, c := range list {
				if c, ok := c.(map[string]any); ok && c["observedGeneration"] != nil {
					n, _ := c["observedGeneration"].(float64)
					c["observedGeneration"] = int64(n)
				}
			}
			if got := scheduled(object); got.Ready != test.ready || !strings.Contains(got.Why, test.why) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAPoolStaysWhileItIsUsed(t *testing.T) {
	m := compositetest.Model(t, Kind, configs["kai"])
	const queue = `{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %, labels: {kai.scheduler/node-pool: quebec-a100}}, status: {requested: {nvidia.com/gpu: "#"}}}`
	busy := func(name, n string) string {
		return strings.NewReplacer("%", name, "#", n).Replace(queue)
	}
	const flavored = `{apiVersion: kueue.x-k8s.io/v1beta2, kind: %, metadata: {name: #}, spec: {resourceGroups: [{coveredResources: [cpu], flavors: [{name: quebec, resources: [{name: cpu, nominalQuota: 1}]}]}]}}`
	using := func(kind, name string) string {
		return strings.NewReplacer("%", kind, "#", name).Replace(flavored)
	}
	for name, test := range map[string]struct {
		ref  composite.Ref
		seen composite.Live
		want string
	}{
		"no queue at all":          {composite.Ref{Kind: shard.Kind, Name: "quebec"}, nil, ""},
		"queues without work":      {composite.Ref{Kind: shard.Kind, Name: "quebec"}, live(t, busy("a", "0")), ""},
		"work of two queues":       {composite.Ref{Kind: shard.Kind, Name: "quebec"}, live(t, busy("b", "1"), busy("a", "8")), "Queue a, b of pool quebec-a100 still has work"},
		"no quota":                 {composite.Ref{Kind: kueue.ResourceFlavorKind, Name: "quebec"}, nil, ""},
		"quotas of other flavors":  {composite.Ref{Kind: kueue.ResourceFlavorKind, Name: "other"}, live(t, using("ClusterQueue", "a")), ""},
		"a queue and a department": {composite.Ref{Kind: kueue.ResourceFlavorKind, Name: "quebec"}, live(t, using("ClusterQueue", "a"), using("Cohort", "c")), "ClusterQueue a and Cohort c"},
	} {
		t.Run(name, func(t *testing.T) {
			step := leaving(m, test.ref)
			if step == nil || len(step.Look(nil)) == 0 {
				t.Fatal("nothing is looked at")
			}
			move := step.Next(test.seen)
			if move.Done != (test.want == "") || !strings.Contains(move.Why, test.want) {
				t.Errorf("got %+v", move)
			}
		})
	}
	if leaving(m, composite.Ref{Kind: kueue.TopologyKind}) != nil {
		t.Error("a Topology is waited for")
	}
}

func TestTheLiveClusterIsJudged(t *testing.T) {
	m := compositetest.Model(t, Kind, configs["kai"])
	const node = `{apiVersion: v1, kind: Node, metadata: {name: gpu01, labels: {kai.scheduler/node-pool: quebec-a100}}, status: {allocatable: {nvidia.com/gpu: "8"}}}`
	const other = `{apiVersion: kai.scheduler/v1, kind: SchedulingShard, metadata: {name: %}, spec: {partitionLabelValue: #}}`
	shards := func(name, value string) string {
		return strings.NewReplacer("%", name, "#", value).Replace(other)
	}
	for name, test := range map[string]struct {
		seen composite.Live
		want string
		warn bool
	}{
		"nothing there yet":                 {nil, "", false},
		"itself, and others of other pools": {live(t, shards("quebec", "quebec-a100"), shards("default", "\"\"")), "", false},
		"another scheduler of the pool":     {live(t, shards("old", "quebec-a100")), `SchedulingShard "old"`, false},
		"as many cards as there are":        {live(t, node, node, node), "", false},
		"fewer cards than were said":        {live(t, node, node), "capacity is 24, and the 2 nodes with kai.scheduler/node-pool=quebec-a100 offer 16 nvidia.com/gpu", true},
	} {
		t.Run(name, func(t *testing.T) {
			findings := survey(m, test.seen)
			if test.want == "" && len(findings) == 0 {
				return
			}
			if len(findings) != 1 || findings[0].Warning != test.warn || !strings.Contains(findings[0].Detail, test.want) || test.want == "" {
				t.Errorf("found %+v", findings)
			}
		})
	}
	if len(relatedQueries(m)) != 2 || len(relatedQueries(compositetest.Model(t, Kind, configs["kueue"]))) != 1 {
		t.Error("it looks at something else")
	}
}

func TestAnImportNamesClusterEngineAndPool(t *testing.T) {
	var m Model
	if err := setID(&m, composite.ID{ClusterNamespace: "train", ClusterName: "train", Namespace: "kai", Name: "quebec"}); err != nil || Kind.ID(m).String() != "train/train:kai/quebec" {
		t.Errorf("got %s, %v", Kind.ID(m), err)
	}
	if setID(&m, composite.ID{Name: "quebec"}) == nil {
		t.Error("an id without an engine was taken")
	}
}

func TestAnswersOfTheServerPointAtTheAttribute(t *testing.T) {
	for _, test := range []struct{ kind, field, want string }{
		{"SchedulingShard", "spec.placementStrategy.gpu", "placement.gpu"},
		{"SchedulingShard", "spec.usageDBConfig.usageParams.windowSize", "fair_share_history"},
		{"SchedulingShard", "spec.args[v]", "args"},
		{"Topology", "spec.levels[0].nodeLabel", "topology"},
		{"ResourceFlavor", "spec.nodeLabels", "node_pool"},
		{"ResourceFlavor", "metadata.name", "name"},
		{"SchedulingShard", "spec.argsy", ""},
	} {
		if got := attribute(test.kind, test.field).String(); got != test.want {
			t.Errorf("%s %s points at %q, want %q", test.kind, test.field, got, test.want)
		}
	}
}
