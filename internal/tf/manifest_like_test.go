package tf

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"pgregory.net/rapid"
)

func TestAnyObjectIsWrittenInTheFormOfAnotherManifest(t *testing.T) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		object := configMap(map[string]any{"spec": anyValue(t, 3)})
		for _, form := range []Manifest{ManifestText(head), NullManifest(), ManifestObject(map[string]attr.Value{"kind": types.StringValue("A")})} {
			got := form.Like(object)
			if !got.SameAs(form.Like(object)) || !got.SameAs(ManifestText(head).Like(object)) {
				t.Fatalf("%s is another object than %v", got, object)
			}
			_, wantText := form.UnderlyingValue().(basetypes.StringValue)
			if _, text := got.UnderlyingValue().(basetypes.StringValue); text != (wantText || form.IsNull()) {
				t.Fatalf("%s has another form than %s", got, form)
			}
			wire, err := got.ToTerraformValue(ctx)
			if err != nil {
				t.Fatal(err)
			}
			back, err := ManifestType{}.ValueFromTerraform(ctx, wire)
			if err != nil {
				t.Fatal(err)
			}
			if m, ok := back.(Manifest); !ok || !m.SameAs(got) || !m.Equal(got) {
				t.Fatalf("%s came back as %s", got, back)
			}
		}
	})
}
