package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// GPU says what cards each host of the pool has and how pods get at them.
type GPU struct {
	Vendor       types.String            `tfsdk:"vendor"`
	Model        types.String            `tfsdk:"model"`
	PerNode      types.Int64             `tfsdk:"per_node"`
	Memory       tf.Quantity             `tfsdk:"memory"` // of one card
	Partitioning tf.Object[Partitioning] `tfsdk:"partitioning"`
	Runtime      types.String            `tfsdk:"runtime"`
}

// Partitioning says how one card becomes several devices.
type Partitioning struct {
	Mode     types.String `tfsdk:"mode"`
	Profile  types.String `tfsdk:"profile"`
	Strategy types.String `tfsdk:"strategy"`
	Config   types.String `tfsdk:"config"`
	Replicas types.Int64  `tfsdk:"replicas"`
}
