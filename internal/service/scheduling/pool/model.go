package pool

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.Meta
	Name             types.String                    `tfsdk:"name"`
	Cluster          tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Engine           types.String                    `tfsdk:"engine"`
	NodePool         types.String                    `tfsdk:"node_pool"`
	Resource         types.String                    `tfsdk:"resource"`
	Capacity         types.Int64                     `tfsdk:"capacity"`
	Placement        tf.Object[Placement]            `tfsdk:"placement"`
	MinRuntime       tf.Object[MinRuntime]           `tfsdk:"min_runtime"`
	Topology         tf.List[types.String]           `tfsdk:"topology"`
	Args             tf.Map[types.String]            `tfsdk:"args"`
	FairShareHistory tf.Object[History]              `tfsdk:"fair_share_history"`

	Ref tf.Object[scheduling.PoolRef] `tfsdk:"ref"`
}

// Placement is how work is spread over nodes.
type Placement struct {
	GPU types.String `tfsdk:"gpu"`
	CPU types.String `tfsdk:"cpu"`
}

// MinRuntime is how long work runs before it can be taken down.
type MinRuntime struct {
	Preempt tf.Duration `tfsdk:"preempt"`
	Reclaim tf.Duration `tfsdk:"reclaim"`
}

// History is how past use counts.
type History struct {
	PrometheusURL types.String  `tfsdk:"prometheus_url"`
	Window        types.String  `tfsdk:"window"`
	WindowType    types.String  `tfsdk:"window_type"`
	HalfLife      tf.Duration   `tfsdk:"half_life"`
	Weight        types.Float64 `tfsdk:"weight"`
}
