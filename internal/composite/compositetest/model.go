package compositetest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Unknown is how a configuration of a test spells a value that is not known yet.
const Unknown = "(not known yet)"

// Model reads the configuration of a resource from YAML. What it leaves out is null.
func Model[M any](t TB, kind composite.Kind[M], config string) M {
	t.Helper()
	m, err := read(kind, config)
	if err != nil {
		t.Fatalf("%s: %v in\n%s", kind.Name, err, config)
	}
	return m
}

func read[M any](kind composite.Kind[M], config string) (M, error) {
	ctx := context.Background()
	var m M
	wire, err := yaml.YAMLToJSONStrict([]byte(config))
	if err != nil {
		return m, err
	}
	var in any
	if err := json.Unmarshal(wire, &in); err != nil {
		return m, err
	}
	schema := composite.FullSchema(ctx, kind)
	raw, err := value(schema.Type().TerraformType(ctx), in)
	if err != nil {
		return m, err
	}
	if diags := (&tfsdk.State{Schema: schema, Raw: raw}).Get(ctx, &m); diags.HasError() {
		return m, fmt.Errorf("%v", diags)
	}
	return m, nil
}

// value is what Terraform makes of a value in a configuration.
func value(of tftypes.Type, in any) (tftypes.Value, error) {
	switch in {
	case nil:
		return tftypes.NewValue(of, nil), nil
	case Unknown:
		return tftypes.NewValue(of, tftypes.UnknownValue), nil
	}
	switch of := of.(type) {
	case tftypes.Object:
		return object(of, in)
	case tftypes.Map:
		return mapping(of, in)
	case tftypes.List:
		items, ok := in.([]any)
		if !ok {
			return tftypes.Value{}, fmt.Errorf("%v is no list", in)
		}
		out := make([]tftypes.Value, 0, len(items))
		for _, item := range items {
			v, err := value(of.ElementType, item)
			if err != nil {
				return v, err
			}
			out = append(out, v)
		}
		return tftypes.NewValue(of, out), nil
	}
	return scalar(of, in)
}

func object(of tftypes.Object, in any) (tftypes.Value, error) {
	entries, ok := in.(map[string]any)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("%v is no object", in)
	}
	out := map[string]tftypes.Value{}
	for name, t := range of.AttributeTypes {
		v, err := value(t, entries[name])
		if err != nil {
			return v, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = v
	}
	for name := range entries {
		if _, known := of.AttributeTypes[name]; !known {
			return tftypes.Value{}, fmt.Errorf("there is no attribute %s", name)
		}
	}
	return tftypes.NewValue(of, out), nil
}

func mapping(of tftypes.Map, in any) (tftypes.Value, error) {
	entries, ok := in.(map[string]any)
	if !ok {
		return tftypes.Value{}, fmt.Errorf("%v is no map", in)
	}
	out := map[string]tftypes.Value{}
	for name, entry := range entries {
		v, err := value(of.ElementType, entry)
		if err != nil {
			return v, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = v
	}
	return tftypes.NewValue(of, out), nil
}

func scalar(of tftypes.Type, in any) (tftypes.Value, error) {
	switch in := in.(type) {
	case float64:
		if of.Is(tftypes.Number) {
			return tftypes.NewValue(of, big.NewFloat(in)), nil
		}
		if of.Is(tftypes.String) {
			return tftypes.NewValue(of, strconv.FormatFloat(in, 'f', -1, 64)), nil
		}
	case bool:
		if of.Is(tftypes.Bool) {
			return tftypes.NewValue(of, in), nil
		}
	case string:
		if of.Is(tftypes.String) {
			return tftypes.NewValue(of, in), nil
		}
	}
	if of.Is(tftypes.DynamicPseudoType) {
		return literal(in), nil
	}
	return tftypes.Value{}, fmt.Errorf("%v (%T) is not a value of %s", in, in, of)
}

// literal is what Terraform makes of a literal where any type is allowed.
func literal(in any) tftypes.Value {
	switch in := in.(type) {
	case map[string]any:
		types, values := map[string]tftypes.Type{}, map[string]tftypes.Value{}
		for name, v := range in {
			values[name] = literal(v)
			types[name] = values[name].Type()
		}
		return tftypes.NewValue(tftypes.Object{AttributeTypes: types}, values)
	case []any:
		types, values := make([]tftypes.Type, 0, len(in)), make([]tftypes.Value, 0, len(in))
		for _, v := range in {
			values = append(values, literal(v))
			types = append(types, values[len(values)-1].Type())
		}
		return tftypes.NewValue(tftypes.Tuple{ElementTypes: types}, values)
	case float64:
		return tftypes.NewValue(tftypes.Number, big.NewFloat(in))
	case bool:
		return tftypes.NewValue(tftypes.Bool, in)
	case string:
		if in == Unknown {
			return tftypes.NewValue(tftypes.DynamicPseudoType, tftypes.UnknownValue)
		}
		return tftypes.NewValue(tftypes.String, in)
	default:
		return tftypes.NewValue(tftypes.DynamicPseudoType, nil)
	}
}

// Changed lists the attributes in which two models differ, as deep as objects and maps go.
func Changed[M any](t TB, kind composite.Kind[M], was, now M) []string {
	t.Helper()
	a, b := Raw(t, kind, was), Raw(t, kind, now)
	var out []string
	changed("", a, b, &out)
	slices.Sort(out)
	return out
}

// Raw is a model as it is on the wire.
func Raw[M any](t TB, kind composite.Kind[M], m M) tftypes.Value {
	t.Helper()
	ctx := context.Background()
	s := tfsdk.State{Schema: composite.FullSchema(ctx, kind)}
	if diags := s.Set(ctx, &m); diags.HasError() {
		t.Fatalf("%v", diags)
	}
	return s.Raw
}

// FromRaw is the model of a value on the wire.
func FromRaw[M any](t TB, kind composite.Kind[M], value tftypes.Value) M {
	t.Helper()
	ctx := context.Background()
	var m M
	if diags := (&tfsdk.State{Schema: composite.FullSchema(ctx, kind), Raw: value}).Get(ctx, &m); diags.HasError() {
		t.Fatalf("%v", diags)
	}
	return m
}

func changed(at string, was, now tftypes.Value, out *[]string) {
	if was.Equal(now) {
		return
	}
	var a, b map[string]tftypes.Value
	deep := was.IsKnown() && now.IsKnown() && !was.IsNull() && !now.IsNull() && (was.Type().Is(tftypes.Object{}) || was.Type().Is(tftypes.Map{})) && was.Type().Equal(now.Type())
	if !deep || was.As(&a) != nil || now.As(&b) != nil {
		*out = append(*out, strings.TrimPrefix(at, "."))
		return
	}
	isMap := was.Type().Is(tftypes.Map{})
	for name := range maps.Keys(union(a, b)) {
		step := "." + name
		if isMap {
			step = "[" + name + "]"
		}
		x, inA := a[name]
		y, inB := b[name]
		if inA && inB {
			changed(at+step, x, y, out)
		} else {
			*out = append(*out, strings.TrimPrefix(at+step, "."))
		}
	}
}

func union(a, b map[string]tftypes.Value) map[string]tftypes.Value {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}
