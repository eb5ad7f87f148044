package tf

import (
	"context"
	"fmt"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Model reads and writes a struct whose fields are the attributes of a schema, as the framework's Get and Set do. The
// framework takes the struct and the schema apart at each call, which for a small resource costs more than its values do;
// here that is done once.
type Model[M any] struct {
	attributes []attribute
	wire       tftypes.Type
}

// attribute is a field of the struct with its type in the schema.
type attribute struct {
	field
	schema attr.Type
	wire   tftypes.Type
	loose  bool // the type on the wire depends on the value, and a zero value has none
}

// ModelOf pairs a struct with the type of its schema. It panics where the two do not match, since no resource could work
// with such a pair.
func ModelOf[M any](ctx context.Context, schemaType attr.Type) *Model[M] {
	t := reflect.TypeFor[M]()
	object, ok := schemaType.(attr.TypeWithAttributeTypes)
	if !ok {
		panic(fmt.Sprintf("tf: the schema of %s is %s, not an object", t, schemaType))
	}
	types := object.AttributeTypes()
	fields := fieldsOf(t)
	if len(fields) != len(types) {
		panic(fmt.Sprintf("tf: %s has %d attributes, its schema %d", t, len(fields), len(types)))
	}
	out := &Model[M]{wire: schemaType.TerraformType(ctx)}
	for _, f := range fields {
		typ, ok := types[f.name]
		if !ok {
			panic(fmt.Sprintf("tf: %s has the attribute %q, which its schema has not", t, f.name))
		}
		if have := reflect.TypeOf(typ.ValueType(ctx)); have != f.typ {
			panic(fmt.Sprintf("tf: attribute %q is a %s in %s and a %s in its schema", f.name, f.typ, t, have))
		}
		a := attribute{field: f, schema: typ, wire: typ.TerraformType(ctx)}
		zero := reflect.Zero(f.typ).Interface().(attr.Value) //nolint:forcetypeassert // It has the type of one.
		a.loose = !zero.Type(ctx).TerraformType(ctx).Equal(a.wire)
		out.attributes = append(out.attributes, a)
	}
	return out
}

// Read fills the struct with a value, each attribute of which it validates.
func (x *Model[M]) Read(ctx context.Context, from tftypes.Value, into *M) diag.Diagnostics {
	var values map[string]tftypes.Value
	if err := from.As(&values); err != nil || values == nil {
		return broken(path.Empty(), fmt.Sprintf("the value of the resource is %s, not an object", from))
	}
	var diags diag.Diagnostics
	var m M
	to := reflect.ValueOf(&m).Elem()
	for _, a := range x.attributes {
		raw, ok := values[a.name]
		if !ok {
			diags.Append(broken(path.Root(a.name), "it is missing")...)
			continue
		}
		v, err := a.schema.ValueFromTerraform(ctx, raw)
		if err != nil {
			diags.Append(broken(path.Root(a.name), err.Error())...)
			continue
		}
		if checked, ok := v.(xattr.ValidateableAttribute); ok {
			resp := xattr.ValidateAttributeResponse{}
			checked.ValidateAttribute(ctx, xattr.ValidateAttributeRequest{Path: path.Root(a.name)}, &resp)
			diags.Append(resp.Diagnostics...)
		}
		field := reflect.ValueOf(v)
		if field.Type() != a.typ {
			diags.Append(broken(path.Root(a.name), fmt.Sprintf("it is a %s, not a %s", field.Type(), a.typ))...)
			continue
		}
		to.FieldByIndex(a.index).Set(field)
	}
	if !diags.HasError() {
		*into = m
	}
	return diags
}

// Write is the struct as a value of its schema.
func (x *Model[M]) Write(ctx context.Context, from *M) (tftypes.Value, diag.Diagnostics) {
	values := make(map[string]tftypes.Value, len(x.attributes))
	m := reflect.ValueOf(from).Elem()
	for _, a := range x.attributes {
		value := m.FieldByIndex(a.index).Interface().(attr.Value) //nolint:forcetypeassert // ModelOf has checked it.
		if a.loose && !value.Type(ctx).TerraformType(ctx).Equal(a.wire) {
			return tftypes.Value{}, broken(path.Root(a.name), "it is a zero value, which has no type")
		}
		v, err := value.ToTerraformValue(ctx)
		if err != nil {
			return tftypes.Value{}, broken(path.Root(a.name), err.Error())
		}
		values[a.name] = v
	}
	return tftypes.NewValue(x.wire, values), nil
}

func broken(at path.Path, why string) diag.Diagnostics {
	return diag.Diagnostics{diag.NewAttributeErrorDiagnostic(at, "Attribute in another form than its schema",
		fmt.Sprintf("An attribute cannot be read or written: %s. This is a mistake in the provider; please report it.", why))}
}
