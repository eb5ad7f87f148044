package tf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// TextOr is a text, or another where it is null, unknown or empty.
func TextOr(v types.String, otherwise string) string {
	if v.ValueString() == "" {
		return otherwise
	}
	return v.ValueString()
}

// NumberOr is a number, or another where it is null or unknown.
func NumberOr(v types.Int64, otherwise int64) int64 {
	if v.IsNull() || v.IsUnknown() {
		return otherwise
	}
	return v.ValueInt64()
}

// TextOrNull is the value of a text that stands for nothing where it is empty.
func TextOrNull(s string) types.String {
	if s == "" {
		return types.StringNull()
	}
	return types.StringValue(s)
}

// Settled tells a value of which every part is known.
func Settled(v attr.Value) bool {
	raw, err := v.ToTerraformValue(context.Background())
	return err == nil && raw.IsFullyKnown()
}
