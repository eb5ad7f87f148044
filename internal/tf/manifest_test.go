package tf

import (
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"
)

var goodManifests = []string{
	"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
	`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`,
	"# a licence\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n...\n",
}

const head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"

func configMap(more map[string]any) map[string]any {
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}}
	for k, v := range more {
		object[k] = v
	}
	return object
}

func TestManifestTextIsReadAsOneObject(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want map[string]any
	}{
		"YAML":                    {head, configMap(nil)},
		"JSON":                    {goodManifests[1], configMap(nil)},
		"JSON indented with tabs": {"{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"ConfigMap\",\n\t\"metadata\": {\n\t\t\"name\": \"a\"\n\t}\n}\n", configMap(nil)},
		"CRLF line ends":          {strings.ReplaceAll("---\n"+head, "\n", "\r\n"), configMap(nil)},
		"a byte order mark":       {"\ufeff" + head, configMap(nil)},
		"comments, a directive and empty documents":  {"# c\n---\n# nothing\n---\n%YAML 1.1\n---\n" + head + "---\n# end\n...\n", configMap(nil)},
		"content on the marker's line":               {"--- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n", configMap(nil)},
		"a marker within a block text":               {head + "data:\n  f: |\n    a\n    ---\n    b\n", configMap(map[string]any{"data": map[string]any{"f": "a\n---\nb\n"}})},
		"anchors, aliases and merge keys":            {head + "base: &b {x: 1}\nsame: *b\nmore: {<<: *b, z: 2}\n", configMap(map[string]any{"base": map[string]any{"x": int64(1)}, "same": map[string]any{"x": int64(1)}, "more": map[string]any{"x": int64(1), "z": int64(2)}})},
		"null, {} and [] kept apart from each other": {head + "a: null\nb: {}\nc: []\nd:\n", configMap(map[string]any{"a": nil, "b": map[string]any{}, "c": []any{}, "d": nil})},
		"whole numbers in every spelling as int64":   {head + "a: [1, 1.0, 1e3, -0.0, 9223372036854775807, 1.5]\n", configMap(map[string]any{"a": []any{int64(1), int64(1), int64(1000), int64(0), int64(9223372036854775807), 1.5}})},
		"dates as text":                              {head + "a: 2026-01-02\nb: 2026-01-02T03:04:05Z\n", configMap(map[string]any{"a": "2026-01-02", "b": "2026-01-02T03:04:05Z"})},
		"keys that are numbers or booleans as text":  {head + "data: {1: a, true: b}\n", configMap(map[string]any{"data": map[string]any{"1": "a", "true": "b"}})},
		"unicode": {head + "data: {ключ: значение}\n", configMap(map[string]any{"data": map[string]any{"ключ": "значение"}})},
	} {
		t.Run(name, func(t *testing.T) {
			got, known, err := ManifestText(c.text).Parse()
			if err != nil || !known {
				t.Fatalf("known %t, error %v", known, err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %#v\nwant %#v", got, c.want)
			}
		})
	}
}

