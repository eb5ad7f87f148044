package tf

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Map is a map from names to values of one type. The zero Map is null, which is not the same as empty.
type Map[V attr.Value] struct{ basetypes.MapValue }

// MapOf is the known map with these elements; each may be null or unknown. A nil map gives the empty one.
func MapOf[V attr.Value](elements map[string]V) Map[V] {
	values := make(map[string]attr.Value, len(elements))
	for k, v := range elements {
		values[k] = v
	}
	return Map[V]{basetypes.NewMapValueMust(TypeOf[V](), values)}
}

// NullMap is the map that is not set.
func NullMap[V attr.Value]() Map[V] { return Map[V]{basetypes.NewMapNull(TypeOf[V]())} }

// UnknownMap is the map whose keys are not known yet.
func UnknownMap[V attr.Value]() Map[V] { return Map[V]{basetypes.NewMapUnknown(TypeOf[V]())} }

// EmptyMap is the map that is set to nothing.
func EmptyMap[V attr.Value]() Map[V] { return MapOf[V](nil) }

// Known returns the elements, none when the map is null or unknown. Elements may be null or unknown themselves.
func (m Map[V]) Known() map[string]V {
	known := map[string]V{}
	for k, e := range m.Elements() {
		if v, ok := e.(V); ok {
			known[k] = v
		}
	}
	return known
}

// Keys returns the names in order.
func (m Map[V]) Keys() []string { return slices.Sorted(maps.Keys(m.Elements())) }

// base is the value with its element type, which the zero Map lacks.
func (m Map[V]) base() basetypes.MapValue {
	if m.IsNull() {
		return NullMap[V]().MapValue
	}
	return m.MapValue
}

// Type is MapType[V].
func (m Map[V]) Type(context.Context) attr.Type { return MapType[V]{} }

// ElementType is the type of V, whatever the state of the value.
func (m Map[V]) ElementType(context.Context) attr.Type { return TypeOf[V]() }

// ElementsAs fills target by the framework's own reflection.
func (m Map[V]) ElementsAs(ctx context.Context, target any, allowUnhandled bool) diag.Diagnostics {
	return m.base().ElementsAs(ctx, target, allowUnhandled)
}

// ToMapValue gives the framework the plain map.
func (m Map[V]) ToMapValue(context.Context) (basetypes.MapValue, diag.Diagnostics) {
	return m.base(), nil
}

// ToTerraformValue is the value on the wire.
func (m Map[V]) ToTerraformValue(ctx context.Context) (tftypes.Value, error) {
	return m.base().ToTerraformValue(ctx)
}

// Equal compares state and elements exactly, in the user's spelling.
func (m Map[V]) Equal(other attr.Value) bool {
	that, ok := other.(Map[V])
	return ok && m.base().Equal(that.base())
}

// ValidateAttribute validates each element, which the framework does by itself only for nested objects.
func (m Map[V]) ValidateAttribute(ctx context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	elements := m.Elements()
	for _, k := range slices.Sorted(maps.Keys(elements)) {
		validateElement(ctx, elements[k], req.Path.AtMapKey(k), resp)
	}
}

// MapType is the type of Map[V], complete as its zero value.
type MapType[V attr.Value] struct{}

// MapTypeOf is the CustomType of a map attribute and of a map nested attribute.
func MapTypeOf[V attr.Value]() MapType[V] {
	TypeOf[V]()
	return MapType[V]{}
}

// TerraformType is the map type on the wire.
func (t MapType[V]) TerraformType(ctx context.Context) tftypes.Type {
	return tftypes.Map{ElementType: TypeOf[V]().TerraformType(ctx)}
}

// ValueType tells the framework which Go type to expect.
func (t MapType[V]) ValueType(context.Context) attr.Value { return NullMap[V]() }

// ElementType is the type of V.
func (t MapType[V]) ElementType() attr.Type { return TypeOf[V]() }

// WithElementType returns a plain map type, since V is fixed.
func (t MapType[V]) WithElementType(element attr.Type) attr.TypeWithElementType {
	return basetypes.MapType{ElemType: element}
}

// ApplyTerraform5AttributePathStep finds the type of one element.
func (t MapType[V]) ApplyTerraform5AttributePathStep(step tftypes.AttributePathStep) (any, error) {
	return t.plain().ApplyTerraform5AttributePathStep(step)
}

// Equal is true for the same V only.
func (t MapType[V]) Equal(other attr.Type) bool {
	_, ok := other.(MapType[V])
	return ok
}

// String names the element type.
func (t MapType[V]) String() string { return "tf.Map[" + TypeOf[V]().String() + "]" }

// ValueFromTerraform reads the value on the wire.
func (t MapType[V]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.plain().ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return Map[V]{v.(basetypes.MapValue)}, nil //nolint:forcetypeassert // That is what the plain type returns.
}

// ValueFromMap takes a plain map, converting it where its elements have another type of the same shape on the wire.
func (t MapType[V]) ValueFromMap(ctx context.Context, in basetypes.MapValue) (basetypes.MapValuable, diag.Diagnostics) {
	switch {
	case in.IsNull():
		return NullMap[V](), nil
	case in.IsUnknown():
		return UnknownMap[V](), nil
	case TypeOf[V]().Equal(in.ElementType(ctx)):
		return Map[V]{in}, nil
	}
	v, err := convert[Map[V]](ctx, t, in)
	if err != nil {
		return UnknownMap[V](), conversionError(t, err)
	}
	return v, nil
}

func (t MapType[V]) plain() basetypes.MapType { return basetypes.MapType{ElemType: TypeOf[V]()} }
