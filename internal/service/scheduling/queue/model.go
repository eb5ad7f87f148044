package queue

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.Meta
	scheduling.Shares
	Name              types.String                    `tfsdk:"name"`
	Cluster           tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Engine            types.String                    `tfsdk:"engine"`
	Parent            types.String                    `tfsdk:"parent"`
	Pool              tf.Object[scheduling.PoolRef]   `tfsdk:"pool"`
	DisplayName       types.String                    `tfsdk:"display_name"`
	Priority          types.Int64                     `tfsdk:"priority"`
	PreemptMinRuntime tf.Duration                     `tfsdk:"preempt_min_runtime"`
	ReclaimMinRuntime tf.Duration                     `tfsdk:"reclaim_min_runtime"`
	Namespaces        tf.List[types.String]           `tfsdk:"namespaces"`
	CreateNamespaces  types.Bool                      `tfsdk:"create_namespaces"`
	ForceDestroy      types.Bool                      `tfsdk:"force_destroy"`

	PodLabels tf.Map[types.String] `tfsdk:"pod_labels"`
}
