package nodepool

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// InventorySource is the k0smos_gpu_inventory data source: what GPUs a cluster has, by what its nodes say.
var InventorySource = composite.Source[Inventory]{
	Name:    "gpu_inventory",
	Schema:  inventorySchema,
	Target:  func(m Inventory) tf.Object[composite.ClusterRef] { return m.Cluster },
	Queries: inventoryQueries,
	Read:    readInventory,
}

// Inventory is what a cluster offers now.
type Inventory struct {
	Cluster  tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Selector tf.Map[types.String]            `tfsdk:"selector"`

	Offerings tf.List[tf.Object[Offering]]  `tfsdk:"offerings"`
	Resources tf.Map[tf.Object[GPUSummary]] `tfsdk:"resources"`
}

// Offering is one kind of device in one pool.
type Offering struct {
	Vendor        types.String `tfsdk:"vendor"`
	Model         types.String `tfsdk:"model"`
	Product       types.String `tfsdk:"product"`
	Memory        tf.Quantity  `tfsdk:"memory"`
	Resource      types.String `tfsdk:"resource"`
	Sharing       types.String `tfsdk:"sharing"`
	Pool          types.String `tfsdk:"pool"`
	SchedulerPool types.String `tfsdk:"scheduler_pool"`
	Site          types.String `tfsdk:"site"`
	Region        types.String `tfsdk:"region"`
	Nodes         types.Int64  `tfsdk:"nodes"`
	ReadyNodes    types.Int64  `tfsdk:"ready_nodes"`
	Total         types.Int64  `tfsdk:"total"`
	Allocatable   types.Int64  `tfsdk:"allocatable"`
}

// GPUSummary sums up one resource over all offerings.
type GPUSummary struct {
	Nodes       types.Int64 `tfsdk:"nodes"`
	Total       types.Int64 `tfsdk:"total"`
	Allocatable types.Int64 `tfsdk:"allocatable"`
}

func inventorySchema() schema.Schema {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	number := func(text string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}
	const allocatable = "Devices that the scheduler can give out in all, used or not: what ready nodes that are not cordoned call allocatable."
	return schema.Schema{
		MarkdownDescription: "The GPUs of a cluster as its nodes have them now, whoever made the nodes: kind of card, resource name, nodes, and how many devices there are and can be given out, by pool and site. It reads node labels (of NVIDIA's feature discovery, of AMD's node labeller, and those of `k0smos_node_pool`) and the status of nodes.\n\n" +
			"With it go `check` blocks, capacities of scheduling pools, and views of a fleet. What a pool is to have is known before any node is there: `k0smos_node_pool` has it as `gpu_capacity`. " +
			"A node that is to have GPUs but whose device plugin does not run is listed with no devices.",
		Attributes: map[string]schema.Attribute{
			"cluster": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](),
				MarkdownDescription: "The hosted cluster to look into, reached through its kubeconfig Secret in the management cluster: usually the attribute `cluster` of a hosted control plane; by hand, `name` and `namespace` are enough. Left out: the management cluster.",
				Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: tf.Text.ClusterName},
					"namespace": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: tf.Text.ClusterNamespace},
					"uid":       schema.StringAttribute{Optional: true, MarkdownDescription: tf.Text.ClusterUID},
				}},
			"selector": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.Map{tf.Labels()},
				MarkdownDescription: "Labels that a node must have to be counted, such as the `node_selector` of a pool. Left out: all nodes."},
			"offerings": schema.ListNestedAttribute{Computed: true, CustomType: tf.ListTypeOf[tf.Object[Offering]](),
				MarkdownDescription: "One entry for each resource of each kind of card in each pool, in the order of site, pool, model and resource.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Offering](), Attributes: map[string]schema.Attribute{
					"vendor":         text("`nvidia` or `amd`."),
					"model":          text("The card as the pool calls it (label `k0smos.io/gpu-model`), else as its vendor does."),
					"product":        text("The device as its vendor's labels call it, such as `NVIDIA-A100-SXM4-80GB-MIG-1g.10gb` or `AMD_Instinct_MI300X_OAM`. Null without such labels."),
					"memory":         schema.StringAttribute{Computed: true, CustomType: tf.QuantityType{}, MarkdownDescription: "Memory of one device in bytes as a quantity, by the vendor's labels: of one instance with MIG, of the whole card where it is shared. Null where they do not say."},
					"resource":       text("Name of the resource that pods ask for, such as `nvidia.com/gpu`, `nvidia.com/mig-1g.10gb` or `amd.com/gpu`."),
					"sharing":        text("`time-slicing` or `mps` where several pods share a device and the devices are counted as often; else null."),
					"pool":           text("Name of the `k0smos_node_pool`; null for nodes that none has made."),
					"scheduler_pool": text("Value of the label `kai.scheduler/node-pool`, or null."),
					"site":           text("Name of the site, or null."),
					"region":         text("Region of the site (label `topology.kubernetes.io/region`), or null."),
					"nodes":          number("Nodes that offer it."),
					"ready_nodes":    number("Those of them that are ready and not cordoned."),
					"total":          number("Devices of all these nodes, those of nodes that are not ready among them. Instances and shares are counted."),
					"allocatable":    number(allocatable),
				}}},
			"resources": schema.MapNestedAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Object[GPUSummary]](),
				MarkdownDescription: "The offerings summed up by the name of the resource.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[GPUSummary](), Attributes: map[string]schema.Attribute{
					"nodes":       number("Nodes that offer it."),
					"total":       number("Devices of all these nodes."),
					"allocatable": number(allocatable),
				}}},
		},
	}
}

// inventoryQueries asks for all nodes: one without any label of a vendor may still have devices.
func inventoryQueries(m Inventory, _ composite.Live) []composite.Query {
	var terms []string
	for _, key := range m.Selector.Keys() {
		terms = append(terms, key+"="+m.Selector.Known()[key].ValueString())
	}
	return []composite.Query{{Kind: core.NodeKind, Selector: strings.Join(terms, ",")}}
}

func readInventory(m *Inventory, seen composite.Seen) []composite.Finding {
	nodes := composite.All[core.Node](seen.Live, core.NodeKind)
	m.Offerings = tf.ListOf[tf.Object[Offering]]()
	m.Resources = tf.EmptyMap[tf.Object[GPUSummary]]()
	offers := offersOf(nodes)
	if len(offers) == 0 {
		if len(m.Selector.Keys()) > 0 {
			return []composite.Finding{{Path: path.Root("selector"), Warning: true, Summary: "No GPUs",
				Detail: "No node with these labels has a GPU or a label that says it is to have one. Check the labels, or leave selector out to see all nodes of the cluster."}}
		}
		return nil
	}
	sums := map[string]GPUSummary{}
	var list []tf.Object[Offering]
	for _, o := range offers {
		list = append(list, tf.ObjectOf(o))
		r, sum := o.Resource.ValueString(), sums[o.Resource.ValueString()]
		sums[r] = GPUSummary{
			Nodes:       types.Int64Value(sum.Nodes.ValueInt64() + o.Nodes.ValueInt64()),
			Total:       types.Int64Value(sum.Total.ValueInt64() + o.Total.ValueInt64()),
			Allocatable: types.Int64Value(sum.Allocatable.ValueInt64() + o.Allocatable.ValueInt64()),
		}
	}
	m.Offerings = tf.ListOf(list...)
	resources := map[string]tf.Object[GPUSummary]{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		resources[name] = tf.ObjectOf(sums[name])
	}
	m.Resources = tf.MapOf(resources)
	return nil
}
