package site

import (
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// locate names the objects of an import. One of them is enough: a fleet made by hand has no record.
func locate(m Model, _ composite.Live) []composite.Ref {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	return []composite.Ref{
		{Kind: core.ConfigMapKind, Namespace: namespace, Name: recordName(name)},
		{Kind: core.SecretKind, Namespace: namespace, Name: secretName(name)},
	}
}
