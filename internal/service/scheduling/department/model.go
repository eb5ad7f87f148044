package department

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.Meta
	Name              types.String                    `tfsdk:"name"`
	Cluster           tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Engine            types.String                    `tfsdk:"engine"`
	DisplayName       types.String                    `tfsdk:"display_name"`
	Priority          types.Int64                     `tfsdk:"priority"`
	ReclaimMinRuntime tf.Duration                     `tfsdk:"reclaim_min_runtime"`
	Oversubscribe     types.String                    `tfsdk:"oversubscribe"`
	Pools             tf.Map[tf.Object[Pool]]         `tfsdk:"pools"`
	Projects          tf.Map[tf.Object[Project]]      `tfsdk:"projects"`
	ForceDestroy      types.Bool                      `tfsdk:"force_destroy"`

	Parents    tf.Map[types.String]                 `tfsdk:"parents"`
	QueueNames tf.Map[tf.Map[types.String]]         `tfsdk:"queue_names"`
	PodLabels  tf.Map[tf.Map[tf.Map[types.String]]] `tfsdk:"pod_labels"`
}

// Pool is what the department has of a pool.
type Pool struct {
	scheduling.Shares
	SchedulingPool tf.Object[scheduling.PoolRef] `tfsdk:"scheduling_pool"`
	Resource       types.String                  `tfsdk:"resource"`
	Capacity       types.Int64                   `tfsdk:"capacity"`
}

// Project is a team of the department.
type Project struct {
	Name              types.String                   `tfsdk:"name"`
	DisplayName       types.String                   `tfsdk:"display_name"`
	Namespaces        tf.List[types.String]          `tfsdk:"namespaces"`
	CreateNamespaces  types.Bool                     `tfsdk:"create_namespaces"`
	EnforceNamespaces types.Bool                     `tfsdk:"enforce_namespaces"`
	Priority          types.Int64                    `tfsdk:"priority"`
	PreemptMinRuntime tf.Duration                    `tfsdk:"preempt_min_runtime"`
	ReclaimMinRuntime tf.Duration                    `tfsdk:"reclaim_min_runtime"`
	Pools             tf.Map[tf.Object[ProjectPool]] `tfsdk:"pools"`
}

// ProjectPool is what a project has of a pool.
type ProjectPool struct {
	scheduling.Shares
}
