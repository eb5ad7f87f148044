package manifest

import (
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes.
type Model struct {
	composite.Meta
	Manifest          tf.Manifest                     `tfsdk:"manifest"`
	Cluster           tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	CreateNamespace   types.Bool                      `tfsdk:"create_namespace"`
	SecretData        tf.Map[types.String]            `tfsdk:"secret_data_wo"`
	SecretDataVersion types.Int64                     `tfsdk:"secret_data_wo_version"`
}

// head is what names an object.
type head struct {
	apiVersion, kind, namespace, name string
}

// headOf reads the head of a manifest; what is not known is empty.
func headOf(object map[string]any) head {
	text := func(v any) string {
		s, _ := v.(string)
		return s
	}
	metadata, _ := object["metadata"].(map[string]any)
	return head{text(object["apiVersion"]), text(object["kind"]), text(metadata["namespace"]), text(metadata["name"])}
}

// namespaceOpen tells a manifest whose namespace is not known yet. Text is known as a whole or not at all, so only an
// object can be open in this one place; there it has to be told from an object that has no namespace.
func (m Model) namespaceOpen() bool {
	metadata := m.Manifest.UnderlyingValue()
	for _, step := range []string{"metadata", "namespace"} {
		entries := map[string]attr.Value{}
		switch v := metadata.(type) {
		case basetypes.ObjectValue:
			entries = v.Attributes()
		case basetypes.MapValue:
			entries = v.Elements()
		}
		next, there := entries[step]
		if d, ok := next.(basetypes.DynamicValue); ok && !d.IsUnknown() {
			next = d.UnderlyingValue()
		}
		switch {
		case !there || next == nil:
			return false
		case next.IsUnknown():
			return true
		}
		metadata = next
	}
	return false
}

// isSecret tells a v1 Secret, whose data has to stay out of state.
func (h head) isSecret() bool { return h.apiVersion == "v1" && h.kind == "Secret" }
