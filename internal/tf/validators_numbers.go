package tf

import (
	"context"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
)

// Port takes a TCP or UDP port.
func Port() validator.Int64 { return port{} }

type port struct{}

// Description is for generated documentation.
func (port) Description(context.Context) string { return "a port, 1 to 65535" }

// MarkdownDescription is for generated documentation.
func (p port) MarkdownDescription(ctx context.Context) string { return p.Description(ctx) }

// ValidateInt64 checks the range; null and unknown pass.
func (port) ValidateInt64(ctx context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	p := req.ConfigValue.ValueInt64()
	if p >= 1 && p <= 65535 {
		return
	}
	shown := strconv.FormatInt(p, 10)
	if Sensitive(ctx, req.Config, req.Path) {
		shown = secretValue
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid port", fmt.Sprintf(
		"%s is not a valid port: it is out of range. Allowed: a whole number from 1 to 65535. Example: 6443.", shown))
}

// PositiveQuantity takes a quantity above zero. What is no quantity at all is left to the type.
func PositiveQuantity() validator.String {
	return rule{
		noun:    "quantity",
		allowed: "a Kubernetes quantity above zero",
		example: `"500m", "16" or "64Gi"`,
		wrong: func(text string) string {
			if q, err := ParseQuantity(text); err == nil && q.Sign() <= 0 {
				return "it is not above zero"
			}
			return ""
		},
	}
}

// NonNegativeQuantity takes a quantity of zero or more. What is no quantity at all is left to the type.
func NonNegativeQuantity() validator.String {
	return rule{
		noun:    "quantity",
		allowed: "a Kubernetes quantity of zero or more",
		example: `"0", "500m" or "64Gi"`,
		wrong: func(text string) string {
			if q, err := ParseQuantity(text); err == nil && q.Sign() < 0 {
				return "it is below zero"
			}
			return ""
		},
	}
}

// PositiveDuration takes a duration above zero. What is no duration at all is left to the type.
func PositiveDuration() validator.String {
	return rule{
		noun:    "duration",
		allowed: "a duration above zero",
		example: `"90s", "15m" or "1h30m"`,
		wrong: func(text string) string {
			if d, err := ParseDuration(text); err == nil && d <= 0 {
				return "it is not above zero"
			}
			return ""
		},
	}
}
