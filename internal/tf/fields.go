package tf

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// The framework asks for a context where a value or type only says what it is, which waits for nothing. These two
// answer without one, so that no constructor needs it; they are variables because contextcheck follows functions only.
var (
	typeOfValue = func(v attr.Value) attr.Type { return v.Type(context.Background()) }
	wireTypeOf  = func(t attr.Type) tftypes.Type { return t.TerraformType(context.Background()) }
)

var attrValue = reflect.TypeFor[attr.Value]()

// field is one attribute of a struct: its tfsdk name and where it is, through embedded structs.
type field struct {
	name  string
	index []int
	typ   reflect.Type
}

// fieldsOf lists the attributes of a struct as the framework's own reflection sees them: exported tagged fields,
// and those of structs embedded by value without a tag.
func fieldsOf(t reflect.Type) []field {
	if t.Kind() != reflect.Struct {
		panic(fmt.Sprintf("tf: %s is not a struct, so it has no attributes", t))
	}
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("tfsdk")
		switch {
		case tag == "-", !f.IsExported() && !f.Anonymous:
		case f.Anonymous && !tagged:
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
		case f.Anonymous || tag == "":
			panic(fmt.Sprintf("tf: field %s of %s needs a tfsdk tag, or none if it is embedded", f.Name, t))
		default:
			fields = append(fields, field{name: tag, index: []int{i}, typ: f.Type})
		}
	}
	return fields
}

// shape is what is known of an object from its Go type alone.
type shape struct {
	fields []field
	types  map[string]attr.Type
	object tftypes.Object
}

var shapes sync.Map // reflect.Type -> *shape

// shapeOf panics where a struct cannot be an object: that is a mistake in a model, which the first use of its
// schema brings to light.
func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape) //nolint:forcetypeassert // Only shapes are stored.
	}
	s := &shape{fields: fieldsOf(t), types: map[string]attr.Type{}}
	if len(s.fields) == 0 {
		panic(fmt.Sprintf("tf: %s has no attributes", t))
	}
	wire := map[string]tftypes.Type{}
	for _, f := range s.fields {
		if _, twice := s.types[f.name]; twice {
			panic(fmt.Sprintf("tf: %s has two fields with the tfsdk tag %q", t, f.name))
		}
		typ := typeOf(f.typ)
		s.types[f.name] = typ
		wire[f.name] = wireTypeOf(typ)
	}
	s.object = tftypes.Object{AttributeTypes: wire}
	stored, _ := shapes.LoadOrStore(t, s)
	return stored.(*shape) //nolint:forcetypeassert // Only shapes are stored.
}

func (s *shape) attributeTypes() map[string]attr.Type { return maps.Clone(s.types) }

var typesOf sync.Map // reflect.Type -> attr.Type

// typeOf is the Terraform type of a Go type whose zero value knows it.
func typeOf(t reflect.Type) attr.Type {
	if known, ok := typesOf.Load(t); ok {
		return known.(attr.Type) //nolint:forcetypeassert // Only types are stored.
	}
	typ := askTypeOf(t)
	typesOf.Store(t, typ)
	return typ
}

func askTypeOf(t reflect.Type) attr.Type {
	if t.Kind() == reflect.Interface || !t.Implements(attrValue) {
		panic(fmt.Sprintf("tf: %s is not a Terraform value type; use one of package types or tf", t))
	}
	zero := reflect.Zero(t).Interface().(attr.Value) //nolint:forcetypeassert // Checked above.
	typ := typeOfValue(zero)
	switch c := typ.(type) {
	case attr.TypeWithElementType:
		// The framework stands in a dynamic type for one that was never set, and allows none in collections.
		if wireTypeOf(c.ElementType()).Is(tftypes.DynamicPseudoType) {
			panic(fmt.Sprintf("tf: %s does not say what its elements are; use tf.Map or tf.List", t))
		}
	case attr.TypeWithAttributeTypes:
		if len(c.AttributeTypes()) == 0 {
			panic(fmt.Sprintf("tf: %s does not say what its attributes are; use tf.Object", t))
		}
	}
	return typ
}

// TypeOf is the Terraform type of a value type, taken from its zero value.
func TypeOf[V attr.Value]() attr.Type { return typeOf(reflect.TypeFor[V]()) }
