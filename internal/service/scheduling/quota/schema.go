package quota

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func resourceSchema() schema.Schema {
	quantity := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.NonNegativeQuantity()}, MarkdownDescription: text}
	}
	return schema.Schema{
		MarkdownDescription: "Hard caps of one namespace, whatever scheduler its pods have: a ResourceQuota, and a LimitRange where defaults are given.\n\n" +
			"The API server refuses a pod that would go over a cap, so that it never waits in a queue; where work should wait and borrow, use a department. Caps count what pods ask for. " +
			"Lowering a cap evicts nothing. With a cap on CPU or memory, pods that ask for none are refused, unless `default_limits` gives them some. " +
			"A GPU fraction of KAI asks for no device and is not counted: cap `pods`, or rely on the queue.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()},
				MarkdownDescription: "Name of the ResourceQuota, and of the LimitRange. A namespace may have several quotas; the lowest cap counts. A change replaces the quota: for a moment nothing is capped."},
			"cluster": composite.ClusterAttribute(false),
			"cpu":     quantity("Most CPU that all pods may ask for together, such as `128` or `1500m`. Left out: not capped. Changed in place."),
			"memory":  quantity("Most memory that all pods may ask for together, such as `1Ti`. Left out: not capped. Changed in place."),
			"gpus": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.Int64](), ElementType: types.Int64Type, Validators: []validator.Map{mapvalidator.ValueInt64sAre(int64validator.AtLeast(0))},
				MarkdownDescription: "Most devices that all pods may ask for together, by the name that nodes offer them as: `" + scheduling.NVIDIAGPU + "`, `" + scheduling.AMDGPU + "`, a MIG profile such as `" + scheduling.MIGPrefix + "3g.40gb`. " +
					"Whole numbers; `0` forbids them. One that is not listed is not capped: where a pool mixes cards and slices, list both. Left out: none is capped. Changed in place."},
			"pods": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
				MarkdownDescription: "Most pods that are not finished. Left out: not capped. Changed in place."},
			"default_limits": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Defaults](),
				MarkdownDescription: "What containers get that do not say themselves. Left out: nothing. Changed in place; pods that are there stay as they are.",
				Attributes: map[string]schema.Attribute{
					"cpu":            quantity("CPU limit of a container that has none, such as `4`. Left out: no limit."),
					"memory":         quantity("Memory limit of a container that has none, such as `16Gi`; it is killed above that. Left out: no limit."),
					"cpu_request":    quantity("CPU that a container asks for that does not say, not above `cpu`. Left out: its limit."),
					"memory_request": quantity("Memory that a container asks for that does not say, not above `memory`. Left out: its limit."),
				}},
		},
	}
}
