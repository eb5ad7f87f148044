package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Shares is what a department or project gets of a pool. Embed it by value and untagged.
type Shares struct {
	GPU    tf.Object[GPUShare]      `tfsdk:"gpu"`
	CPU    tf.Object[QuantityShare] `tfsdk:"cpu"`
	Memory tf.Object[QuantityShare] `tfsdk:"memory"`
}

// GPUShare is a share of GPUs, as numbers.
type GPUShare struct {
	Quota           types.Float64 `tfsdk:"quota"`
	Limit           types.Float64 `tfsdk:"limit"`
	OverQuotaWeight types.Float64 `tfsdk:"over_quota_weight"`
}

// QuantityShare is a share of CPU or memory.
type QuantityShare struct {
	Quota           tf.Quantity   `tfsdk:"quota"`
	Limit           tf.Quantity   `tfsdk:"limit"`
	OverQuotaWeight types.Float64 `tfsdk:"over_quota_weight"`
}

// ShareAttributes is the schema of Shares.
func ShareAttributes() map[string]schema.Attribute {
	notBelow := []validator.Float64{float64validator.AtLeast(0)}
	weight := schema.Float64Attribute{Optional: true, Validators: []validator.Float64{float64validator.Between(0, 1000)},
		MarkdownDescription: "Relative weight by which siblings of the same priority share what is left above the quotas, 0 to 1000. With 0 work above the quota gets nothing guaranteed and is reclaimed first. " +
			"Kueue has one weight for all resources and pools: that of `gpu`. Default `1`. Changed in place."}
	quantity := func(what, example string) schema.SingleNestedAttribute {
		return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[QuantityShare](),
			MarkdownDescription: "Share of the " + what + ", as Kubernetes quantities. Unset: unlimited. Changed in place; nothing that runs is evicted.",
			Attributes: map[string]schema.Attribute{
				"quota": schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.NonNegativeQuantity()},
					MarkdownDescription: "Guaranteed amount of " + what + ", such as `" + example + "`. Work that must not be preempted runs within the quota only. Unset: unlimited. Changed in place."},
				"limit": schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.NonNegativeQuantity()},
					MarkdownDescription: "Most " + what + " that may be in use, such as `" + example + "`; not below the quota. Unset: unlimited. Changed in place; nothing that runs is evicted."},
				"over_quota_weight": weight,
			}}
	}
	return map[string]schema.Attribute{
		"gpu": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[GPUShare](),
			MarkdownDescription: "Share of the GPUs of the pool, in GPUs; on KAI fractions are possible, to a millionth. Where the pool offers MIG profiles, KAI counts their compute slices: `7` is all of a card. Unset: no quota and no limit. Changed in place; nothing that runs is evicted.",
			Attributes: map[string]schema.Attribute{
				"quota": schema.Float64Attribute{Optional: true, Validators: notBelow,
					MarkdownDescription: "Guaranteed GPUs. Work that must not be preempted (on KAI, Deployments and whatever has a priority of 100 or more) runs within the quota only. Default `0`: nothing is guaranteed. Changed in place."},
				"limit": schema.Float64Attribute{Optional: true, Validators: notBelow,
					MarkdownDescription: "Most GPUs that may be in use, borrowed ones included; not below the quota. Unset: unlimited. Changed in place; nothing that runs is evicted."},
				"over_quota_weight": weight,
			}},
		"cpu":    quantity("CPU", "128"),
		"memory": quantity("memory", "1Ti"),
	}
}
