// Package site declares a site: where hosts are and how to reach them.
package site

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Kind is the k0smos_site resource.
var Kind = composite.Kind[Model]{
	Name:        "site",
	Schema:      resourceSchema,
	Checks:      checks,
	Transitions: transitions,
	Derive:      derive,
	ID:          id,
	SetID:       setID,
	Compose:     compose,
	Decompose:   decompose,
	Import:      imported,
	Locate:      locate,
	Replace:     replace,
	Attribute:   attribute,
	FreeForm:    func(_, field string) bool { return strings.HasPrefix(field, "metadata.annotations") },
	WriteOnly:   []string{privateKey},
	Leaving:     leaving,
}

// id is empty until both parts of it are known.
func id(m Model) composite.ID {
	if m.Namespace.IsUnknown() {
		return composite.ID{}
	}
	return composite.ID{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func setID(m *Model, id composite.ID) error {
	if id.Namespace == "" {
		return fmt.Errorf("a site is named by <namespace>/<name>, for example train/quebec, and %q has no namespace", id.Name)
	}
	if id.ClusterName != "" {
		return fmt.Errorf("a site is in the management cluster, so the import id is <namespace>/<name>, for example train/quebec, without the cluster %s/%s", id.ClusterNamespace, id.ClusterName)
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
		{"Secret", "data", atSSH.AtName("private_key_wo")},
		{"ConfigMap", "data." + recordRegion, path.Root("region")},
		{"ConfigMap", "data." + recordZone, path.Root("zone")},
		{"ConfigMap", "data." + recordLatitude, path.Root("location").AtName("latitude")},
		{"ConfigMap", "data." + recordLongitude, path.Root("location").AtName("longitude")},
		{"ConfigMap", "data", atSSH},
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
