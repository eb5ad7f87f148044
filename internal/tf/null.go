package tf

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// NullOf is a model with every attribute a typed null, which a zero model is not where it holds plain
// collections or timeouts. schemaType is the type of the schema that the model belongs to; NullOf panics where
// the two do not match, since no resource could work with such a pair.
func NullOf[M any](ctx context.Context, schemaType attr.Type) M {
	var m M
	into := reflect.ValueOf(&m).Elem()
	object, ok := schemaType.(attr.TypeWithAttributeTypes)
	if !ok {
		panic(fmt.Sprintf("tf: the schema of %s is %s, not an object", into.Type(), schemaType))
	}
	types := object.AttributeTypes()
	fields := fieldsOf(into.Type())
	if len(fields) != len(types) {
		panic(fmt.Sprintf("tf: %s has %d attributes, its schema %d", into.Type(), len(fields), len(types)))
	}
	for _, f := range fields {
		typ, ok := types[f.name]
		if !ok {
			panic(fmt.Sprintf("tf: %s has the attribute %q, which its schema has not", into.Type(), f.name))
		}
		null, err := typ.ValueFromTerraform(ctx, tftypes.NewValue(typ.TerraformType(ctx), nil))
		if err != nil {
			panic(fmt.Sprintf("tf: attribute %q of %s cannot be null: %s", f.name, into.Type(), err))
		}
		if v := reflect.ValueOf(null); v.Type().AssignableTo(f.typ) {
			into.FieldByIndex(f.index).Set(v)
		} else {
			panic(fmt.Sprintf("tf: attribute %q is a %s in %s and a %s in its schema", f.name, f.typ, into.Type(), v.Type()))
		}
	}
	return m
}
