package tf

import (
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Like is the manifest of another object in the form of this one: text stays text, a Terraform object stays one, so that
// what a refresh finds shows as a difference in the fields that differ.
func (m Manifest) Like(object map[string]any) Manifest {
	if _, text := m.UnderlyingValue().(basetypes.StringValue); !text && !m.IsNull() {
		attributes := make(map[string]attr.Value, len(object))
		for k, v := range object {
			attributes[k] = literal(v)
		}
		return ManifestObject(attributes)
	}
	written, err := ManifestYAML(object)
	if err != nil { // plain data always encodes
		return m
	}
	return written
}

// literal is the value that Terraform makes of such a literal in a configuration.
func literal(v any) attr.Value {
	switch v := v.(type) {
	case map[string]any:
		values, types := make(map[string]attr.Value, len(v)), make(map[string]attr.Type, len(v))
		for k, e := range v {
			values[k] = literal(e)
			types[k] = typeOfValue(values[k])
		}
		return basetypes.NewObjectValueMust(types, values)
	case []any:
		values, types := make([]attr.Value, 0, len(v)), make([]attr.Type, 0, len(v))
		for _, e := range v {
			values = append(values, literal(e))
			types = append(types, typeOfValue(values[len(values)-1]))
		}
		return basetypes.NewTupleValueMust(types, values)
	case string:
		return basetypes.NewStringValue(v)
	case bool:
		return basetypes.NewBoolValue(v)
	case int64:
		return basetypes.NewNumberValue(new(big.Float).SetInt64(v))
	case float64:
		return basetypes.NewNumberValue(big.NewFloat(v))
	default:
		return basetypes.NewDynamicNull()
	}
}
