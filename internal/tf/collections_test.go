package tf

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"pgregory.net/rapid"
)

// wireValue draws any value of a type that Terraform can send, with null and unknown anywhere.
func wireValue(t *rapid.T, typ tftypes.Type, name string) tftypes.Value {
	switch rapid.IntRange(0, 7).Draw(t, name+" state") {
	case 0:
		return tftypes.NewValue(typ, nil)
	case 1:
		return tftypes.NewValue(typ, tftypes.UnknownValue)
	}
	return knownWireValue(t, typ, name)
}

func knownWireValue(t *rapid.T, typ tftypes.Type, name string) tftypes.Value {
	switch c := typ.(type) {
	case tftypes.Object:
		values := map[string]tftypes.Value{}
		for _, k := range slices.Sorted(maps.Keys(c.AttributeTypes)) {
			values[k] = wireValue(t, c.AttributeTypes[k], name+"."+k)
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Map:
		values := map[string]tftypes.Value{}
		for _, k := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,3}`), 0, 2, rapid.ID).Draw(t, name+" keys") {
			values[k] = wireValue(t, c.ElementType, name+"."+k)
		}
		return tftypes.NewValue(typ, values)
	case tftypes.Tuple:
		values := make([]tftypes.Value, len(c.ElementTypes))
		for i, e := range c.ElementTypes {
			values[i] = wireValue(t, e, name+"[]")
		}
		return tftypes.NewValue(typ, values)
	case tftypes.List:
		values := make([]tftypes.Value, rapid.IntRange(0, 2).Draw(t, name+" length"))
		for i := range values {
			values[i] = wireValue(t, c.ElementType, name+"[]")
		}
		return tftypes.NewValue(typ, values)
	}
	last := name[strings.LastIndex(name, ".")+1:]
	switch {
	case typ.Is(tftypes.Bool):
		return tftypes.NewValue(typ, rapid.Bool().Draw(t, name))
	case typ.Is(tftypes.Number):
		return tftypes.NewValue(typ, big.NewFloat(float64(rapid.IntRange(1, 65535).Draw(t, name))))
	case typ.Is(tftypes.DynamicPseudoType):
		if rapid.Bool().Draw(t, name+" text") {
			return tftypes.NewValue(tftypes.String, rapid.SampledFrom(goodManifests).Draw(t, name))
		}
		return dynamicObject(t, name)
	}
	texts := []string{"a", "", "é"}
	switch {
	case last == "version":
		texts = []string{"1.35.4", "v1.35.4+k0s.0", "v1.35.4-k0s.1"}
	case last == "timeout":
		texts = []string{"90m", "1h30m", "0"}
	case last == "cpu", last == "memory", strings.Contains(name, "sizes"), strings.Contains(name, "shares"):
		texts = []string{"1", "1000m", "64Gi", "0"}
	case strings.Contains(name, "ranges"):
		texts = []string{"10.0.0.0/8", "fd00::/8"}
	case last == "options":
		texts = []string{"{}", `{"a": 1}`}
	}
	return tftypes.NewValue(tftypes.String, rapid.SampledFrom(texts).Draw(t, name))
}

func dynamicObject(t *rapid.T, name string) tftypes.Value {
	spec := wireValue(t, tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"replicas": tftypes.Number,
		"args":     tftypes.Tuple{ElementTypes: []tftypes.Type{tftypes.String, tftypes.Bool}},
		"flags":    tftypes.Map{ElementType: tftypes.Bool},
		"inner":    tftypes.Object{AttributeTypes: map[string]tftypes.Type{"text": tftypes.String}},
	}}, name)
	meta := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}
	return tftypes.NewValue(tftypes.Object{AttributeTypes: map[string]tftypes.Type{
		"apiVersion": tftypes.String, "kind": tftypes.String, "metadata": meta, "spec": spec.Type(),
	}}, map[string]tftypes.Value{
		"apiVersion": tftypes.NewValue(tftypes.String, "v1"),
		"kind":       tftypes.NewValue(tftypes.String, "ConfigMap"),
		"metadata":   tftypes.NewValue(meta, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, "x")}),
		"spec":       spec,
	})
}

func TestModelsComeBackFromStateAsTheyWentIn(t *testing.T) {
	ctx := t.Context()
	s := poolSchema()
	wire := s.Type().TerraformType(ctx)
	rapid.Check(t, func(t *rapid.T) {
		raw := knownWireValue(t, wire, "pool")
		in := tfsdk.State{Schema: s, Raw: raw}
		var model pool
		if diags := in.Get(ctx, &model); diags.HasError() {
			t.Fatalf("reading %s: %v", raw, diags)
		}
		out := tfsdk.State{Schema: s, Raw: tftypes.NewValue(wire, nil)}
		if diags := out.Set(ctx, model); diags.HasError() {
			t.Fatalf("writing %+v: %v", model, diags)
		}
		if !out.Raw.Equal(raw) {
			t.Fatalf("state changed on the way:\n%s\n%s", raw, out.Raw)
		}
		// Taking every nested object and collection apart and putting it together again changes nothing either.
		if diags := out.Set(ctx, rebuild(model)); diags.HasError() {
			t.Fatalf("writing the rebuilt model: %v", diags)
		}
		if !out.Raw.Equal(raw) {
			t.Fatalf("rebuilding changed the state:\n%s\n%s", raw, out.Raw)
		}
		again := rebuild(model)
		if !again.Hosts.Equal(model.Hosts) || !model.Hosts.Equal(again.Hosts) || !again.Drain.Equal(model.Drain) || !again.Order.Equal(model.Order) {
			t.Fatal("the rebuilt model is not equal")
		}
		if model.Hosts.String() != again.Hosts.String() {
			t.Fatal("the rebuilt model prints differently")
		}
	})
}

func rebuild(m pool) pool {
	if !m.Hosts.IsNull() && !m.Hosts.IsUnknown() {
		hosts := map[string]Object[host]{}
		for k, h := range m.Hosts.Known() {
			hosts[k] = rebuildHost(h)
		}
		m.Hosts = MapOf(hosts)
	}
	if !m.Order.IsNull() && !m.Order.IsUnknown() {
		var order []Object[host]
		for _, h := range m.Order.Known() {
			order = append(order, rebuildHost(h))
		}
		m.Order = ListOf(order...)
	}
	if d, ok := m.Drain.Get(); ok {
		m.Drain = ObjectOf(d)
	}
	return m
}

func rebuildHost(h Object[host]) Object[host] {
	v, ok := h.Get()
	switch {
	case ok:
		return ObjectOf(v)
	case h.IsNull():
		return NullObject[host]()
	}
	return UnknownObject[host]()
}

func TestEmptyNullAndUnknownAreKeptApart(t *testing.T) {
	ctx := t.Context()
	values := map[string][]attr.Value{
		"maps":       {EmptyMap[Quantity](), NullMap[Quantity](), UnknownMap[Quantity](), MapOf(map[string]Quantity{"a": UnknownQuantity()}), MapOf(map[string]Quantity{"a": NullQuantity()})},
		"lists":      {ListOf[Quantity](), NullList[Quantity](), UnknownList[Quantity](), ListOf(UnknownQuantity()), ListOf(NullQuantity())},
		"objects":    {ObjectOf(drain{}), NullObject[drain](), UnknownObject[drain](), ObjectOf(drain{Timeout: UnknownDuration()})},
		"quantities": {QuantityOf(""), NullQuantity(), UnknownQuantity()},
		"manifests":  {ManifestText(""), NullManifest(), UnknownManifest()},
	}
	for name, list := range values {
		t.Run(name, func(t *testing.T) {
			for i, a := range list {
				for j, b := range list {
					if a.Equal(b) != (i == j) {
						t.Errorf("Equal(%s, %s) = %t", a, b, a.Equal(b))
					}
				}
				if a.Equal(nil) || a.Equal(types.BoolNull()) {
					t.Errorf("%s equals another type", a)
				}
				wire, err := a.ToTerraformValue(ctx)
				if err != nil {
					t.Fatal(err)
				}
				back, err := a.Type(ctx).ValueFromTerraform(ctx, wire)
				if err != nil || !back.Equal(a) || !a.Equal(back) {
					t.Errorf("%s came back as %v (%v)", a, back, err)
				}
			}
		})
	}
}

func TestZeroValuesAreTypedNulls(t *testing.T) {
	ctx := t.Context()
	for _, pair := range [][2]attr.Value{
		{Map[Object[host]]{}, NullMap[Object[host]]()},
		{List[Quantity]{}, NullList[Quantity]()},
		{Object[host]{}, NullObject[host]()},
	} {
		zero, null := pair[0], pair[1]
		if !zero.Equal(null) || !null.Equal(zero) || !zero.IsNull() || zero.String() != "<null>" {
			t.Errorf("the zero %T is not its null", zero)
		}
		a, errA := zero.ToTerraformValue(ctx)
		b, errB := null.ToTerraformValue(ctx)
		if errA != nil || errB != nil || !a.Equal(b) {
			t.Errorf("the zero %T is %s on the wire, not %s", zero, a, b)
		}
	}
	var m pool
	out := tfsdk.State{Schema: poolSchema(), Raw: tftypes.NewValue(poolSchema().Type().TerraformType(ctx), nil)}
	if diags := out.Set(ctx, m); diags.HasError() {
		t.Errorf("a zero model cannot be written: %v", diags)
	}
	if len(m.Hosts.Known()) != 0 || len(m.Hosts.Keys()) != 0 || len(m.Order.Known()) != 0 {
		t.Error("a null collection has elements")
	}
	if diags := m.GPUs.ElementsAs(ctx, &map[string]int64{}, false); diags.HasError() {
		t.Errorf("ElementsAs of a zero map: %v", diags)
	}
}

func TestNullOfHasEveryAttributeAsATypedNull(t *testing.T) {
	ctx := t.Context()
	s := poolSchema()
	m := NullOf[pool](ctx, s.Type())
	for name, v := range map[string]attr.Value{"name": m.Name, "labels": m.Labels, "namespace": m.Namespace, "hosts": m.Hosts, "manifest": m.Manifest, "drain": m.Drain} {
		if !v.IsNull() {
			t.Errorf("%s is %s", name, v)
		}
	}
	type plain struct {
		Tags types.Map `tfsdk:"tags"`
	}
	p := NullOf[plain](ctx, types.ObjectType{AttrTypes: map[string]attr.Type{"tags": types.MapType{ElemType: types.StringType}}})
	if wire, err := p.Tags.ToTerraformValue(ctx); err != nil || !wire.IsNull() {
		t.Errorf("a plain map has no type: %v", err)
	}
}

func TestMistakesInModelsPanicWithTheReason(t *testing.T) {
	ctx := t.Context()
	type text struct {
		Name string `tfsdk:"name"`
	}
	type untagged struct{ Name types.String }
	type untyped struct {
		Tags types.Map `tfsdk:"tags"`
	}
	type twice struct {
		meta
		Other types.String `tfsdk:"name"`
	}
	for name, c := range map[string]struct {
		call func()
		want string
	}{
		"a Go string as a field":          {func() { ObjectTypeOf[text]() }, "not a Terraform value type"},
		"a field without a tag":           {func() { ObjectTypeOf[untagged]() }, "needs a tfsdk tag"},
		"a plain map as a field":          {func() { ObjectTypeOf[untyped]() }, "use tf.Map"},
		"two fields of one name":          {func() { ObjectTypeOf[twice]() }, `tag "name"`},
		"an object of a string":           {func() { ObjectTypeOf[types.String]() }, "no attributes"},
		"an interface as an element":      {func() { MapTypeOf[attr.Value]() }, "not a Terraform value type"},
		"an untyped list as an element":   {func() { ListTypeOf[types.List]() }, "use tf.Map or tf.List"},
		"a model that lacks an attribute": {func() { NullOf[meta](ctx, poolSchema().Type()) }, "2 attributes, its schema"},
		"a model with another type than its schema": {func() {
			NullOf[drain](ctx, types.ObjectType{AttrTypes: map[string]attr.Type{"timeout": types.StringType}})
		}, "in its schema"},
		"a schema that is no object": {func() { NullOf[drain](ctx, types.StringType) }, "not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				got := fmt.Sprint(recover())
				if !strings.Contains(got, c.want) {
					t.Errorf("panic %q, want %q in it", got, c.want)
				}
			}()
			c.call()
		})
	}
}

func TestTypesAreEqualBothWaysOnlyToThemselves(t *testing.T) {
	all := []attr.Type{
		types.StringType, types.DynamicType, types.MapType{ElemType: types.StringType}, types.ObjectType{AttrTypes: map[string]attr.Type{"timeout": DurationType{}}},
		MapTypeOf[types.String](), MapTypeOf[Quantity](), ListTypeOf[Quantity](), ListTypeOf[types.String](), ObjectTypeOf[drain](), ObjectTypeOf[host](),
		QuantityType{}, DurationType{}, VersionType{}, IPPrefixType{}, JSONType{}, ManifestType{},
	}
	names := map[string]bool{}
	for i, a := range all {
		for j, b := range all {
			if a.Equal(b) != (i == j) {
				t.Errorf("%s.Equal(%s) = %t", a, b, a.Equal(b))
			}
		}
		if names[a.String()] {
			t.Errorf("two types are called %s", a)
		}
		names[a.String()] = true
		if v := a.ValueType(t.Context()); !v.Type(t.Context()).Equal(a) {
			t.Errorf("the value type of %s is of the type %s", a, v.Type(t.Context()))
		}
	}
}

func TestObjectTypesHaveTheFieldsOfEmbeddedStructs(t *testing.T) {
	got := ObjectTypeOf[pool]().AttributeTypes()
	whole, ok := poolSchema().Type().(attr.TypeWithAttributeTypes)
	if !ok {
		t.Fatal("the schema is no object")
	}
	want := whole.AttributeTypes()
	if len(got) != len(want) {
		t.Fatalf("got %d attributes, want %d", len(got), len(want))
	}
	for name, typ := range want {
		if got[name] == nil || !got[name].Equal(typ) {
			t.Errorf("%s has the type %v, want %v", name, got[name], typ)
		}
	}
	v := pool{embeddedMore: embeddedMore{meta: meta{Name: types.StringValue("a")}}}
	back, ok := ObjectOf(v).Get()
	if !ok || back.Name.ValueString() != "a" {
		t.Errorf("an embedded field is lost: %v", back.Name)
	}
}

func TestPlainValuesOfTheSameShapeAreTaken(t *testing.T) {
	ctx := t.Context()
	plain := types.ObjectValueMust(map[string]attr.Type{"timeout": types.StringType}, map[string]attr.Value{"timeout": types.StringValue("1m")})
	object, diags := ObjectTypeOf[drain]().ValueFromObject(ctx, plain)
	if diags.HasError() || !object.Equal(ObjectOf(drain{Timeout: DurationOf("1m")})) {
		t.Errorf("object: %v %v", object, diags)
	}
	m, diags := MapTypeOf[Quantity]().ValueFromMap(ctx, types.MapValueMust(types.StringType, map[string]attr.Value{"a": types.StringValue("1")}))
	if diags.HasError() || !m.Equal(MapOf(map[string]Quantity{"a": QuantityOf("1")})) {
		t.Errorf("map: %v %v", m, diags)
	}
	l, diags := ListTypeOf[Quantity]().ValueFromList(ctx, types.ListValueMust(types.StringType, []attr.Value{types.StringValue("1")}))
	if diags.HasError() || !l.Equal(ListOf(QuantityOf("1"))) {
		t.Errorf("list: %v %v", l, diags)
	}
	if _, diags := MapTypeOf[Quantity]().ValueFromMap(ctx, types.MapValueMust(types.BoolType, map[string]attr.Value{"a": types.BoolValue(true)})); !diags.HasError() {
		t.Error("a map of another shape was taken")
	}
	for _, untyped := range []basetypes.ObjectValue{types.ObjectNull(nil), types.ObjectUnknown(nil)} {
		v, diags := ObjectTypeOf[drain]().ValueFromObject(ctx, untyped)
		if diags.HasError() || v.IsNull() != untyped.IsNull() || v.IsUnknown() != untyped.IsUnknown() {
			t.Errorf("%s became %s", untyped, v)
		}
	}
}

func TestGetAttributeFindsNestedValuesByPath(t *testing.T) {
	ctx := t.Context()
	s := poolSchema()
	m := NullOf[pool](ctx, s.Type())
	m.Hosts = MapOf(map[string]Object[host]{"a": ObjectOf(host{Memory: QuantityOf("64Gi"), Drain: ObjectOf(drain{Timeout: DurationOf("1m")})})})
	state := tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(ctx), nil)}
	if diags := state.Set(ctx, m); diags.HasError() {
		t.Fatal(diags)
	}
	at := path.Root("hosts").AtMapKey("a")
	var object Object[host]
	var memory Quantity
	var timeout Duration
	diags := state.GetAttribute(ctx, at, &object)
	diags.Append(state.GetAttribute(ctx, at.AtName("memory"), &memory)...)
	diags.Append(state.GetAttribute(ctx, at.AtName("drain").AtName("timeout"), &timeout)...)
	if diags.HasError() {
		t.Fatal(diags)
	}
	if memory.ValueString() != "64Gi" || timeout.ValueString() != "1m" {
		t.Errorf("got %s and %s", memory, timeout)
	}
	if diags := state.SetAttribute(ctx, at.AtName("memory"), QuantityOf("1Gi")); diags.HasError() {
		t.Error(diags)
	}
	if diags := state.SetAttribute(ctx, path.Root("hosts").AtMapKey("b"), ObjectOf(host{})); diags.HasError() {
		t.Error(diags)
	}
	if diags := state.GetAttribute(ctx, path.Root("hosts").AtMapKey("absent"), &object); diags.HasError() || !object.IsNull() {
		t.Errorf("an absent element is %s (%v)", object, diags)
	}
}
