package composite

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// writeOnlyValues reads the write-only attributes from the configuration, the only place where they exist. A value that
// is not known yet is left out.
func writeOnlyValues(ctx context.Context, config tfsdk.Config, attributes []string) (map[string]map[string][]byte, diag.Diagnostics) {
	out := map[string]map[string][]byte{}
	var all diag.Diagnostics
	for _, name := range attributes {
		var v attr.Value
		all.Append(config.GetAttribute(ctx, pathOf(name), &v)...)
		if v == nil || v.IsNull() || v.IsUnknown() {
			continue
		}
		values := map[string][]byte{}
		switch v := v.(type) {
		case basetypes.StringValuable:
			s, diags := v.ToStringValue(ctx)
			all.Append(diags...)
			values[""] = []byte(s.ValueString())
		case basetypes.MapValuable:
			m, diags := v.ToMapValue(ctx)
			all.Append(diags...)
			for key, e := range m.Elements() {
				if s, ok := e.(basetypes.StringValue); ok && !s.IsNull() && !s.IsUnknown() {
					values[key] = []byte(s.ValueString())
				}
			}
		}
		out[name] = values
	}
	return out, all
}

// pathOf is the path of an attribute, which may be inside of an object: "ssh.private_key_wo".
func pathOf(attribute string) path.Path {
	steps := strings.Split(attribute, ".")
	at := path.Root(steps[0])
	for _, step := range steps[1:] {
		at = at.AtName(step)
	}
	return at
}

// plannedFacts are the facts of a plan: the keys of write-only values, none of their contents.
func (r *Resource[M]) plannedFacts(ctx context.Context, config tfsdk.Config, _ M, rec *record) (Facts, diag.Diagnostics) {
	values, diags := writeOnlyValues(ctx, config, r.kind.WriteOnly)
	for _, keys := range values {
		for key := range keys {
			keys[key] = nil
		}
	}
	if len(values) == 0 {
		return rec.facts(), diags
	}
	return Facts{writeOnly: values}, diags
}

// facts are what a read knows: the places of the write-only values that were applied last.
func (r *record) facts() Facts {
	out := Facts{writeOnly: map[string]map[string][]byte{}}
	for attribute, keys := range r.WriteOnly {
		out.writeOnly[attribute] = map[string][]byte{}
		for key := range keys {
			out.writeOnly[attribute][key] = nil
		}
	}
	return out
}
