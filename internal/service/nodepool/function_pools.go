package nodepool

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

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// pooled is the gpu of one pool, under the name that a function's argument gives it.
type pooled struct {
	name  string
	cards cards
}

// plainOf is a Terraform value as Go values: maps, slices, texts, whole numbers, fractions and booleans. known is false where
// some of it is not known yet.
func plainOf(ctx context.Context, v attr.Value) (plain any, known bool, err error) {
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

// poolsOf reads the argument pools: a map or a list of values for the attribute gpu, or of objects that have one. Pools without
// GPUs, and those of the other vendor, are left out, so that all pools of a cluster can be given to both functions.
func poolsOf(argument any, vendor string) ([]pooled, error) {
	named := map[string]any{}
	switch pools := argument.(type) {
	case nil:
	case map[string]any:
		named = pools
	case []any:
		for i, p := range pools {
			named[fmt.Sprintf("%03d", i)] = p
		}
	default:
		return nil, fmt.Errorf("pools must be a map or a list of values for the attribute gpu of node pools, for example { quebec = local.quebec_gpu }")
	}
	var out []pooled
	for _, name := range slices.Sorted(maps.Keys(named)) {
		value := named[name]
		if whole, ok := value.(map[string]any); ok {
			if gpu, has := whole["gpu"]; has {
				value = gpu
			}
		}
		if value == nil {
			continue
		}
		said, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("pools[%q] is no object: each must be the value of the attribute gpu of a node pool, for example { vendor = \"nvidia\", model = \"H200\", per_node = 8 }", name)
		}
		g, err := gpuFrom(said)
		if err != nil {
			return nil, fmt.Errorf("pools[%q]: %w", name, err)
		}
		if c := cardsOf(g); c.vendor == vendor {
			out = append(out, pooled{name, c})
		}
	}
	return out, nil
}

// gpuFrom reads a gpu from plain values, and is as strict as the resource.
func gpuFrom(said map[string]any) (GPU, error) {
	r := reader{said: said}
	g := GPU{Vendor: r.text("vendor"), Model: r.text("model"), PerNode: r.number("per_node"), Runtime: r.text("runtime"), Memory: tf.NullQuantity(), Partitioning: tf.NullObject[Partitioning]()}
	if memory := r.text("memory"); !memory.IsNull() {
		if _, err := tf.ParseQuantity(memory.ValueString()); err != nil {
			return g, fmt.Errorf("memory: %w", err)
		}
		g.Memory = tf.QuantityOf(memory.ValueString())
	}
	if parts := r.object("partitioning"); parts != nil {
		p := reader{said: parts}
		g.Partitioning = tf.ObjectOf(Partitioning{Mode: p.text("mode"), Profile: p.text("profile"), Strategy: p.text("strategy"), Config: p.text("config"), Replicas: p.number("replicas")})
		if err := p.done("partitioning"); err != nil {
			return g, err
		}
	}
	if err := r.done("gpu"); err != nil {
		return g, err
	}
	if v := g.Vendor.ValueString(); v != vendorNVIDIA && v != vendorAMD {
		return g, fmt.Errorf("vendor is %q; it must be nvidia or amd", v)
	}
	return g, nil
}

// reader takes attributes from an object of plain values, and remembers which, and what was wrong with them.
type reader struct {
	said  map[string]any
	asked []string
	wrong error
}

func (r *reader) take(name, wanted string, fits func(any) bool) any {
	r.asked = append(r.asked, name)
	v := r.said[name]
	if v != nil && !fits(v) && r.wrong == nil {
		r.wrong = fmt.Errorf("%s must be %s", name, wanted)
	}
	return v
}

func (r *reader) text(name string) types.String {
	v, ok := r.take(name, "a string", func(v any) bool { _, ok := v.(string); return ok }).(string)
	if !ok {
		return types.StringNull()
	}
	return types.StringValue(v)
}

func (r *reader) number(name string) types.Int64 {
	v, ok := r.take(name, "a whole number", func(v any) bool { _, ok := v.(int64); return ok }).(int64)
	if !ok {
		return types.Int64Null()
	}
	return types.Int64Value(v)
}

func (r *reader) truth(name string, otherwise bool) bool {
	v, ok := r.take(name, "true or false", func(v any) bool { _, ok := v.(bool); return ok }).(bool)
	if !ok {
		return otherwise
	}
	return v
}

func (r *reader) object(name string) map[string]any {
	v, _ := r.take(name, "an object", func(v any) bool { _, ok := v.(map[string]any); return ok }).(map[string]any)
	return v
}

// done is what was wrong: a value of another type, or an attribute that nobody asked for.
func (r *reader) done(what string) error {
	if r.wrong != nil {
		return r.wrong
	}
	for _, name := range slices.Sorted(maps.Keys(r.said)) {
		if !slices.Contains(r.asked, name) {
			slices.Sort(r.asked)
			return fmt.Errorf("%s has no attribute %q; it has %s", what, name, strings.Join(r.asked, ", "))
		}
	}
	return nil
}
