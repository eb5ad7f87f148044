package manifest

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// live is an object as an API server sends it, with what others wrote.
func live(t *testing.T, text string) composite.Live {
	t.Helper()
	asText, _ := written(t, text)
	content, _, err := asText.Manifest.Parse()
	if err != nil {
		t.Fatal(err)
	}
	return composite.Live{&unstructured.Unstructured{Object: content}}
}

func TestARefreshShowsTheDeclaredFieldsAsTheyAre(t *testing.T) {
	const declared = "apiVersion: a.example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	tests := map[string]struct{ wants, is, shows string }{ // shows is empty where nothing moves
		"the same":                           {"spec: {a: 1}", "spec: {a: 1}", ""},
		"fields of others":                   {"spec: {a: 1}", "spec: {a: 1, b: 2}\nstatus: {x: y}", ""},
		"another value":                      {"spec: {a: 1, b: 2}", "spec: {a: 3, b: 2, c: 4}", "spec: {a: 3, b: 2}"},
		"a field that is gone":               {"spec: {a: 1, b: 2}", "spec: {b: 2}", "spec: {b: 2}"},
		"a list is one value":                {"spec: {l: [1, 2]}", "spec: {l: [1, 2, 3]}", "spec: {l: [1, 2, 3]}"},
		"null is not ours":                   {"spec: {a: null, b: 1}", "spec: {a: 5, b: 1}", ""},
		"and stays null beside a change":     {"spec: {a: null, b: 1}", "spec: {a: 5, b: 2}", "spec: {a: null, b: 2}"},
		"an empty map":                       {"spec: {a: {}}", "spec: {a: {}}", ""},
		"an empty map that the server drops": {"spec: {a: {}, b: 1}", "spec: {b: 1}", ""},
		"what others put into it":            {"spec: {a: {}}", "spec: {a: {x: y}}", ""},
		"an empty list":                      {"spec: {a: []}", "spec: {a: []}", ""},
		"an empty list that was filled":      {"spec: {a: []}", "spec: {a: [1]}", "spec: {a: [1]}"},
		"an empty text is not null":          {`spec: {a: ""}`, "spec: {a: b}", "spec: {a: b}"},
		"another API version of the object":  {"spec: {a: 1}", "spec: {a: 1}\napiVersion: a.example.com/v2", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asText, asObject := written(t, declared+test.wants)
			is := declared + test.is
			if strings.Contains(test.is, "apiVersion") {
				is = strings.Replace(declared, "apiVersion: a.example.com/v1\n", "", 1) + test.is
			}
			for _, m := range []Model{asText, asObject} {
				read := decompose(live(t, is), m)
				if test.shows == "" {
					if !read.Manifest.Equal(m.Manifest) {
						t.Errorf("it moved to %v", read.Manifest)
					}
					continue
				}
				want, _ := written(t, declared+test.shows)
				if !read.Manifest.SameAs(want.Manifest) {
					t.Errorf("it shows %v", read.Manifest)
				}
				_, wasText := m.Manifest.UnderlyingValue().(basetypes.StringValue)
				if _, text := read.Manifest.UnderlyingValue().(basetypes.StringValue); text != wasText {
					t.Error("it shows in another form than the user's")
				}
			}
		})
	}
	m, _ := written(t, configMap)
	if read := decompose(nil, m); !read.Manifest.Equal(m.Manifest) {
		t.Error("an object that is gone changed the manifest")
	}
}

