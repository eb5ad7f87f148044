package nodepool

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestInventorySchemaAndModelAgree(t *testing.T) {
	attributes := map[string]resourceschema.Attribute{}
	for name, a := range inventorySchema().Attributes {
		attributes[name] = a
	}
	for _, wrong := range tf.Parity[Inventory](t.Context(), attributes) {
		t.Error(wrong)
	}
}

// fleet are the nodes of three sites, as feature discovery, node labeller and pools label them.
const fleet = `
- metadata: {name: gpu01, labels: &quebec {k0smos.io/site: quebec, k0smos.io/node-pool: a100, k0smos.io/gpu-vendor: nvidia, k0smos.io/gpu-model: A100-80GB, topology.kubernetes.io/region: ca-east, kai.scheduler/node-pool: a100-quebec, nvidia.com/gpu.present: "true", nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB, nvidia.com/gpu.memory: "81920", nvidia.com/gpu.sharing-strategy: none}}
  status: &whole {capacity: {cpu: "64", nvidia.com/gpu: "8"}, allocatable: {cpu: "63", nvidia.com/gpu: "8"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: gpu02, labels: *quebec}
  status: {capacity: {nvidia.com/gpu: "8"}, allocatable: {nvidia.com/gpu: "7"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: gpu03, labels: *quebec}
  spec: {unschedulable: true}
  status: *whole
- metadata: {name: gpu04, labels: *quebec}
  status: {capacity: {nvidia.com/gpu: "8"}, allocatable: {nvidia.com/gpu: "8"}, conditions: [{type: Ready, status: Unknown}]}
- metadata: {name: mig01, labels: {k0smos.io/site: edge, k0smos.io/node-pool: mig, k0smos.io/gpu-vendor: nvidia, k0smos.io/gpu-model: H200, nvidia.com/gpu.product: NVIDIA-H200, nvidia.com/gpu.memory: "143771", nvidia.com/mig-1g.18gb.product: NVIDIA-H200-MIG-1g.18gb, nvidia.com/mig-1g.18gb.memory: "16384", nvidia.com/mig-1g.18gb.sharing-strategy: none}}
  status: {capacity: {nvidia.com/gpu: "0", nvidia.com/mig-1g.18gb: "14", nvidia.com/mig-3g.71gb: "2"}, allocatable: {nvidia.com/gpu: "0", nvidia.com/mig-1g.18gb: "14", nvidia.com/mig-3g.71gb: "2"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: t4, labels: {nvidia.com/gpu.present: "true", nvidia.com/gpu.product: Tesla-T4, nvidia.com/gpu.memory: "15360", nvidia.com/gpu.sharing-strategy: time-slicing}}
  status: {capacity: {nvidia.com/gpu.shared: "4"}, allocatable: {nvidia.com/gpu.shared: "4"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: amd01, labels: {k0smos.io/site: atlanta, k0smos.io/node-pool: mi300x, k0smos.io/gpu-vendor: amd, k0smos.io/gpu-model: MI300X, amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM, amd.com/gpu.vram: 192G}}
  status: {capacity: {amd.com/gpu: "8"}, allocatable: {amd.com/gpu: "8"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: amd02, labels: {beta.amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM, beta.amd.com/gpu.vram: 24G}}
  status: {capacity: {amd.com/cpx_nps4: "64"}, allocatable: {amd.com/cpx_nps4: "64"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: new, labels: {k0smos.io/site: atlanta, k0smos.io/node-pool: late, k0smos.io/gpu-vendor: amd, k0smos.io/gpu-model: MI325X}}
  status: {capacity: {cpu: "64"}, allocatable: {cpu: "64"}, conditions: [{type: Ready, status: "True"}]}
- metadata: {name: system}
  status: {capacity: {cpu: "8", nvidia.com/pgpu: "1", amd.com/cpu: "1"}, conditions: [{type: Ready, status: "True"}]}
`

func seenOf(t *testing.T, nodes string) composite.Seen {
	t.Helper()
	var list []map[string]any
	if err := yaml.Unmarshal([]byte(nodes), &list); err != nil {
		t.Fatal(err)
	}
	var seen composite.Seen
	for _, n := range list {
		n["apiVersion"], n["kind"] = "v1", "Node"
		seen.Live = append(seen.Live, &unstructured.Unstructured{Object: n})
	}
	return seen
}

