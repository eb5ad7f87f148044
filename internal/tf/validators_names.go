package tf

import (
	"context"
	"fmt"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/util/validation"
)

// DNSLabel takes a DNS label of at most longest characters, 63 where Kubernetes alone decides. Shorter limits leave
// room for what other names are made of it.
func DNSLabel(longest int) validator.String {
	return rule{
		noun:    "name",
		allowed: fmt.Sprintf("1 to %d characters, lower case letters a-z, digits and hyphens, with a letter or digit at both ends", longest),
		example: `"train-quebec"`,
		wrong: func(text string) string {
			if wrong := wrongLength(text, longest); wrong != "" {
				return wrong
			}
			return wrongLabel(text)
		},
	}
}

// DNSSubdomain takes the name of most Kubernetes objects: DNS labels joined by dots, at most 253 characters.
func DNSSubdomain() validator.String {
	return rule{
		noun: "name",
		allowed: "1 to 253 characters, lower case letters a-z, digits, hyphens and dots, with a letter or digit at both ends " +
			"and next to every dot",
		example: `"train-quebec" or "cilium.v1"`,
		wrong: func(text string) string {
			if wrong := wrongLength(text, validation.DNS1123SubdomainMaxLength); wrong != "" {
				return wrong
			}
			for label := range strings.SplitSeq(text, ".") {
				if label == "" {
					return "a dot must have a letter or digit on both sides"
				}
				if wrong := wrongLabel(label); wrong != "" {
					return wrong
				}
			}
			return ""
		},
	}
}

func wrongLength(text string, longest int) string {
	if text == "" {
		return "it is empty"
	}
	if n := utf8.RuneCountInString(text); n > longest {
		return fmt.Sprintf("it has %d characters, %d more than fit", n, n-longest)
	}
	return ""
}

func wrongLabel(text string) string {
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
		case r >= 'A' && r <= 'Z':
			return fmt.Sprintf("it has the upper case letter %q", r)
		default:
			return fmt.Sprintf("it has the character %q", r)
		}
	}
	if strings.HasPrefix(text, "-") || strings.HasSuffix(text, "-") {
		return "a hyphen must have a letter or digit on both sides"
	}
	return ""
}

// HostOrIP takes an address to connect to, without port, scheme or path.
func HostOrIP() validator.String {
	return rule{
		noun:    "host",
		allowed: "a DNS name, an IPv4 or an IPv6 address (without brackets), and nothing else; a port has its own attribute",
		example: `"gpu-1.qc.example.com", "203.0.113.10" or "2001:db8::10"`,
		wrong:   wrongHost,
	}
}

var (
	hostLabel   = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)
	onlyNumbers = regexp.MustCompile(`^[0-9.]+$`)
	hostAndPort = regexp.MustCompile(`^[^:]+:\d+$`)
)

func wrongHost(text string) string {
	if _, err := netip.ParseAddr(text); err == nil {
		return ""
	}
	switch {
	case text == "":
		return "it is empty"
	case strings.Contains(text, "://"):
		return "it has a scheme"
	case strings.Contains(text, "@"):
		return "it has a user"
	case strings.HasPrefix(text, "["):
		return "it has brackets"
	case strings.Contains(text, "/"):
		return "it has a path or a prefix length"
	case hostAndPort.MatchString(text):
		return "it has a port"
	case onlyNumbers.MatchString(text):
		return "it looks like an IPv4 address and is none"
	case len(text) > 253:
		return fmt.Sprintf("it has %d characters, more than the 253 of a DNS name", len(text))
	}
	for label := range strings.SplitSeq(strings.TrimSuffix(text, "."), ".") {
		if len(label) > 63 || !hostLabel.MatchString(label) {
			return fmt.Sprintf("%s cannot be a part of a DNS name", quote(label))
		}
	}
	return ""
}

// NetworkCIDR takes a whole network in CIDR notation: the bits after the prefix are zero.
func NetworkCIDR() validator.String {
	return rule{
		noun:    "network",
		allowed: "an IPv4 or IPv6 network in CIDR notation, with no bits set after the prefix",
		example: `"10.244.0.0/16" or "fd00:10:244::/56"`,
		wrong: func(text string) string {
			p, err := netip.ParsePrefix(text)
			switch {
			case err != nil && !strings.Contains(text, "/"):
				return "the prefix length is missing"
			case err != nil:
				return "it is no address with a prefix length"
			case p != p.Masked():
				return fmt.Sprintf("it is an address in a network, and the network is %q", p.Masked())
			}
			return ""
		},
	}
}

// Labels takes a map of Kubernetes labels.
func Labels() validator.Map {
	return metadata{noun: "label", key: exact, value: validation.IsValidLabelValue}
}

// Annotations takes a map of Kubernetes annotations.
func Annotations() validator.Map {
	return metadata{noun: "annotation", key: strings.ToLower, total: 256 << 10}
}

func exact(key string) string { return key }

// metadata checks keys in the form that key gives them: the API server takes upper case in front of the slash of an
// annotation, not of a label.
type metadata struct {
	noun  string
	key   func(string) string
	value func(string) []string
	total int
}

// Description is for generated documentation.
func (m metadata) Description(context.Context) string { return "Kubernetes " + m.noun + "s" }

// MarkdownDescription is for generated documentation.
func (m metadata) MarkdownDescription(ctx context.Context) string { return m.Description(ctx) }

// ValidateMap checks each key, each value, and the size of all.
func (m metadata) ValidateMap(ctx context.Context, req validator.MapRequest, resp *validator.MapResponse) {
	fail := func(at path.Path, text string, args ...any) {
		resp.Diagnostics.AddAttributeError(at, "Invalid "+m.noun, fmt.Sprintf(text, args...))
	}
	sensitive := Sensitive(ctx, req.Config, req.Path)
	size := 0
	elements := req.ConfigValue.Elements()
	for _, key := range slices.Sorted(maps.Keys(elements)) {
		element := elements[key]
		at := req.Path.AtMapKey(key)
		if len(validation.IsQualifiedName(m.key(key))) > 0 {
			fail(at, "%s is not a valid %s key. Allowed: a name of at most 63 letters, digits, -, _ and . that begins and ends with a letter "+
				"or digit, and before it, optionally, a DNS name and a slash. Example: \"example.com/team\".", quote(key), m.noun)
		}
		value, ok := element.(types.String)
		if !ok || value.IsUnknown() {
			continue
		}
		if value.IsNull() {
			fail(at, "The %s %s is null. Give it a value (an empty text is one), or leave the key out.", m.noun, quote(key))
			continue
		}
		size += len(key) + len(value.ValueString())
		shown := quote(value.ValueString())
		if sensitive {
			shown = secretValue
		}
		if m.value != nil && len(m.value(value.ValueString())) > 0 {
			fail(at, "%s is not a valid value of the %s %s. Allowed: at most 63 letters, digits, -, _ and ., beginning and ending with a letter "+
				"or digit, or nothing at all. Example: \"blue\". Other text fits into an annotation.",
				shown, m.noun, quote(key))
		}
	}
	if m.total > 0 && size > m.total {
		fail(req.Path, "All %ss together have %d bytes. Allowed: at most %d. Keep large content in a ConfigMap.", m.noun, size, m.total)
	}
}
