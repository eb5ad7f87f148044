package tf

import (
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
)

func TestParityIsSilentWhereSchemaAndModelAgree(t *testing.T) {
	if wrong := Parity[pool](t.Context(), poolSchema().Attributes); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
}

func TestParityNamesEveryDifference(t *testing.T) {
	a := poolSchema().Attributes
	delete(a, "cpu")
	a["more"] = schema.StringAttribute{Optional: true}
	a["version"] = schema.StringAttribute{Optional: true}
	a["hosts"] = schema.MapNestedAttribute{CustomType: MapTypeOf[Object[host]](), NestedObject: schema.NestedAttributeObject{Attributes: hostAttributes()}}
	inner := hostAttributes()
	delete(inner, "memory")
	inner["port"] = schema.StringAttribute{Optional: true}
	inner["extra"] = schema.StringAttribute{Optional: true}
	inner["drain"] = schema.SingleNestedAttribute{CustomType: ObjectTypeOf[drain](), Attributes: map[string]schema.Attribute{}}
	a["order"] = schema.ListNestedAttribute{CustomType: ListTypeOf[Object[host]](), NestedObject: schema.NestedAttributeObject{CustomType: ObjectTypeOf[host](), Attributes: inner}}
	got := Parity[pool](t.Context(), a)
	for _, want := range []string{
		"cpu: the model has it, the schema has not",
		"more: the schema has it, the model has not",
		"order.memory: the model has it, the schema has not",
		"order.extra: the schema has it, the model has not",
		"order.port: the model has basetypes.Int64Type, the schema basetypes.StringType",
		"order.drain.timeout: the model has it, the schema has not",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	if len(got) != 8 { // The two whose texts name long Go types are version and hosts.
		t.Errorf("%d differences: %q", len(got), got)
	}
}