func TestWhatIsNotOneObjectIsRefusedWithTheReason(t *testing.T) {
	object := func(v attr.Value) Manifest { return Manifest{types.DynamicValue(v)} }
	for name, c := range map[string]struct {
		manifest Manifest
		want     string
	}{
		"no text":                    {ManifestText(""), "is empty"},
		"comments only":              {ManifestText("# nothing\n---\n\n"), "is empty"},
		"two documents":              {ManifestText(head + "---\n" + head), "holds 2 YAML documents, and one resource manages one object. Give each document its own instance with for_each over the separate documents"},
		"documents ended by dots":    {ManifestText(head + "...\n" + head), "2 YAML documents"},
		"a YAML list":                {ManifestText("- a\n"), "is a list"},
		"a JSON list":                {ManifestText("[{}]"), "is a list"},
		"a word":                     {ManifestText("hello"), "a single text"},
		"a number":                   {ManifestText("1"), "a number"},
		"a boolean":                  {ManifestText("true"), "true or false"},
		"YAML null":                  {ManifestText("null"), "is null"},
		"broken YAML":                {ManifestText("# c\n---\n" + head + "data: [a\n"), "line 7"},
		"tabs":                       {ManifestText(head + "\tdata: 1\n"), "line 5"},
		"a key given twice":          {ManifestText(head + "kind: Secret\n"), `line 5: key "kind" already set`},
		"a JSON key given twice":     {ManifestText(`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"kind":"B"}`), `duplicate field "kind"`},
		"an unknown alias":           {ManifestText(head + "data: *x\n"), "unknown anchor 'x'"},
		"infinity":                   {ManifestText(head + "a: .inf\n"), "cannot be read"},
		"a number beyond 64 bits":    {ManifestText(`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"},"n":1e999}`), "number"},
		"no apiVersion":              {ManifestText("kind: A\nmetadata: {name: a}"), "has no apiVersion"},
		"no kind":                    {ManifestText("apiVersion: v1\nmetadata: {name: a}"), "has no kind"},
		"an empty kind":              {ManifestText("apiVersion: v1\nkind: ''\nmetadata: {name: a}"), "kind in the manifest is empty"},
		"no metadata":                {ManifestText("apiVersion: v1\nkind: A"), "has no metadata"},
		"metadata that is text":      {ManifestText("apiVersion: v1\nkind: A\nmetadata: a"), "metadata in the manifest is not an object"},
		"no name":                    {ManifestText("apiVersion: v1\nkind: A\nmetadata: {}"), "has no metadata.name"},
		"a name that is a number":    {ManifestText("apiVersion: v1\nkind: A\nmetadata: {name: 1}"), "metadata.name in the manifest is not text"},
		"a generated name":           {ManifestText("apiVersion: v1\nkind: A\nmetadata: {generateName: a-}"), "generated names are not supported"},
		"a list of objects":          {ManifestText("apiVersion: v1\nkind: ConfigMapList\nitems: []"), "ConfigMapList of several objects"},
		"a Terraform list":           {object(types.TupleValueMust(nil, nil)), "is a list"},
		"a Terraform number":         {object(types.NumberValue(big.NewFloat(1))), "a number"},
		"a Terraform object of none": {object(types.ObjectValueMust(nil, nil)), "has no apiVersion"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := c.manifest.Parse()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q in it", err, c.want)
			}
			resp := &xattr.ValidateAttributeResponse{}
			c.manifest.ValidateAttribute(t.Context(), xattr.ValidateAttributeRequest{Path: path.Root("manifest")}, resp)
			if resp.Diagnostics.ErrorsCount() != 1 {
				t.Errorf("validation says %v", resp.Diagnostics)
			}
		})
	}
}

