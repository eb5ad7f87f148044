package usage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) {
	s := dataSchema()
	for _, d := range s.ValidateImplementation(t.Context()) {
		t.Errorf("%s: %s", d.Summary(), d.Detail())
	}
	m := tf.NullOf[Model](t.Context(), s.Type())
	if diags := (&tfsdk.State{Schema: s}).Set(t.Context(), &m); diags.HasError() {
		t.Error(diags)
	}
	bare := func(at string, attributes map[string]schema.Attribute) {
		for name, a := range attributes {
			if a.GetMarkdownDescription() == "" {
				t.Errorf("%s%s has no description", at, name)
			}
		}
	}
	bare("", s.Attributes)
}

func seen(t *testing.T, documents string) composite.Seen {
	t.Helper()
	var out composite.Seen
	for d := range strings.SplitSeq(documents, "\n---\n") {
		object := map[string]any{}
		if err := yaml.Unmarshal([]byte(d), &object); err != nil {
			t.Fatal(err)
		}
		out.Live = append(out.Live, &unstructured.Unstructured{Object: object})
	}
	return out
}

// queue is a Queue of KAI with some numbers of GPUs and no limit of anything else.
func queue(name, parent, pool, quota, limit, allocated, requested string) string {
	return fmt.Sprintf(`{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %q, labels: {kai.scheduler/node-pool: %q}}, spec: {parentQueue: %q, resources: {gpu: {quota: %s, limit: %s, overQuotaWeight: 2}, cpu: {quota: 1500, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: 64000, overQuotaWeight: 1}}}, status: {allocated: {nvidia.com/gpu: %q, cpu: 3, memory: 1Gi}, requested: {nvidia.com/gpu: %q}}}`,
		name, pool, parent, quota, limit, allocated, requested)
}

func kaiTree() string {
	return strings.Join([]string{
		queue("vision-quebec", "research-quebec", "quebec", "8", "12", "12", "14"),
		queue("research-quebec", "", "quebec", "16", "-1", "20", "22"),
		queue("nlp-quebec", "research-quebec", "quebec", "8", "-1", "8", "8"),
		queue("research-atlanta", "", "atlanta", "4", "-1", "0", "0"),
		queue("serving-atlanta", "product-atlanta", "atlanta", "4", "-1", "0", "0"),
		queue("stray-atlanta", "research-quebec", "atlanta", "0", "0", "0", "1"),
		queue("below-stray", "stray-atlanta", "atlanta", "1", "-1", "0", "0"),
		queue("c1", "c2", "ring", "1", "-1", "0", "0"),
		queue("c2", "c1", "ring", "1", "-1", "0", "0"),
		queue("below-c", "c2", "ring", "1", "-1", "0", "0"),
		queue("self", "self", "ring", "1", "-1", "0", "0"),
	}, "\n---\n")
}

const kueueTree = `
{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: research, annotations: {k0smos.io/display-name: Research}}, spec: {parentName: k0smos, fairSharing: {weight: "3"}, resourceGroups: [{coveredResources: [cpu, memory, nvidia.com/gpu], flavors: [{name: quebec, resources: [{name: cpu, nominalQuota: "0"}, {name: memory, nominalQuota: "0"}, {name: nvidia.com/gpu, nominalQuota: "2", borrowingLimit: "6"}]}]}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: vision, labels: {k0smos.io/department: research}}, spec: {cohortName: research, fairSharing: {weight: "2"}, resourceGroups: [{coveredResources: [cpu, memory, nvidia.com/gpu], flavors: [{name: quebec, resources: [{name: cpu, nominalQuota: 1500m}, {name: memory, nominalQuota: 64Gi}, {name: nvidia.com/gpu, nominalQuota: "8", borrowingLimit: "4"}]}]}]}, status: {pendingWorkloads: 2, admittedWorkloads: 1, fairSharing: {weightedShare: 125}, conditions: [{type: Active, status: "True", reason: Ready, message: ok, lastTransitionTime: "2026-01-01T00:00:00Z"}], flavorsUsage: [{name: quebec, resources: [{name: nvidia.com/gpu, total: "12", borrowed: "4"}, {name: cpu, total: 500m}]}]}}
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: nlp, labels: {k0smos.io/department: research}}, spec: {cohortName: research, resourceGroups: [{coveredResources: [cpu, memory, nvidia.com/gpu], flavors: [{name: quebec, resources: [{name: cpu, nominalQuota: "1000000"}, {name: memory, nominalQuota: 1Pi}, {name: nvidia.com/gpu, nominalQuota: "8"}]}]}]}, status: {conditions: [{type: Active, status: "False", reason: FlavorNotFound, message: "flavor quebec not found.", lastTransitionTime: "2026-01-01T00:00:00Z"}]}}`

