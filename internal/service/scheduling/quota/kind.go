// Package quota declares hard caps of one namespace: a ResourceQuota, and a LimitRange where defaults are given.
package quota

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_quota resource.
var Kind = composite.Kind[Model]{
	Name:      "quota",
	Schema:    resourceSchema,
	Checks:    checks,
	ID:        id,
	SetID:     setID,
	Target:    func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Compose:   compose,
	Decompose: decompose,
	Locate:    locate,
	Replace:   replace,
	Attribute: attribute,
	Related:   related,
	Survey:    survey,
}

// id is empty until all of it is known.
func id(m Model) composite.ID {
	c, _ := m.Cluster.Get()
	if m.Cluster.IsUnknown() || c.Name.IsUnknown() || c.Namespace.IsUnknown() || m.Namespace.IsUnknown() || m.Name.IsUnknown() {
		return composite.ID{}
	}
	return composite.ID{ClusterNamespace: c.Namespace.ValueString(), ClusterName: c.Name.ValueString(), Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func setID(m *Model, id composite.ID) error {
	if id.Namespace == "" {
		return fmt.Errorf("a quota is named by <namespace>/<name>, after the cluster where it is a hosted one, for example train/train:vision/caps, and %q has no namespace", id)
	}
	m.Cluster = tf.NullObject[composite.ClusterRef]()
	if id.ClusterName != "" {
		m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue(id.ClusterName), Namespace: types.StringValue(id.ClusterNamespace), UID: types.StringNull()})
	}
	m.Name, m.Namespace = types.StringValue(id.Name), types.StringValue(id.Namespace)
	return nil
}

func replace(prior, plan Model) []path.Path {
	var out []path.Path
	if !plan.Name.IsUnknown() && !prior.Name.Equal(plan.Name) {
		out = append(out, path.Root("name"))
	}
	if !plan.Namespace.IsUnknown() && !prior.Namespace.Equal(plan.Namespace) {
		out = append(out, path.Root("namespace"))
	}
	return out
}

// attribute maps a field of an object to the attribute that it comes from.
func attribute(kind, field string) path.Path {
	for _, f := range []struct {
		kind, field string
		attribute   path.Path
	}{
		{core.ResourceQuotaKind.Kind, "spec.hard[" + requestsCPU + "]", path.Root("cpu")},
		{core.ResourceQuotaKind.Kind, "spec.hard[" + requestsMemory + "]", path.Root("memory")},
		{core.ResourceQuotaKind.Kind, "spec.hard." + pods, path.Root("pods")},
		{core.ResourceQuotaKind.Kind, "spec.hard[" + pods + "]", path.Root("pods")},
		{core.ResourceQuotaKind.Kind, "spec.hard", path.Root("gpus")},
		{core.LimitRangeKind.Kind, "spec.limits", path.Root("default_limits")},
		{kind, "metadata.name", path.Root("name")},
		{kind, "metadata.namespace", path.Root("namespace")},
		{kind, "metadata.labels", path.Root("labels")},
		{kind, "metadata.annotations", path.Root("annotations")},
	} {
		if rest, ok := strings.CutPrefix(field, f.field); ok && kind == f.kind && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return f.attribute
		}
	}
	return path.Empty()
}
