package tf

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// List is an ordered list of values of one type. The zero List is null, which is not the same as empty.
type List[V attr.Value] struct{ basetypes.ListValue }

// ListOf is the known list of these elements, the empty one for none; each may be null or unknown.
func ListOf[V attr.Value](elements ...V) List[V] {
	values := make([]attr.Value, len(elements))
	for i, v := range elements {
		values[i] = v
	}
	return List[V]{basetypes.NewListValueMust(TypeOf[V](), values)}
}

// NullList is the list that is not set.
func NullList[V attr.Value]() List[V] { return List[V]{basetypes.NewListNull(TypeOf[V]())} }

// UnknownList is the list whose length is not known yet.
func UnknownList[V attr.Value]() List[V] { return List[V]{basetypes.NewListUnknown(TypeOf[V]())} }

// Known returns the elements, none when the list is null or unknown. Elements may be null or unknown themselves.
func (l List[V]) Known() []V {
	known := make([]V, 0, len(l.Elements()))
	for _, e := range l.Elements() {
		if v, ok := e.(V); ok {
			known = append(known, v)
		}
	}
	return known
}

// base is the value with its element type, which the zero List lacks.
func (l List[V]) base() basetypes.ListValue {
	if l.IsNull() {
		return NullList[V]().ListValue
	}
	return l.ListValue
}

// Type is ListType[V].
func (l List[V]) Type(context.Context) attr.Type { return ListType[V]{} }

// ElementType is the type of V, whatever the state of the value.
func (l List[V]) ElementType(context.Context) attr.Type { return TypeOf[V]() }

// ElementsAs fills target by the framework's own reflection.
func (l List[V]) ElementsAs(ctx context.Context, target any, allowUnhandled bool) diag.Diagnostics {
	return l.base().ElementsAs(ctx, target, allowUnhandled)
}

// ToListValue gives the framework the plain list.
func (l List[V]) ToListValue(context.Context) (basetypes.ListValue, diag.Diagnostics) {
	return l.base(), nil
}

// ToTerraformValue is the value on the wire.
func (l List[V]) ToTerraformValue(ctx context.Context) (tftypes.Value, error) {
	return l.base().ToTerraformValue(ctx)
}

// Equal compares state and elements exactly, in the user's spelling.
func (l List[V]) Equal(other attr.Value) bool {
	that, ok := other.(List[V])
	return ok && l.base().Equal(that.base())
}

// ValidateAttribute validates each element, which the framework does by itself only for nested objects.
func (l List[V]) ValidateAttribute(ctx context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	for i, e := range l.Elements() {
		validateElement(ctx, e, req.Path.AtListIndex(i), resp)
	}
}

// ListType is the type of List[V], complete as its zero value.
type ListType[V attr.Value] struct{}

// ListTypeOf is the CustomType of a list attribute and of a list nested attribute.
func ListTypeOf[V attr.Value]() ListType[V] {
	TypeOf[V]()
	return ListType[V]{}
}

// TerraformType is the list type on the wire.
func (t ListType[V]) TerraformType(ctx context.Context) tftypes.Type {
	return tftypes.List{ElementType: TypeOf[V]().TerraformType(ctx)}
}

// ValueType tells the framework which Go type to expect.
func (t ListType[V]) ValueType(context.Context) attr.Value { return NullList[V]() }

// ElementType is the type of V.
func (t ListType[V]) ElementType() attr.Type { return TypeOf[V]() }

// WithElementType returns a plain list type, since V is fixed.
func (t ListType[V]) WithElementType(element attr.Type) attr.TypeWithElementType {
	return basetypes.ListType{ElemType: element}
}

// ApplyTerraform5AttributePathStep finds the type of one element.
func (t ListType[V]) ApplyTerraform5AttributePathStep(step tftypes.AttributePathStep) (any, error) {
	return t.plain().ApplyTerraform5AttributePathStep(step)
}

// Equal is true for the same V only.
func (t ListType[V]) Equal(other attr.Type) bool {
	_, ok := other.(ListType[V])
	return ok
}

// String names the element type.
func (t ListType[V]) String() string { return "tf.List[" + TypeOf[V]().String() + "]" }

// ValueFromTerraform reads the value on the wire.
func (t ListType[V]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.plain().ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return List[V]{v.(basetypes.ListValue)}, nil //nolint:forcetypeassert // That is what the plain type returns.
}

// ValueFromList takes a plain list, converting it where its elements have another type of the same shape on the wire.
func (t ListType[V]) ValueFromList(ctx context.Context, in basetypes.ListValue) (basetypes.ListValuable, diag.Diagnostics) {
	switch {
	case in.IsNull():
		return NullList[V](), nil
	case in.IsUnknown():
		return UnknownList[V](), nil
	case TypeOf[V]().Equal(in.ElementType(ctx)):
		return List[V]{in}, nil
	}
	v, err := convert[List[V]](ctx, t, in)
	if err != nil {
		return UnknownList[V](), conversionError(t, err)
	}
	return v, nil
}

func (t ListType[V]) plain() basetypes.ListType { return basetypes.ListType{ElemType: TypeOf[V]()} }

// validateElement runs the element's own validation. Nested objects are left to the framework, which validates
// each of their attributes at its own path.
func validateElement(ctx context.Context, e attr.Value, at path.Path, resp *xattr.ValidateAttributeResponse) {
	if v, ok := e.(xattr.ValidateableAttribute); ok {
		v.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{Path: at}, resp)
	}
}
