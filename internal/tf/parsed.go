package tf

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Format says how a text is read and when two readings mean the same. Its zero value must work.
type Format[P any] interface {
	// Name is the word for messages, such as "quantity".
	Name() string
	// Parse reads a text; its error says what is wrong, what is allowed, and gives an example.
	Parse(text string) (P, error)
	// Same compares by meaning.
	Same(a, b P) bool
}

// Parsed is a string in the user's spelling that is validated and compared by what it means.
type Parsed[P any, F Format[P]] struct{ basetypes.StringValue }

// Get returns the meaning, or false when the value is null, unknown or not valid.
func (v Parsed[P, F]) Get() (P, bool) {
	var none P
	if v.IsNull() || v.IsUnknown() {
		return none, false
	}
	var f F
	p, err := f.Parse(v.ValueString())
	if err != nil {
		return none, false
	}
	return p, true
}

// Type is ParsedType with the same format.
func (v Parsed[P, F]) Type(context.Context) attr.Type { return ParsedType[P, F]{} }

// Equal compares state and spelling exactly; SameAs compares by meaning.
func (v Parsed[P, F]) Equal(other attr.Value) bool {
	that, ok := other.(Parsed[P, F])
	return ok && v.StringValue.Equal(that.StringValue)
}

// SameAs is true for two values of one state and one meaning, however they are spelled.
func (v Parsed[P, F]) SameAs(that Parsed[P, F]) bool {
	a, okA := v.Get()
	b, okB := that.Get()
	if !okA || !okB {
		return v.Equal(that)
	}
	var f F
	return f.Same(a, b)
}

// StringSemanticEquals lets the framework keep the prior spelling of an equal value.
func (v Parsed[P, F]) StringSemanticEquals(_ context.Context, other basetypes.StringValuable) (bool, diag.Diagnostics) {
	that, ok := other.(Parsed[P, F])
	return ok && v.SameAs(that), nil
}

// ValidateAttribute refuses a text that cannot be read.
func (v Parsed[P, F]) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if err := v.check(); err != nil {
		var f F
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid "+f.Name(), err.Error()+".")
	}
}

// ValidateParameter does the same for an argument of a function.
func (v Parsed[P, F]) ValidateParameter(_ context.Context, req function.ValidateParameterRequest, resp *function.ValidateParameterResponse) {
	if err := v.check(); err != nil {
		resp.Error = function.NewArgumentFuncError(req.Position, err.Error()+".")
	}
}

func (v Parsed[P, F]) check() error {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	var f F
	_, err := f.Parse(v.ValueString())
	return err
}

// ParsedType is the type of Parsed, complete as its zero value.
type ParsedType[P any, F Format[P]] struct{ basetypes.StringType }

// Equal is true for the same format only.
func (t ParsedType[P, F]) Equal(other attr.Type) bool {
	_, ok := other.(ParsedType[P, F])
	return ok
}

// String names the format.
func (t ParsedType[P, F]) String() string {
	var f F
	return fmt.Sprintf("tf.Parsed[%s]", f.Name())
}

// ValueType tells the framework which Go type to expect.
func (t ParsedType[P, F]) ValueType(context.Context) attr.Value { return Parsed[P, F]{} }

// ValueFromString takes the framework's plain string.
func (t ParsedType[P, F]) ValueFromString(_ context.Context, in basetypes.StringValue) (basetypes.StringValuable, diag.Diagnostics) {
	return Parsed[P, F]{in}, nil
}

// ValueFromTerraform reads the value on the wire.
func (t ParsedType[P, F]) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.StringType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return Parsed[P, F]{v.(basetypes.StringValue)}, nil //nolint:forcetypeassert // That is what the plain type returns.
}
