package tf

import (
	"context"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
)

// rule is a check of one text: what is wrong with it ("" for nothing), what is allowed, and an example.
type rule struct {
	noun    string
	wrong   func(string) string
	allowed string
	example string
}

// Description is for generated documentation.
func (r rule) Description(context.Context) string { return r.allowed }

// MarkdownDescription is for generated documentation.
func (r rule) MarkdownDescription(context.Context) string { return r.allowed }

// ValidateString applies the rule; null and unknown pass.
func (r rule) ValidateString(ctx context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() {
		return
	}
	text := req.ConfigValue.ValueString()
	wrong := r.wrong(text)
	if wrong == "" {
		return
	}
	shown := quote(text)
	if Sensitive(ctx, req.Config, req.Path) {
		shown, wrong = secretValue, "what exactly is wrong would show a part of it" // One character of a secret is one too many.
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+r.noun, r.message(shown, wrong))
}

func (r rule) message(shown, wrong string) string {
	return fmt.Sprintf("%s is not a valid %s: %s. Allowed: %s. Example: %s.", shown, r.noun, wrong, r.allowed, r.example)
}

const secretValue = "The value, which is sensitive,"

// Sensitive says whether a message must not show the value at a path: the schema calls the attribute, or one that it
// stands in, sensitive or write-only.
func Sensitive(ctx context.Context, config tfsdk.Config, at path.Path) bool {
	if config.Schema == nil {
		return false
	}
	for p := at; len(p.Steps()) > 0; p = p.ParentPath() {
		a, diags := config.Schema.AttributeAtPath(ctx, p)
		if !diags.HasError() && a != nil && (a.IsSensitive() || a.IsWriteOnly()) {
			return true
		}
	}
	return false
}

// Choice is one of the values that an attribute takes, and what it means.
type Choice struct{ Value, Meaning string }

// OneOf takes one of the given values, exactly as spelled.
func OneOf(choices ...Choice) validator.String {
	values := make([]string, len(choices))
	for i, c := range choices {
		values[i] = quote(c.Value)
	}
	first := "none"
	if len(values) > 0 {
		first = values[0]
	}
	return rule{
		noun:    "choice",
		allowed: "one of " + strings.Join(values, ", "),
		example: first,
		wrong: func(text string) string {
			for _, c := range choices {
				if text == c.Value {
					return ""
				}
			}
			for _, c := range choices {
				if strings.EqualFold(text, c.Value) {
					return fmt.Sprintf("upper and lower case matter, %s is meant", quote(c.Value))
				}
			}
			return "it is none of the values that this attribute knows"
		},
	}
}

// Choices says in a description what each value means; the first is the default.
func Choices(choices ...Choice) string {
	var lines []string
	for i, c := range choices {
		line := fmt.Sprintf("`%s`: %s", c.Value, c.Meaning)
		if i == 0 {
			line = fmt.Sprintf("`%s` (default): %s", c.Value, c.Meaning)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "; ") + "."
}
