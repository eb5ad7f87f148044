package tf

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Plain is a Terraform value of any type as Go values: maps, slices, texts, whole numbers, fractions and booleans. known is
// false where some of it is not known yet.
func Plain(ctx context.Context, v attr.Value) (plain any, known bool, err error) {
	raw, err := v.ToTerraformValue(ctx)
	if err != nil || !raw.IsFullyKnown() {
		return nil, false, err
	}
	plain, err = plainValue(raw)
	return plain, true, err
}

func plainValue(v tftypes.Value) (any, error) {
	if v.IsNull() {
		return nil, nil
	}
	t := v.Type()
	switch {
	case t.Is(tftypes.String):
		var s string
		err := v.As(&s)
		return s, err
	case t.Is(tftypes.Bool):
		var b bool
		err := v.As(&b)
		return b, err
	case t.Is(tftypes.Number):
		return plainNumber(v)
	case t.Is(tftypes.Object{}), t.Is(tftypes.Map{}):
		var members map[string]tftypes.Value
		if err := v.As(&members); err != nil {
			return nil, err
		}
		out := map[string]any{}
		for k, m := range members {
			plain, err := plainValue(m)
			if err != nil {
				return nil, err
			}
			out[k] = plain
		}
		return out, nil
	}
	var elements []tftypes.Value
	if err := v.As(&elements); err != nil {
		return nil, err
	}
	out := []any{}
	for _, e := range elements {
		plain, err := plainValue(e)
		if err != nil {
			return nil, err
		}
		out = append(out, plain)
	}
	return out, nil
}

func plainNumber(v tftypes.Value) (any, error) {
	var n big.Float
	if err := v.As(&n); err != nil {
		return nil, err
	}
	if i, exact := n.Int64(); exact == big.Exact {
		return i, nil
	}
	f, _ := n.Float64()
	if math.IsInf(f, 0) {
		return nil, fmt.Errorf("the number %s is too large", n.Text('g', 10))
	}
	return f, nil
}

// Reader takes attributes from an object of plain values, and remembers which, and what was wrong with them.
type Reader struct {
	Said  map[string]any
	asked []string
	wrong error
}

func (r *Reader) take(name, wanted string, fits func(any) bool) any {
	r.asked = append(r.asked, name)
	v := r.Said[name]
	if v != nil && !fits(v) && r.wrong == nil {
		r.wrong = fmt.Errorf("%s must be %s", name, wanted)
	}
	return v
}

// Text reads a string; null where it is left out.
func (r *Reader) Text(name string) types.String {
	v, ok := r.take(name, "a string", func(v any) bool { _, ok := v.(string); return ok }).(string)
	if !ok {
		return types.StringNull()
	}
	return types.StringValue(v)
}

// Number reads a whole number; null where it is left out.
func (r *Reader) Number(name string) types.Int64 {
	v, ok := r.take(name, "a whole number", func(v any) bool { _, ok := v.(int64); return ok }).(int64)
	if !ok {
		return types.Int64Null()
	}
	return types.Int64Value(v)
}

// Fraction reads a number; null where it is left out.
func (r *Reader) Fraction(name string) types.Float64 {
	switch v := r.take(name, "a number", func(v any) bool {
		switch v.(type) {
		case int64, float64:
			return true
		}
		return false
	}).(type) {
	case int64:
		return types.Float64Value(float64(v))
	case float64:
		return types.Float64Value(v)
	}
	return types.Float64Null()
}

// Truth reads true or false.
func (r *Reader) Truth(name string, otherwise bool) bool {
	v, ok := r.take(name, "true or false", func(v any) bool { _, ok := v.(bool); return ok }).(bool)
	if !ok {
		return otherwise
	}
	return v
}

// Has tells whether an attribute is given.
func (r *Reader) Has(name string) bool { return r.Said[name] != nil }

// Texts reads a list of strings; nil where it is left out.
func (r *Reader) Texts(name string) []string {
	list, _ := r.take(name, "a list of strings", func(v any) bool {
		list, ok := v.([]any)
		return ok && !slices.ContainsFunc(list, func(e any) bool { _, text := e.(string); return !text })
	}).([]any)
	var out []string
	for _, e := range list {
		text, _ := e.(string)
		out = append(out, text)
	}
	return out
}

// Object reads an object; nil where it is left out.
func (r *Reader) Object(name string) map[string]any {
	v, _ := r.take(name, "an object", func(v any) bool { _, ok := v.(map[string]any); return ok }).(map[string]any)
	return v
}

// Done is what was wrong: a value of another type, or an attribute that nobody asked for.
func (r *Reader) Done(what string) error {
	if r.wrong != nil {
		return r.wrong
	}
	for _, name := range slices.Sorted(maps.Keys(r.Said)) {
		if !slices.Contains(r.asked, name) {
			slices.Sort(r.asked)
			return fmt.Errorf("%s has no attribute %q; it has %s", what, name, strings.Join(r.asked, ", "))
		}
	}
	return nil
}
