package site

import (
	"strconv"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// locate names the objects of an import. One of them is enough: a fleet made by hand has no record. A Secret that the record
// calls the user's own is none of them, whatever its name.
func locate(m Model, found composite.Live) []composite.Ref {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	refs := []composite.Ref{{Kind: core.ConfigMapKind, Namespace: namespace, Name: recordName(name)}}
	record, there := composite.As[core.ConfigMap](found, core.ConfigMapKind, recordName(name))
	if there && record.Data[recordMade] == strconv.FormatBool(false) {
		return refs
	}
	return append(refs, composite.Ref{Kind: core.SecretKind, Namespace: namespace, Name: secretName(name)})
}