func TestNullAndEmptyValuesAreKeptApart(t *testing.T) {
	asText, asObject := written(t, like("x: {none: null, map: {}, list: [], text: '', nested: {a: null}}"))
	for _, m := range []Model{asText, asObject} {
		objects, err := compose(m, composite.Facts{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]any{"none": nil, "map": map[string]any{}, "list": []any{}, "text": "", "nested": map[string]any{"a": nil}}
		if got := objects[0].Content["x"]; !reflect.DeepEqual(got, want) {
			t.Errorf("it is %#v", got)
		}
	}
	seen := map[string]string{}
	for _, text := range []string{"x: {}", "x: {a: {}}", "x: {a: []}", `x: {a: ""}`} {
		m, _ := written(t, like(text))
		objects, _ := compose(m, composite.Facts{})
		revision := composite.Revision(objects)
		if other, taken := seen[revision]; taken {
			t.Errorf("%s and %s have the same revision", text, other)
		}
		seen[revision] = text
	}
	null, _ := written(t, like("x: {a: null}"))
	objects, _ := compose(null, composite.Facts{})
	if seen[composite.Revision(objects)] != "x: {}" {
		t.Error("a null, which declares nothing, has a revision of its own")
	}
}

// A quantity is a text here: the engine accepts what the API server makes of it, and the manifest keeps what was written.
func TestAManifestKeepsItsSpelling(t *testing.T) {
	const pod = "apiVersion: v1\nkind: LimitRange\nmetadata: {name: a, namespace: b}\nspec: {limits: [{type: Pod, max: {cpu: 1000m}}]}"
	m, _ := written(t, pod)
	objects, err := compose(m, composite.Facts{})
	if err != nil {
		t.Fatal(err)
	}
	limits, _, _ := unstructured.NestedSlice(objects[0].Content, "spec", "limits")
	if got := limits[0]; !reflect.DeepEqual(got, map[string]any{"type": "Pod", "max": map[string]any{"cpu": "1000m"}}) {
		t.Errorf("it is %v", got)
	}
	commented, _ := written(t, "# why it is there\n"+pod)
	if !commented.Manifest.SameAs(m.Manifest) {
		t.Error("a comment makes another manifest")
	}
	if read := decompose(live(t, pod), commented); !read.Manifest.Equal(commented.Manifest) {
		t.Error("a refresh lost the comment")
	}
}

func TestSecretDataIsNeverInTheManifest(t *testing.T) {
	const canary = "c2VjcmV0LWNhbmFyeQ=="
	empty := compositetest.Null(Kind)
	read := imported(live(t, `
apiVersion: v1
kind: Secret
metadata:
  name: key
  namespace: team
data: {a: `+canary+`}
stringData: {b: `+canary+`}
type: Opaque`), empty)
	if text := read.Manifest.String(); strings.Contains(text, canary) || !strings.Contains(text, "Opaque") {
		t.Errorf("the import has %s", text)
	}
	if got := judged(read); len(got) > 0 {
		t.Errorf("what was imported is refused: %v", got)
	}
	prior, _ := written(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: team}\ntype: a")
	shown := decompose(live(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: team}\ntype: b\ndata: {a: "+canary+"}"), prior)
	if text := shown.Manifest.String(); strings.Contains(text, canary) || !strings.Contains(text, "type: b") {
		t.Errorf("the refresh has %s", text)
	}
}

func TestAnImportIsNamedByClusterKindAndName(t *testing.T) {
	for text, cluster := range map[string]string{
		"v1/ConfigMap:team/settings":                                  "",
		"scheduling.run.ai/v2/Queue:vision":                           "",
		"geo/train:scheduling.run.ai/v2/Queue:vision":                 "geo/train",
		"geo/train:v1/ConfigMap:team/settings":                        "geo/train",
		"rbac.authorization.k8s.io/v1/ClusterRole:system:node":        "",
		"geo/train:rbac.authorization.k8s.io/v1/ClusterRole:system:a": "geo/train",
	} {
		parsed, err := composite.ParseID(text, true)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		m := compositetest.Null(Kind)
		if err := setID(&m, parsed); err != nil || id(m).String() != text {
			t.Errorf("%s becomes %s: %v", text, id(m), err)
		}
		ref, _ := m.Cluster.Get()
		if got := strings.Trim(ref.Namespace.ValueString()+"/"+ref.Name.ValueString(), "/"); got != cluster {
			t.Errorf("%s is in cluster %q", text, got)
		}
		refs := locate(m, nil)
		if len(refs) != 1 || refs[0].Name != parsed.Name || refs[0].Namespace != parsed.Namespace || refs[0].Kind.Kind != parsed.Kind || refs[0].Kind.APIVersion() != parsed.APIVersion {
			t.Errorf("%s locates %v", text, refs)
		}
	}
	m := compositetest.Null(Kind)
	if refs := locate(m, nil); len(refs) > 0 {
		t.Errorf("nothing locates %v", refs)
	}
}

func TestAnyObjectSurvivesImportAndRefresh(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		content := map[string]any{"apiVersion": "a.example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": rapid.StringMatching(`[a-z]{1,8}`).Draw(r, "name")}, "spec": anyValue(r, 3)}
		is := composite.Live{&unstructured.Unstructured{Object: content}}
		read := imported(is, compositetest.Null(Kind))
		objects, err := compose(read, composite.Facts{})
		if err != nil {
			r.Fatalf("%v", err)
		}
		if !reflect.DeepEqual(objects[0].Content, content) {
			r.Fatalf("%#v became %#v", content, objects[0].Content)
		}
		object := read
		object.Manifest = tf.ManifestObject(map[string]attr.Value{"kind": types.StringValue("x")}).Like(content)
		for _, m := range []Model{read, object} {
			if again := decompose(is, m); !again.Manifest.Equal(m.Manifest) {
				r.Fatalf("a refresh moved %v to %v", m.Manifest, again.Manifest)
			}
			if other := decompose(composite.Live{&unstructured.Unstructured{Object: map[string]any{"spec": anyValue(r, 2)}}}, m); len(judged(other)) > 0 {
				r.Fatalf("what a refresh shows is refused: %v", judged(other))
			}
		}
	})
}

// anyValue generates plain JSON data without nulls, which an API server does not keep.
func anyValue(t *rapid.T, depth int) any {
	kinds := []string{"text", "number", "fraction", "flag"}
	if depth > 0 {
		kinds = append(kinds, "map", "list")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "map":
		out := map[string]any{}
		for _, key := range rapid.SliceOfN(rapid.StringMatching(`[a-zA-Z./-]{1,6}`), 0, 3).Draw(t, "keys") {
			out[key] = anyValue(t, depth-1)
		}
		return out
	case "list":
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			out = append(out, anyValue(t, depth-1))
		}
		return out
	case "number":
		return rapid.Int64().Draw(t, "number")
	case "fraction":
		return rapid.SampledFrom([]float64{0.5, -1.25, 1e-7, 1.5e300}).Draw(t, "fraction")
	case "flag":
		return rapid.Bool().Draw(t, "flag")
	}
	return rapid.OneOf(rapid.SampledFrom([]string{"", "1", "true", "null", "1000m", "yes", "\n", "- a", "# b", "{{x}}", "ü"}), rapid.StringN(0, 12, 40)).Draw(t, "text")
}

func TestEveryFieldPointsAtTheManifestAndIsNeverShownInClear(t *testing.T) {
	fields := []string{"spec.a", "data", "metadata.labels[x]", ""}
	if slices.ContainsFunc(fields, func(f string) bool {
		return Kind.Attribute("Thing", f).String() != "manifest" || !Kind.FreeForm("Thing", f)
	}) {
		t.Error("a field does not point at the manifest, or may be shown in clear")
	}
}
