// Package department declares a department and its projects: a tree of quotas over pools of GPUs.
package department

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/admission"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_department resource.
var Kind = composite.Kind[Model]{
	Name:          "department",
	Schema:        resourceSchema,
	Checks:        checks,
	Derive:        derive,
	ID:            id,
	SetID:         setID,
	Target:        func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Compose:       compose,
	Decompose:     decompose,
	Import:        imported,
	Locate:        locate,
	LocateQueries: locateQueries,
	Replace:       replace,
	Ready:         map[string]composite.Readiness{kueue.ClusterQueueKind.Kind: composite.Condition(kueue.ConditionActive)},
	Attribute:     attribute,

	Namespaces:     namespacesMade,
	RelatedQueries: relatedQueries,
	Survey:         survey,
	Before:         before,
	After:          after,
	Leaving:        leaving,
}

func id(m Model) composite.ID { return scheduling.ID(m.Cluster, m.Engine, m.Name) }

func setID(m *Model, id composite.ID) error {
	return scheduling.SetID("department", id, &m.Cluster, &m.Engine, &m.Name)
}

func replace(prior, plan Model) []path.Path {
	return scheduling.Replace(prior.Engine, plan.Engine, prior.Name, plan.Name)
}

// attribute maps a field of an object to the attribute that it comes from, as far as a kind and a field tell.
func attribute(kind, field string) path.Path {
	for _, f := range []struct {
		kind, field string
		attribute   path.Path
	}{
		{kai.QueueKind.Kind, "spec.priority", path.Root("projects")},
		{kai.QueueKind.Kind, "spec.displayName", path.Root("projects")},
		{kai.QueueKind.Kind, "spec.preemptMinRuntime", path.Root("projects")},
		{kai.QueueKind.Kind, "spec.reclaimMinRuntime", path.Root("projects")},
		{kai.QueueKind.Kind, "spec", path.Root("pools")},
		{kueue.CohortKind.Kind, "spec", path.Root("pools")},
		{kueue.ClusterQueueKind.Kind, "spec.namespaceSelector", path.Root("projects")},
		{kueue.ClusterQueueKind.Kind, "spec", path.Root("projects")},
		{kueue.LocalQueueKind.Kind, "spec", path.Root("projects")},
		{admission.ValidatingAdmissionPolicyKind.Kind, "spec", path.Root("projects")},
		{admission.ValidatingAdmissionPolicyBindingKind.Kind, "spec", path.Root("projects")},
		{kind, "metadata.namespace", path.Root("projects")},
		{kind, "metadata.name", path.Root("name")},
		{kind, "metadata.labels", path.Root("labels")},
		{kind, "metadata.annotations", path.Root("annotations")},
	} {
		if rest, ok := strings.CutPrefix(field, f.field); ok && kind == f.kind && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.attribute
		}
	}
	return path.Empty()
}
