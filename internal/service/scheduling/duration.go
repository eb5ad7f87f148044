package scheduling

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// NotNegativeDuration takes a duration of zero or more. What is no duration at all is left to the type: KAI's own schema takes
// any text, and then its controllers cannot read the queue.
func NotNegativeDuration() validator.String { return notNegative{} }

type notNegative struct{}

// Description is for generated documentation.
func (notNegative) Description(context.Context) string { return "a duration of zero or more" }

// MarkdownDescription is for generated documentation.
func (n notNegative) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

// ValidateString checks the sign; null and unknown pass.
func (notNegative) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	if d, err := tf.ParseDuration(req.ConfigValue.ValueString()); err == nil && d < 0 {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid duration", fmt.Sprintf(
			"%q is not a valid duration: it is below zero. Allowed: a duration of zero or more. Example: \"30m\".", req.ConfigValue.ValueString()))
	}
}
