package quota

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes.
type Model struct {
	composite.NamespacedMeta
	Name          types.String                    `tfsdk:"name"`
	Cluster       tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	CPU           tf.Quantity                     `tfsdk:"cpu"`    // cores
	Memory        tf.Quantity                     `tfsdk:"memory"` // bytes
	GPUs          tf.Map[types.Int64]             `tfsdk:"gpus"`   // resource name -> devices
	Pods          types.Int64                     `tfsdk:"pods"`
	DefaultLimits tf.Object[Defaults]             `tfsdk:"default_limits"`
}

// Defaults are what containers have that do not say.
type Defaults struct {
	CPU           tf.Quantity `tfsdk:"cpu"`
	Memory        tf.Quantity `tfsdk:"memory"`
	CPURequest    tf.Quantity `tfsdk:"cpu_request"`
	MemoryRequest tf.Quantity `tfsdk:"memory_request"`
}