func TestAnInventoryAddsUpWhatNodesSay(t *testing.T) {
	var m Inventory
	if findings := readInventory(&m, seenOf(t, fleet)); len(findings) > 0 {
		t.Fatal(findings)
	}
	var out strings.Builder
	for _, entry := range m.Offerings.Known() {
		o, _ := entry.Get()
		fmt.Fprintf(&out, "- {site: %s, pool: %s, region: %s, scheduler_pool: %s, vendor: %s, model: %s,\n   product: %s, memory: %s, resource: %s, sharing: %s,\n   nodes: %s, ready_nodes: %s, total: %s, allocatable: %s}\n",
			o.Site, o.Pool, o.Region, o.SchedulerPool, o.Vendor, o.Model, o.Product, o.Memory, o.Resource, o.Sharing, o.Nodes, o.ReadyNodes, o.Total, o.Allocatable)
	}
	for _, name := range m.Resources.Keys() {
		r, _ := m.Resources.Known()[name].Get()
		fmt.Fprintf(&out, "- %s: {nodes: %s, total: %s, allocatable: %s}\n", name, r.Nodes, r.Total, r.Allocatable)
	}
	compositetest.File(t, filepath.Join("testdata", "inventory", "fleet.yaml"), []byte(strings.ReplaceAll(out.String(), "<null>", "null")))
}

func TestAnInventoryOfNothingIsEmptyAndKnown(t *testing.T) {
	for name, c := range map[string]struct {
		selector tf.Map[types.String]
		warned   bool
	}{
		"no node has GPUs":               {tf.NullMap[types.String](), false},
		"no node that is asked for has":  {tf.MapOf(map[string]types.String{"a": types.StringValue("b")}), true},
		"an empty selector asks for all": {tf.EmptyMap[types.String](), false},
	} {
		t.Run(name, func(t *testing.T) {
			m := Inventory{Selector: c.selector}
			findings := readInventory(&m, composite.Seen{})
			if (len(findings) > 0) != c.warned {
				t.Errorf("findings: %v", findings)
			}
			for _, f := range findings {
				sentence(t, f)
				if !f.Warning {
					t.Error("an empty inventory fails the read")
				}
			}
			if m.Offerings.IsNull() || m.Offerings.IsUnknown() || m.Resources.IsNull() || m.Resources.IsUnknown() || len(m.Offerings.Known())+len(m.Resources.Known()) > 0 {
				t.Errorf("offerings %s, resources %s", m.Offerings, m.Resources)
			}
		})
	}
}

func TestAnInventoryLooksIntoTheClusterThatIsNamed(t *testing.T) {
	if q := inventoryQueries(Inventory{}, nil); len(q) != 1 || q[0] != (composite.Query{Kind: core.NodeKind}) {
		t.Errorf("it asks %+v", q)
	}
	m := Inventory{
		Cluster:  tf.ObjectOf(composite.ClusterRef{Name: types.StringValue("train"), Namespace: types.StringValue("ml"), UID: types.StringNull()}),
		Selector: tf.MapOf(map[string]types.String{"k0smos.io/gpu-vendor": types.StringValue("amd"), "a": types.StringValue("b")}),
	}
	if q := inventoryQueries(m, nil); len(q) != 1 || q[0] != (composite.Query{Kind: core.NodeKind, Selector: "a=b,k0smos.io/gpu-vendor=amd"}) {
		t.Errorf("it asks %+v", q)
	}
	if !InventorySource.Target(m).Equal(m.Cluster) {
		t.Error("it looks into another cluster")
	}
}

func TestNoNodeMakesAnInventoryNegativeOrPanics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var nodes []core.Node
		amount := rapid.SampledFrom([]string{"", "0", "8", "-1", "8E", "many", "0.5", "1e-3"})
		resource := rapid.OneOf(rapid.SampledFrom([]string{"nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb.me", "amd.com/gpu", "amd.com/cpx_nps4", "cpu"}), rapid.String())
		for range rapid.IntRange(0, 4).Draw(t, "nodes") {
			n := core.Node{}
			n.Labels = rapid.MapOf(rapid.SampledFrom([]string{labelVendor, labelModel, labelSite, "nvidia.com/gpu.memory", labelAMDMemory, "nvidia.com/gpu.present"}), rapid.SampledFrom([]string{"", "true", "amd", "nvidia", "81920", "-3", "192G", "99999999999"})).Draw(t, "labels")
			n.Status.Capacity, n.Status.Allocatable = api.ResourceList{}, api.ResourceList{}
			for _, name := range rapid.SliceOf(resource).Draw(t, "resources") {
				n.Status.Capacity[name], n.Status.Allocatable[name] = api.NewQuantity(amount.Draw(t, "capacity")), api.NewQuantity(amount.Draw(t, "allocatable"))
			}
			nodes = append(nodes, n)
		}
		for _, o := range offersOf(nodes) {
			if o.Total.ValueInt64() < 0 || o.Allocatable.ValueInt64() < 0 || o.Nodes.ValueInt64() < 1 || o.ReadyNodes.ValueInt64() > o.Nodes.ValueInt64() || o.Resource.ValueString() == "" {
				t.Fatalf("%+v", o)
			}
			if _, known := o.Memory.Get(); !known && !o.Memory.IsNull() {
				t.Fatalf("memory %s is no quantity", o.Memory)
			}
		}
	})
}