func TestErrorsShowNoContent(t *testing.T) {
	for _, text := range []string{
		head + "data: !!int canary\n", head + "data: [canary\n", head + "data: !!binary canary$\n", "canary", head + "data: {k: canary\n---\n",
		`{"apiVersion": "v1", "data": canary}`, head + "data: \"canary\n", "- canary", head + "data:\n  a: canary\n b: canary\n", "apiVersion: [canary]\n",
	} {
		if _, _, err := ManifestText(text).Parse(); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestObjectsFromTerraformAreReadAsText(t *testing.T) {
	num := func(text string) types.Number {
		f, _, err := big.ParseFloat(text, 10, 512, big.ToNearestEven)
		if err != nil {
			t.Fatal(err)
		}
		return types.NumberValue(f)
	}
	manifest := ManifestObject(map[string]attr.Value{
		"apiVersion": types.StringValue("v1"),
		"kind":       types.StringValue("ConfigMap"),
		"metadata":   types.MapValueMust(types.StringType, map[string]attr.Value{"name": types.StringValue("a")}),
		"numbers":    types.TupleValueMust([]attr.Type{types.NumberType, types.NumberType, types.NumberType, types.NumberType}, []attr.Value{num("1"), num("0.1"), num("9223372036854775807"), num("1e20")}),
		"null":       types.DynamicNull(),
		"object":     types.ObjectValueMust(nil, nil),
		"list":       types.ListValueMust(types.StringType, []attr.Value{}),
		"set":        types.SetValueMust(types.BoolType, []attr.Value{types.BoolValue(true)}),
	})
	text := ManifestText(head + "numbers: [1.0, 0.1, 9223372036854775807, 1e20]\n\"null\": ~\nobject: {}\nlist: []\nset: [true]\n")
	got, known, err := manifest.Parse()
	want, _, errText := text.Parse()
	if err != nil || errText != nil || !known {
		t.Fatalf("known %t, errors %v, %v", known, err, errText)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
	if !manifest.SameAs(text) || !text.SameAs(manifest) || manifest.Equal(text) {
		t.Error("an object and its text are the same, in another form")
	}
	same, diags := text.DynamicSemanticEquals(t.Context(), manifest)
	if !same || diags.HasError() {
		t.Errorf("semantic equality: %t, %v", same, diags)
	}
}

func TestUnknownPartsLeaveTheRestOfTheObject(t *testing.T) {
	meta := types.ObjectValueMust(map[string]attr.Type{"name": types.StringType}, map[string]attr.Value{"name": types.StringValue("a")})
	base := func(more map[string]attr.Value) Manifest {
		values := map[string]attr.Value{"apiVersion": types.StringValue("v1"), "kind": types.StringValue("ConfigMap"), "metadata": meta}
		for k, v := range more {
			values[k] = v
		}
		return ManifestObject(values)
	}
	for name, c := range map[string]struct {
		manifest Manifest
		want     map[string]any
	}{
		"a leaf":                     {base(map[string]attr.Value{"spec": types.ObjectValueMust(map[string]attr.Type{"a": types.StringType, "b": types.BoolType}, map[string]attr.Value{"a": types.StringUnknown(), "b": types.BoolValue(true)})}), configMap(map[string]any{"spec": map[string]any{"b": true}})},
		"an element of a list":       {base(map[string]attr.Value{"args": types.ListValueMust(types.StringType, []attr.Value{types.StringValue("x"), types.StringUnknown()})}), configMap(nil)},
		"a whole list":               {base(map[string]attr.Value{"args": types.ListUnknown(types.StringType)}), configMap(nil)},
		"a value of unknown type":    {base(map[string]attr.Value{"spec": types.DynamicUnknown()}), configMap(nil)},
		"the name":                   {base(map[string]attr.Value{"metadata": types.MapValueMust(types.StringType, map[string]attr.Value{"name": types.StringUnknown()})}), map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{}}},
		"the metadata":               {base(map[string]attr.Value{"metadata": types.DynamicUnknown()}), map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}},
		"the kind":                   {base(map[string]attr.Value{"kind": types.StringUnknown()}), map[string]any{"apiVersion": "v1", "metadata": map[string]any{"name": "a"}}},
		"everything":                 {UnknownManifest(), nil},
		"everything, of known type":  {Manifest{types.DynamicValue(types.StringUnknown())}, nil},
		"nothing, as there is none":  {NullManifest(), nil},
		"nothing, as a null of text": {Manifest{types.DynamicValue(types.StringNull())}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, known, err := c.manifest.Parse()
			if err != nil || known {
				t.Fatalf("known %t, error %v", known, err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %#v\nwant %#v", got, c.want)
			}
			if !c.manifest.SameAs(c.manifest) || c.manifest.SameAs(ManifestText(head)) {
				t.Error("a manifest that is not known is the same as itself only")
			}
		})
	}
}

func TestAnyObjectSurvivesYAMLAndTerraform(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := configMap(map[string]any{"spec": anyValue(t, 3)})
		text, err := ManifestYAML(object)
		if err != nil {
			t.Fatal(err)
		}
		fromText, known, err := text.Parse()
		if err != nil || !known {
			t.Fatalf("known %t, error %v in\n%s", known, err, text)
		}
		if !reflect.DeepEqual(fromText, object) {
			t.Fatalf("got  %#v\nwant %#v", fromText, object)
		}
	})
}

func anyValue(t *rapid.T, depth int) any {
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "bool")
	case 2:
		return rapid.Int64().Draw(t, "int")
	case 3:
		return float64(rapid.IntRange(-1000, 1000).Draw(t, "half")) + 0.5
	case 4:
		return rapid.String().Draw(t, "text")
	case 5:
		object := map[string]any{}
		for _, k := range rapid.SliceOfNDistinct(rapid.String(), 0, 3, rapid.ID).Draw(t, "keys") {
			object[k] = anyValue(t, depth-1)
		}
		return object
	}
	list := make([]any, rapid.IntRange(0, 3).Draw(t, "length"))
	for i := range list {
		list[i] = anyValue(t, depth-1)
	}
	return list
}

func FuzzManifest(f *testing.F) {
	for _, text := range goodManifests {
		f.Add(text)
	}
	f.Add("--- {a: b}\n...\n%YAML 1.1\n---\n- &a [*a]\n")
	f.Add(head + "a: &a [x,x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n<<: *a\n? [1]\n: 2\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := ManifestText(text)
		object, known, err := m.Parse()
		if err != nil {
			return
		}
		if !known || object["kind"] == "" {
			t.Errorf("no error, known %t, kind %q", known, object["kind"])
		}
		again, err := ManifestYAML(object)
		if err != nil {
			t.Fatal(err)
		}
		if !m.SameAs(again) {
			t.Errorf("%q is not the same written anew:\n%s", text, again)
		}
		_ = fmt.Sprint(m)
	})
}
