// Package usage reads the tree of queues of a cluster: what is promised, what is in use, and what is wrong with it.
package usage

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what is asked, and the tree.
type Model struct {
	Cluster    tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Engine     types.String                    `tfsdk:"engine"`
	Department types.String                    `tfsdk:"department"`
	NodePool   types.String                    `tfsdk:"node_pool"`

	Queues   tf.List[tf.Object[Queue]] `tfsdk:"queues"`
	Problems tf.List[types.String]     `tfsdk:"problems"`
}

// Queue is one queue in one pool.
type Queue struct {
	Name          types.String          `tfsdk:"name"`
	Kind          types.String          `tfsdk:"kind"`
	DisplayName   types.String          `tfsdk:"display_name"`
	Parent        types.String          `tfsdk:"parent"`
	Level         types.Int64           `tfsdk:"level"`
	Pool          types.String          `tfsdk:"pool"`
	GPU           tf.Object[GPUs]       `tfsdk:"gpu"`
	CPU           tf.Object[Quantities] `tfsdk:"cpu"`
	Memory        tf.Object[Quantities] `tfsdk:"memory"`
	Pending       types.Int64           `tfsdk:"pending"`
	Admitted      types.Int64           `tfsdk:"admitted"`
	WeightedShare types.Int64           `tfsdk:"weighted_share"`
}

// GPUs are the numbers of GPUs.
type GPUs struct {
	Quota           types.Float64 `tfsdk:"quota"`
	Limit           types.Float64 `tfsdk:"limit"`
	OverQuotaWeight types.Float64 `tfsdk:"over_quota_weight"`
	Allocated       types.Float64 `tfsdk:"allocated"`
	Requested       types.Float64 `tfsdk:"requested"`
}

// Quantities are the same of CPU or memory.
type Quantities struct {
	Quota           tf.Quantity   `tfsdk:"quota"`
	Limit           tf.Quantity   `tfsdk:"limit"`
	OverQuotaWeight types.Float64 `tfsdk:"over_quota_weight"`
	Allocated       tf.Quantity   `tfsdk:"allocated"`
	Requested       tf.Quantity   `tfsdk:"requested"`
}

func dataSchema() schema.Schema {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	whole := func(text string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}
	number := func(text string) schema.Float64Attribute {
		return schema.Float64Attribute{Computed: true, MarkdownDescription: text}
	}
	quantity := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, CustomType: tf.QuantityType{}, MarkdownDescription: text}
	}
	const quota, limit, weight, allocated, requested = "Guaranteed; null is unlimited.", "Most that may be in use; null is unlimited.", "Weight among siblings in what is left over.",
		"In use now, by the queue and those below it.", "Wanted now, by running and waiting work together. Null on Kueue, which counts what waits as workloads (`pending`)."
	quantities := func(what string) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[Quantities](), MarkdownDescription: what,
			Attributes: map[string]schema.Attribute{"quota": quantity(quota), "limit": quantity(limit), "over_quota_weight": number(weight), "allocated": quantity(allocated), "requested": quantity(requested)}}
	}
	return schema.Schema{
		MarkdownDescription: "The tree of queues of a cluster as it is now, whoever made it: what each is promised in each pool, what is in use and wanted, and what is wrong with the tree. For `check` blocks, reports and views; it changes with every job, so nothing that is applied should depend on it.\n\n" +
			"KAI's schedulers tell their fair shares by metrics only (`kai_queue_fair_share_gpu`), Kueue tells a share of what is lent (`weighted_share`).",
		Attributes: map[string]schema.Attribute{
			"cluster": schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](),
				MarkdownDescription: "The hosted cluster to look into, reached through its kubeconfig Secret in the management cluster: usually the attribute `cluster` of a hosted control plane; by hand, `name` and `namespace` are enough.",
				Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: tf.Text.ClusterName},
					"namespace": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: tf.Text.ClusterNamespace},
					"uid":       schema.StringAttribute{Optional: true, MarkdownDescription: tf.Text.ClusterUID},
				}},
			"engine":     schema.StringAttribute{Required: true, Validators: []validator.String{tf.OneOf(scheduling.Engines...)}, MarkdownDescription: "Which scheduler's queues are read, `kai` or `kueue`."},
			"department": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Name of a department: only its queue and those below it are listed. Left out: all."},
			"node_pool":  schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Only this pool is listed: a value of the node label `" + scheduling.LabelNodePool + "`, on Kueue the name of the flavor. Left out: all."},
			"queues": schema.ListNestedAttribute{Computed: true, CustomType: tf.ListTypeOf[tf.Object[Queue]](),
				MarkdownDescription: "One entry for each queue in each pool: by pool, and in each from the roots down, siblings by name. Empty where there are none.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Queue](), Attributes: map[string]schema.Attribute{
					"name":         text("Name of the queue."),
					"kind":         text("`Queue` on KAI; `Cohort` or `ClusterQueue` on Kueue."),
					"display_name": text("Name for people, or null."),
					"parent":       text("Name of the queue above, or null at a root."),
					"level":        whole("How many queues are above: 0 at a root. Null where the way up has no end, or leads to a queue that does not exist."),
					"pool":         text("Value of the node label that makes the pool, on Kueue the name of the flavor. Null for a queue of KAI without the label."),
					"gpu": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[GPUs](), MarkdownDescription: "GPUs; on Kueue the devices of all kinds that the flavor has.",
						Attributes: map[string]schema.Attribute{"quota": number(quota), "limit": number(limit), "over_quota_weight": number(weight), "allocated": number(allocated), "requested": number(requested)}},
					"cpu":            quantities("CPU."),
					"memory":         quantities("Memory, in bytes."),
					"pending":        whole("Workloads that wait, over all pools. Null on KAI, and for a Cohort."),
					"admitted":       whole("Workloads that were let in and are not finished, over all pools. Null on KAI, and for a Cohort."),
					"weighted_share": whole("What the queue borrows as a share of what is lent, in thousandths, over its weight; 0 is within the quota. Null on KAI, for a Cohort, and where fair sharing is off."),
				}}},
			"problems": schema.ListAttribute{Computed: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType,
				MarkdownDescription: "What is wrong with the queues of the whole cluster, in words: parents that do not exist or are of another pool, circles, limits of 0, queues that admit nothing. Empty where nothing is."},
		},
	}
}
