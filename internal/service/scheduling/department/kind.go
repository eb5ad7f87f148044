// Package department declares a department and its projects: a tree of quotas over pools of GPUs.
package department

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_department resource.
var Kind = composite.Kind[Model]{
	Name:    "department",
	Schema:  resourceSchema,
	Checks:  checks,
	Derive:  derive,
	Compose: compose,
	ID:      id,
	SetID:   setID,
	Target:  func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Replace: replace,
	Timeouts: func(Model) composite.Timeouts {
		return composite.Timeouts{Create: 10 * time.Minute, Update: 10 * time.Minute, Delete: 10 * time.Minute}
	},
}

func id(m Model) composite.ID { return scheduling.ID(m.Cluster, m.Engine, m.Name) }

func setID(m *Model, id composite.ID) error {
	return scheduling.SetID("department", id, &m.Cluster, &m.Engine, &m.Name)
}

func replace(prior, plan Model) []path.Path {
	return scheduling.Replace(prior.Engine, plan.Engine, prior.Name, plan.Name)
}
