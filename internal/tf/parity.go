package tf

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

// Parity lists where a resource's schema and its model M are not the same, one line for each; none if they are. The
// framework finds these only when a value comes by, and inside nested attributes with custom types in no good words.
func Parity[M any](ctx context.Context, attributes map[string]schema.Attribute) []string {
	var wrong []string
	types := map[string]attr.Type{}
	for _, f := range fieldsOf(reflect.TypeFor[M]()) {
		types[f.name] = nil
		a, ok := attributes[f.name]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s: the model has it, the schema has not", f.name))
			continue
		}
		if value := fmt.Sprintf("%T", a.GetType().ValueType(ctx)); value != f.typ.String() {
			wrong = append(wrong, fmt.Sprintf("%s: the model has a %s, the schema a %s", f.name, f.typ, value))
		}
		types[f.name] = a.GetType()
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if _, ok := types[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: the schema has it, the model has not", name))
			continue
		}
		if nested, ok := attributes[name].(schema.NestedAttribute); ok {
			wrong = append(wrong, nestedParity(name, objectIn(attributes[name].GetType()), nested)...)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// objectIn is the object type of a nested attribute, within its map or list.
func objectIn(t attr.Type) attr.TypeWithAttributeTypes {
	if c, ok := t.(attr.TypeWithElementType); ok {
		t = c.ElementType()
	}
	object, _ := t.(attr.TypeWithAttributeTypes)
	return object
}

// nestedParity compares the type that a nested attribute claims with the attributes that it lists.
func nestedParity(at string, object attr.TypeWithAttributeTypes, nested schema.NestedAttribute) []string {
	if object == nil {
		return []string{at + ": a nested attribute that is no object"}
	}
	var wrong []string
	if own := nested.GetNestedObject().Type(); !own.Equal(object) {
		wrong = append(wrong, fmt.Sprintf("%s: its elements are %s, and its nested object is %s: give both the same CustomType", at, object, own))
	}
	types, attributes := object.AttributeTypes(), nested.GetNestedObject().GetAttributes()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		a, ok := attributes[name]
		if !ok {
			wrong = append(wrong, fmt.Sprintf("%s.%s: the model has it, the schema has not", at, name))
		} else if !types[name].Equal(a.GetType()) {
			wrong = append(wrong, fmt.Sprintf("%s.%s: the model has %s, the schema %s", at, name, types[name], a.GetType()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		if _, ok := types[name]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s.%s: the schema has it, the model has not", at, name))
		} else if inner, ok := a.(schema.NestedAttribute); ok {
			wrong = append(wrong, nestedParity(at+"."+name, objectIn(a.GetType()), inner)...)
		}
	}
	return wrong
}