func text(m Model) string {
	var b strings.Builder
	for _, o := range m.Queues.Known() {
		q, _ := o.Get()
		gpu, _ := q.GPU.Get()
		cpu, _ := q.CPU.Get()
		memory, _ := q.Memory.Get()
		fmt.Fprintf(&b, "- {pool: %s, level: %s, kind: %s, name: %s, display_name: %s, parent: %s, pending: %s, admitted: %s, weighted_share: %s,\n", q.Pool, q.Level, q.Kind, q.Name, q.DisplayName, q.Parent, q.Pending, q.Admitted, q.WeightedShare)
		fmt.Fprintf(&b, "   gpu: {quota: %s, limit: %s, weight: %s, allocated: %s, requested: %s},\n", gpu.Quota, gpu.Limit, gpu.OverQuotaWeight, gpu.Allocated, gpu.Requested)
		fmt.Fprintf(&b, "   cpu: {quota: %s, limit: %s, allocated: %s, requested: %s}, memory: {quota: %s, limit: %s, allocated: %s, requested: %s}}\n", cpu.Quota, cpu.Limit, cpu.Allocated, cpu.Requested, memory.Quota, memory.Limit, memory.Allocated, memory.Requested)
	}
	for _, p := range m.Problems.Known() {
		fmt.Fprintf(&b, "- problem: %s\n", p)
	}
	return strings.ReplaceAll(b.String(), "<null>", "null")
}

func TestATreeIsReadFromTheRootsDown(t *testing.T) {
	for name, c := range map[string]struct {
		engine, live, department, pool string
	}{
		"kai":            {"kai", kaiTree(), "", ""},
		"kai-department": {"kai", kaiTree(), "research", "quebec"},
		"kueue":          {"kueue", kueueTree, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := Model{Engine: types.StringValue(c.engine), Department: tf.TextOrNull(c.department), NodePool: tf.TextOrNull(c.pool)}
			if findings := read(&m, seen(t, c.live)); len(findings) > 0 {
				t.Errorf("found %+v", findings)
			}
			compositetest.File(t, filepath.Join("testdata", name+".yaml"), []byte(text(m)))
		})
	}
}

func TestAClusterWithoutQueuesIsEmptyAndKnown(t *testing.T) {
	for _, engine := range []string{"kai", "kueue"} {
		m := Model{Engine: types.StringValue(engine)}
		if findings := read(&m, composite.Seen{}); len(findings) > 0 || m.Queues.IsNull() || m.Problems.IsNull() || len(m.Queues.Known())+len(m.Problems.Known()) > 0 {
			t.Errorf("%s: %v %v %v", engine, findings, m.Queues, m.Problems)
		}
		m.Department = types.StringValue("nobody")
		if findings := read(&m, composite.Seen{}); len(findings) != 1 || !findings[0].Warning {
			t.Errorf("%s: a department that does not exist: %v", engine, findings)
		}
	}
}

func TestEachSchedulerIsAskedForItsOwnQueues(t *testing.T) {
	if q := queries(Model{Engine: types.StringValue("kai")}, nil); len(q) != 1 || q[0].Kind.Group != "scheduling.run.ai" {
		t.Errorf("asks %v", q)
	}
	if q := queries(Model{Engine: types.StringValue("kueue")}, nil); len(q) != 2 || q[0].Kind.Group != "kueue.x-k8s.io" {
		t.Errorf("asks %v", q)
	}
}

// Whatever the parents are, each queue is listed once, and reading comes to an end.
func TestNoTreeIsTooWrongToBeRead(t *testing.T) {
	names := []string{"a", "b", "c", "d", "e"}
	rapid.Check(t, func(r *rapid.T) {
		var all []string
		for _, name := range names {
			parent := rapid.SampledFrom(append([]string{"", "gone"}, names...)).Draw(r, "parent of "+name)
			pool := rapid.SampledFrom([]string{"", "x", "z"}).Draw(r, "pool of "+name)
			all = append(all, queue(name, parent, pool, "1", "-1", "0", "0"))
		}
		m := Model{Engine: types.StringValue("kai")}
		read(&m, seen(t, strings.Join(all, "\n---\n")))
		count := map[string]int{}
		for _, o := range m.Queues.Known() {
			q, _ := o.Get()
			count[q.Name.ValueString()]++
			if q.Level.IsNull() && len(m.Problems.Known()) == 0 {
				r.Fatalf("%s has no level, and nothing is wrong", q.Name)
			}
		}
		for _, name := range names {
			if count[name] != 1 {
				r.Fatalf("%s is listed %d times", name, count[name])
			}
		}
	})
}
