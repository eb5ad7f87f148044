package tf

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Object is an object whose attributes are the fields of T, a struct of value types with tfsdk tags (structs
// embedded by value without a tag count as their fields). The zero Object is null.
type Object[T any] struct{ basetypes.ObjectValue }

// ObjectOf is the known object with the fields of v, each of which may itself be null or unknown.
func ObjectOf[T any](v T) Object[T] {
	s := shapeOf(reflect.TypeFor[T]())
	from := reflect.ValueOf(v)
	attributes := make(map[string]attr.Value, len(s.fields))
	for _, f := range s.fields {
		attributes[f.name] = from.FieldByIndex(f.index).Interface().(attr.Value) //nolint:forcetypeassert // shapeOf has checked it.
	}
	return Object[T]{basetypes.NewObjectValueMust(s.types, attributes)}
}

// NullObject is the object that is not set.
func NullObject[T any]() Object[T] {
	return Object[T]{basetypes.NewObjectNull(shapeOf(reflect.TypeFor[T]()).types)}
}

// UnknownObject is the object of which not even the presence is known yet.
func UnknownObject[T any]() Object[T] {
	return Object[T]{basetypes.NewObjectUnknown(shapeOf(reflect.TypeFor[T]()).types)}
}

// Get returns the fields, or false when the object is null or unknown. Fields may be unknown.
func (o Object[T]) Get() (T, bool) {
	var v T
	if o.IsNull() || o.IsUnknown() {
		return v, false
	}
	into := reflect.ValueOf(&v).Elem()
	attributes := o.Attributes()
	for _, f := range shapeOf(into.Type()).fields {
		if a := reflect.ValueOf(attributes[f.name]); a.IsValid() && a.Type() == f.typ {
			into.FieldByIndex(f.index).Set(a)
		}
	}
	return v, true
}

// base is the value with its types, which the zero Object lacks.
func (o Object[T]) base() basetypes.ObjectValue {
	if o.IsNull() {
		return NullObject[T]().ObjectValue
	}
	return o.ObjectValue
}

// Type is ObjectType[T].
func (o Object[T]) Type(context.Context) attr.Type { return ObjectType[T]{} }

// AttributeTypes has the types of the fields of T, whatever the state of the value.
func (o Object[T]) AttributeTypes(context.Context) map[string]attr.Type {
	return ObjectType[T]{}.AttributeTypes()
}

// ToObjectValue gives the framework the plain object.
func (o Object[T]) ToObjectValue(context.Context) (basetypes.ObjectValue, diag.Diagnostics) {
	return o.base(), nil
}

// ToTerraformValue is the value on the wire.
func (o Object[T]) ToTerraformValue(ctx context.Context) (tftypes.Value, error) {
	return o.base().ToTerraformValue(ctx)
}

// Equal compares state and fields exactly, in the user's spelling.
func (o Object[T]) Equal(other attr.Value) bool {
	that, ok := other.(Object[T])
	return ok && o.ObjectValue.Equal(that.ObjectValue)
}

// ObjectType is the type of Object[T], complete as its zero value.
type ObjectType[T any] struct{}

// ObjectTypeOf is the CustomType of a single nested attribute and of the nested object of a map or list.
// It panics where T is not a struct of value types, when the schema is first built.
func ObjectTypeOf[T any]() ObjectType[T] {
	shapeOf(reflect.TypeFor[T]())
	return ObjectType[T]{}
}

// TerraformType is the object type on the wire.
func (t ObjectType[T]) TerraformType(context.Context) tftypes.Type {
	return shapeOf(reflect.TypeFor[T]()).object
}

// ValueType tells the framework which Go type to expect.
func (t ObjectType[T]) ValueType(context.Context) attr.Value { return NullObject[T]() }

// AttributeTypes are the types of the fields of T.
func (t ObjectType[T]) AttributeTypes() map[string]attr.Type {
	return shapeOf(reflect.TypeFor[T]()).attributeTypes()
}

// WithAttributeTypes returns a plain object type, since the fields of T are fixed.
func (t ObjectType[T]) WithAttributeTypes(types map[string]attr.Type) attr.TypeWithAttributeTypes {
	return basetypes.ObjectType{AttrTypes: types}
}

// ApplyTerraform5AttributePathStep finds the type of one attribute.
func (t ObjectType[T]) ApplyTerraform5AttributePathStep(step tftypes.AttributePathStep) (any, error) {
	return t.plain().ApplyTerraform5AttributePathStep(step)
}

// Equal is true for the same T only.
func (t ObjectType[T]) Equal(other attr.Type) bool {
	_, ok := other.(ObjectType[T])
	return ok
}

// String names the Go type of the fields.
func (t ObjectType[T]) String() string { return fmt.Sprintf("tf.Object[%s]", reflect.TypeFor[T]()) }

// ValueFromTerraform reads the value on the wire.
func (t ObjectType[T]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.plain().ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return Object[T]{v.(basetypes.ObjectValue)}, nil //nolint:forcetypeassert // That is what the plain type returns.
}

// ValueFromObject takes a plain object, converting it where its types are others of the same shape on the wire
// (a default written with plain types, for one).
func (t ObjectType[T]) ValueFromObject(ctx context.Context, in basetypes.ObjectValue) (basetypes.ObjectValuable, diag.Diagnostics) {
	switch {
	case in.IsNull():
		return NullObject[T](), nil
	case in.IsUnknown():
		return UnknownObject[T](), nil
	case t.plain().Equal(in.Type(ctx)):
		return Object[T]{in}, nil
	}
	v, err := convert[Object[T]](ctx, t, in)
	if err != nil {
		return UnknownObject[T](), conversionError(t, err)
	}
	return v, nil
}

func (t ObjectType[T]) plain() basetypes.ObjectType {
	return basetypes.ObjectType{AttrTypes: shapeOf(reflect.TypeFor[T]()).types}
}

// convert reads a value of one type as another by way of its form on the wire.
func convert[V attr.Value](ctx context.Context, t attr.Type, in attr.Value) (V, error) {
	var none V
	wire, err := in.ToTerraformValue(ctx)
	if err != nil {
		return none, err
	}
	out, err := t.ValueFromTerraform(ctx, wire)
	if err != nil {
		return none, err
	}
	v, ok := out.(V)
	if !ok {
		return none, fmt.Errorf("%s made a %T", t, out)
	}
	return v, nil
}

func conversionError(t attr.Type, err error) diag.Diagnostics {
	return diag.Diagnostics{diag.NewErrorDiagnostic("Value of another type",
		fmt.Sprintf("A value cannot be read as %s: %s. This is a mistake in the provider; please report it.", t, err))}
}
