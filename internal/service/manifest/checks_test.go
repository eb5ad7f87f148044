package manifest

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

// written is the manifest of a text, and as the object that the text says.
func written(t compositetest.TB, text string) (asText, asObject Model) {
	t.Helper()
	var in map[string]any
	if err := yaml.Unmarshal([]byte(text), &in); err != nil {
		t.Fatalf("%v", err)
	}
	config, err := yaml.Marshal(map[string]any{"manifest": in})
	if err != nil {
		t.Fatalf("%v", err)
	}
	asObject = compositetest.Model(t, Kind, string(config))
	asText = compositetest.Null(Kind)
	asText.Manifest = tf.ManifestText(text)
	return asText, asObject
}

const configMap = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: team}
data: {a: "1"}`

// like is the ConfigMap with other lines at the end.
func like(lines string) string { return configMap + "\n" + lines }

func TestAManifestIsCheckedBeforeAnythingIsAsked(t *testing.T) {
	const secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: key, namespace: team}\n"
	tests := map[string]struct {
		manifest string
		data     bool   // secret_data_wo is given
		want     string // attribute: summary
	}{
		"an object":                                 {configMap, false, ""},
		"data of a Secret":                          {secret + "data: {a: YQ==}", false, "manifest: Secret data in a manifest"},
		"stringData of a Secret":                    {secret + "stringData: {a: a}", false, "manifest: Secret data in a manifest"},
		"data that is null":                         {secret + "data: null", false, ""},
		"kubectl's copy of a Secret":                {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b, annotations: {" + lastApplied + ": '{}'}}", false, "manifest: Secret data in a manifest"},
		"data beside the manifest":                  {secret, true, ""},
		"data of something else":                    {configMap, true, "secret_data_wo: Not a Secret"},
		"data of another group's Secret is its own": {"apiVersion: example.com/v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: b}", false, ""},
		"a status":                                  {like("status: {phase: Active}"), false, "manifest: status is not declared"},
		"the empty status that generators leave":    {like("status: {}"), false, ""},
		"a status that is null":                     {like("status: null"), false, ""},
		"a name that is generated":                  {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, generateName: a-}", false, "manifest: metadata.generateName is not declared"},
		"a creation time that is null":              {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, creationTimestamp: null}", false, ""},
		"a mark of ours":                            {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {k0smos.io/owner: x}}", false, "manifest: Reserved annotation k0smos.io/owner"},
		"the mark of a namespace of ours":           {"apiVersion: v1\nkind: Namespace\nmetadata: {name: a, annotations: {" + composite.MadeAnnotation + ": x}}", false, "manifest: Reserved annotation " + composite.MadeAnnotation},
		"annotations of others":                     {"apiVersion: v1\nkind: Pod\nmetadata: {name: a, annotations: {k0smos.io/note: x}}", false, ""},
	}
	for _, field := range systemFields {
		tests[field+" of an object that was copied"] = struct {
			manifest string
			data     bool
			want     string
		}{"apiVersion: v1\nkind: Pod\nmetadata: {name: a, " + field + ": x}", false, "manifest: metadata." + field + " is not declared"}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asText, asObject := written(t, test.manifest)
			for _, m := range []Model{asText, asObject} {
				if test.data {
					m.SecretData = tf.MapOf(map[string]types.String{"a": types.StringValue("s3cr3t")})
				}
				if got := strings.Join(judged(m), ", "); got != test.want {
					t.Errorf("got %q", got)
				}
			}
		})
	}
}

func judged(m Model) []string {
	var out []string
	for _, check := range Kind.Checks {
		for _, f := range check(m) {
			out = append(out, f.Path.String()+": "+f.Summary)
			if strings.Contains(f.Detail, "s3cr3t") || strings.Contains(f.Detail, "YQ==") {
				out = append(out, "it shows a secret")
			}
		}
	}
	return out
}

func TestWhatIsNotAnObjectIsLeftToItsType(t *testing.T) {
	for _, text := range []string{"", "---", "[]", "x", "a: b: c", "apiVersion: v1", configMap + "\n---" + configMap, "{", "apiVersion: v1\nkind: List\nmetadata: {name: a}\nitems: []"} {
		m := compositetest.Null(Kind)
		m.Manifest = tf.ManifestText(text)
		if got := judged(m); len(got) > 0 {
			t.Errorf("%q: %v", text, got)
		}
		if _, err := compose(m, composite.Facts{}); err == nil {
			t.Errorf("%q composes", text)
		}
		if id(m).Name != "" || len(replace(m, m)) > 0 {
			t.Errorf("%q names an object", text)
		}
	}
}

func TestUnknownManifestsAreNotJudged(t *testing.T) {
	models := map[string]Model{}
	for name, config := range map[string]string{
		"all of it":     "manifest: " + compositetest.Unknown,
		"the metadata":  "manifest: {apiVersion: v1, kind: Secret, metadata: " + compositetest.Unknown + ", data: " + compositetest.Unknown + "}",
		"the kind":      "manifest: {apiVersion: v1, kind: " + compositetest.Unknown + ", metadata: {name: a}, data: {a: b}}",
		"the name":      "manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: " + compositetest.Unknown + ", namespace: a}}",
		"the namespace": "manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: " + compositetest.Unknown + "}}",
		"the cluster":   "manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\ncluster: " + compositetest.Unknown,
		"its name":      "manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\ncluster: {name: " + compositetest.Unknown + ", namespace: b}",
	} {
		models[name] = compositetest.Model(t, Kind, config)
	}
	prior, _ := written(t, configMap)
	for name, m := range models {
		if got := judged(m); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
		if got := id(m); got.Name != "" {
			t.Errorf("with %s unknown the id is %s", name, got)
		}
		if !m.Cluster.IsNull() {
			continue
		}
		if got := replace(prior, m); len(got) > 0 {
			t.Errorf("with %s unknown, %v is replaced", name, got)
		}
		if _, err := compose(m, composite.Facts{}); err == nil {
			t.Errorf("with %s unknown it composes", name)
		}
	}
	partly := compositetest.Model(t, Kind, "manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: other, namespace: team}, data: "+compositetest.Unknown+"}")
	if got := replace(prior, partly); len(got) != 1 || id(partly).Name != "other" {
		t.Errorf("a name that is known is %s and replaces %v", id(partly), got)
	}
	if _, err := compose(partly, composite.Facts{}); err == nil {
		t.Error("a manifest that is partly unknown composes")
	}
}
