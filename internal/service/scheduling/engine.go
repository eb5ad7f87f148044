// Package scheduling holds what pools, departments, queues and quotas share: the two engines, shares of resources and their
// arithmetic, and the names and labels that workloads are scheduled by. All of it is pure.
package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// The engines: the schedulers that a declaration is written for.
const (
	EngineKAI   = "kai"
	EngineKueue = "kueue"
)

// Engines are the values of the attribute engine.
var Engines = []tf.Choice{
	{Value: EngineKAI, Meaning: "the KAI scheduler: one tree of Queues for each node pool"},
	{Value: EngineKueue, Meaning: "Kueue: Cohorts, ClusterQueues and LocalQueues over ResourceFlavors"},
}

// EngineAttribute is the schema of the attribute engine.
func EngineAttribute() schema.StringAttribute {
	return schema.StringAttribute{Required: true, Validators: []validator.String{tf.OneOf(Engines...)},
		MarkdownDescription: "Which scheduler this is declared for, `kai` (the KAI scheduler) or `kueue` (Kueue). It must run in the cluster. A change replaces the resource."}
}
