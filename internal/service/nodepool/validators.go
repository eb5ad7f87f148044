package nodepool

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// text is a rule for one attribute: what is allowed, and whether a value is.
type text struct {
	noun, allowed string
	fine          func(string) bool
}

// Description is for generated documentation.
func (t text) Description(context.Context) string { return t.allowed }

// MarkdownDescription is for generated documentation.
func (t text) MarkdownDescription(context.Context) string { return t.allowed }

// ValidateString applies the rule; null and unknown pass.
func (t text) ValidateString(_ context.Context, req validator.StringRequest, resp *validator.StringResponse) {
	if req.ConfigValue.IsNull() || req.ConfigValue.IsUnknown() || t.fine(req.ConfigValue.ValueString()) {
		return
	}
	resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+t.noun, fmt.Sprintf("%q is not a valid %s. Allowed: %s.", req.ConfigValue.ValueString(), t.noun, t.allowed))
}

func matching(noun, allowed, pattern string) validator.String {
	return text{noun, allowed, regexp.MustCompile(pattern).MatchString}
}

// wholeSeconds: Cluster API counts in seconds.
func wholeSeconds() validator.String {
	return text{"duration", `whole seconds of at most 10 years, such as "90s" or "15m"; 0s only where it is said to mean for ever`, func(s string) bool {
		d, err := tf.ParseDuration(s)
		return err != nil || d >= 0 && d%time.Second == 0 && d < 87600*time.Hour // what is no duration is left to the type
	}}
}

func countOrPercentage() validator.String {
	return text{"number of hosts", `a whole number of hosts such as "2", or a percentage from "0%" to "100%"`, func(s string) bool {
		if len(s) > 1 && s[len(s)-1] == '%' {
			n, err := strconv.ParseUint(s[:len(s)-1], 10, 7)
			return err == nil && n <= 100
		}
		n, err := strconv.ParseUint(s, 10, 16)
		return err == nil && strconv.FormatUint(n, 10) == s
	}}
}

func octal() validator.String {
	return matching("file mode", `three or four octal digits, such as "0644"`, `^[0-7]{3,4}$`)
}

func hostUser() validator.String {
	return matching("user name", `at most 32 lower case letters, digits, hyphens and underscores, beginning with a letter or underscore, such as "root"`, `^[a-z_][a-z0-9_-]{0,31}$`)
}

// binaryURL has nothing in it that a shell would take for more than text: the operator writes it into a command.
func binaryURL() validator.String {
	return matching("URL", `a URL that begins with http://, https:// or oci://, without spaces, quotes and other characters that mean something to a shell`, `^(https?|oci)://[A-Za-z0-9._~:/?#@!%+,=-]+$`)
}
