package tf

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

func TestModelReadsAndWritesWhatTheFrameworkDoes(t *testing.T) {
	ctx := t.Context()
	s := poolSchema()
	model := ModelOf[pool](ctx, s.Type())
	unknown := spelled()
	unknown.Hosts, unknown.Name, unknown.Manifest = UnknownMap[Object[host]](), types.StringUnknown(), UnknownManifest()
	object := spelled()
	object.Manifest = object.Manifest.Like(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "n": []any{int64(1), 1.5, nil, true}})
	for name, m := range map[string]pool{"set": spelled(), "unknown": unknown, "an object": object, "null": NullOf[pool](ctx, s.Type()), "zero": {}} {
		t.Run(name, func(t *testing.T) {
			want := tfsdk.State{Schema: s}
			if diags := want.Set(ctx, m); diags.HasError() {
				t.Fatal(diags)
			}
			raw, diags := model.Write(ctx, &m)
			if diags.HasError() || !raw.Equal(want.Raw) {
				t.Fatalf("wrote %s (%v), the framework %s", raw, diags, want.Raw)
			}
			var got, there pool
			if diags := model.Read(ctx, raw, &got); diags.HasError() {
				t.Fatal(diags)
			}
			if diags := want.Get(ctx, &there); diags.HasError() {
				t.Fatal(diags)
			}
			if again, diags := model.Write(ctx, &got); diags.HasError() || !again.Equal(raw) {
				t.Errorf("read %s and wrote %s (%v)", raw, again, diags)
			}
			if !ObjectOf(got).Equal(ObjectOf(there)) {
				t.Errorf("read %+v, the framework %+v", got, there)
			}
		})
	}
}

func TestModelValidatesWhatItReads(t *testing.T) {
	ctx := t.Context()
	m := spelled()
	m.CPU = QuantityOf("a lot")
	model := ModelOf[pool](ctx, poolSchema().Type())
	raw, diags := model.Write(ctx, &m)
	if diags.HasError() {
		t.Fatal(diags)
	}
	into := pool{Version: VersionOf("1.35.4")}
	diags = model.Read(ctx, raw, &into)
	if !diags.HasError() || diags[0].Summary() != "Invalid quantity" || into.Version.ValueString() != "1.35.4" || !into.Manifest.IsNull() {
		t.Errorf("got %v and %+v", diags, into)
	}
}

func TestModelSaysWhatHasNoForm(t *testing.T) {
	ctx := t.Context()
	type plain struct {
		Tags types.Map `tfsdk:"tags"`
	}
	model := ModelOf[plain](ctx, types.ObjectType{AttrTypes: map[string]attr.Type{"tags": types.MapType{ElemType: types.StringType}}})
	if _, diags := model.Write(ctx, &plain{}); !diags.HasError() || !strings.Contains(diags[0].Detail(), "zero value") {
		t.Errorf("a zero map without a type was written: %v", diags)
	}
	for name, v := range map[string]tftypes.Value{
		"a text":               tftypes.NewValue(tftypes.String, "a"),
		"null":                 tftypes.NewValue(tftypes.Object{}, nil),
		"an object of nothing": tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{}),
	} {
		if diags := model.Read(ctx, v, &plain{}); !diags.HasError() {
			t.Errorf("%s was read", name)
		}
	}
}
