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
	for _, a := range ModelOf[M](ctx, schemaType).attributes {
		null, err := a.schema.ValueFromTerraform(ctx, tftypes.NewValue(a.wire, nil))
		if err != nil {
			panic(fmt.Sprintf("tf: attribute %q of %s cannot be null: %s", a.name, into.Type(), err))
		}
		into.FieldByIndex(a.index).Set(reflect.ValueOf(null))
	}
	return m
}
