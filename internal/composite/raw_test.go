package composite

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSpellingIsKeptAttributeByAttribute(t *testing.T) {
	size := schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}}
	s := schema.Schema{Attributes: map[string]schema.Attribute{
		"limits": schema.MapAttribute{Optional: true, ElementType: tf.QuantityType{}},
		"pools": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{
			Attributes: map[string]schema.Attribute{"size": size, "cache": size}}},
	}}
	text := func(v string) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }
	limits := func(cpu, memory string) tftypes.Value {
		return tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"cpu": text(cpu), "memory": text(memory)})
	}
	pool := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"size": tftypes.String, "cache": tftypes.String}}
	value := func(limits tftypes.Value, size, cache string) tftypes.Value {
		pools := tftypes.NewValue(tftypes.Map{ElementType: pool}, map[string]tftypes.Value{
			"a": tftypes.NewValue(pool, map[string]tftypes.Value{"size": text(size), "cache": text(cache)})})
		return tftypes.NewValue(s.Type().TerraformType(t.Context()), map[string]tftypes.Value{"limits": limits, "pools": pools})
	}
	prior := value(limits("1000m", "1Gi"), "1024Mi", "1Gi")
	for name, test := range map[string]struct{ plan, want tftypes.Value }{
		"a map that means the same is kept whole": {value(limits("1", "1024Mi"), "1024Mi", "1Gi"), prior},
		"a map with a change is taken whole": {
			value(limits("1", "2Gi"), "1024Mi", "1Gi"), value(limits("1", "2Gi"), "1024Mi", "1Gi")},
		"nested attributes are kept one by one": {
			value(limits("1000m", "1Gi"), "1Gi", "2Gi"), value(limits("1000m", "1Gi"), "1024Mi", "2Gi")},
	} {
		t.Run(name, func(t *testing.T) {
			if got := keepSpelling(t.Context(), s, prior, test.plan); !got.Equal(test.want) {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestOnlyWhatAStateCouldNotSayIsOpen(t *testing.T) {
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String, "uid": tftypes.String}}
	was := tftypes.NewValue(of, map[string]tftypes.Value{"name": tftypes.NewValue(tftypes.String, "train"), "uid": tftypes.NewValue(tftypes.String, nil)})
	got := roots(openNulls(was))
	if !got["name"].IsKnown() || got["uid"].IsKnown() {
		t.Errorf("got %v", got)
	}
	if all := openNulls(tftypes.NewValue(of, nil)); all.IsKnown() {
		t.Errorf("a null became %s", all)
	}
}

func TestAWriteOnlyValueInsideOfAnObjectMayBeUnknown(t *testing.T) {
	ssh := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"user": tftypes.String, "key_wo": tftypes.String, "key_wo_version": tftypes.Number}}
	of := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"ssh": ssh}}
	text := func(v any) tftypes.Value { return tftypes.NewValue(tftypes.String, v) }
	config := func(user, key any) tftypes.Value {
		return tftypes.NewValue(of, map[string]tftypes.Value{"ssh": tftypes.NewValue(ssh, map[string]tftypes.Value{
			"user": text(user), "key_wo": text(key), "key_wo_version": tftypes.NewValue(tftypes.Number, 2)})})
	}
	writeOnly := []string{"ssh.key_wo"}
	if !inputsKnown(config("root", tftypes.UnknownValue), writeOnly) {
		t.Error("an unknown key keeps the plan from composing")
	}
	if inputsKnown(config(tftypes.UnknownValue, "x"), writeOnly) {
		t.Error("an unknown user does not")
	}
	if inputsKnown(tftypes.NewValue(of, map[string]tftypes.Value{"ssh": tftypes.NewValue(ssh, tftypes.UnknownValue)}), writeOnly) {
		t.Error("an object of which nothing is known does not")
	}
	if got := attributeIn(config("root", "x"), "ssh.key_wo_version"); !got.Equal(tftypes.NewValue(tftypes.Number, 2)) {
		t.Errorf("its version is %s", got)
	}
}
