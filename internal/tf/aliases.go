package tf

import (
	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
)

// IPPrefix is an address range in CIDR notation, of either family; IPv6 spellings of one range are the same.
type IPPrefix = cidrtypes.IPPrefix

// IPPrefixType is the CustomType of an address range attribute.
type IPPrefixType = cidrtypes.IPPrefixType

// JSON is a JSON text; white space and the order of keys make no difference.
type JSON = jsontypes.Normalized

// JSONType is the CustomType of a JSON attribute.
type JSONType = jsontypes.NormalizedType
