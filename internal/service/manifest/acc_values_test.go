package manifest_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestAccValuesComeBackAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ spec, live string }{
		"a quantity in thousandths":       {"{cpu: 1000m}", `{"cpu":"1000m","tier":"silver"}`},
		"an integer or a string":          {"{cpu: 1}", `{"cpu":1,"tier":"silver"}`},
		"whole numbers and fractions":     {"{ratio: 1.0, replicas: 3}", `{"ratio":1,"replicas":3,"tier":"silver"}`},
		"a small fraction":                {"{ratio: 0.1}", `{"ratio":0.1,"tier":"silver"}`},
		"false and zero":                  {"{paused: false, replicas: 0}", `{"paused":false,"replicas":0,"tier":"silver"}`},
		"an empty string":                 {`{image: ""}`, `{"image":"","tier":"silver"}`},
		"an empty map":                    {"{selector: {}}", `{"selector":{},"tier":"silver"}`},
		"an empty list":                   {"{args: []}", `{"args":[],"tier":"silver"}`},
		"a null is not ours":              {"{note: null, image: a}", `{"image":"a","tier":"silver"}`},
		"a default of the server's":       {"{tier: silver}", `{"tier":"silver"}`},
		"nothing at all":                  {"{}", `{"tier":"silver"}`},
		"unicode":                         {`{image: "Québec ⚡ 東京", selector: {"ключ": "значение"}}`, ""},
		"text of several lines":           {`{image: "a\n  b\n\n"}`, `{"image":"a\n  b\n\n","tier":"silver"}`},
		"what looks like another type":    {`{selector: {a: "true", b: "1", c: "null", d: "1e3"}}`, `{"selector":{"a":"true","b":"1","c":"null","d":"1e3"},"tier":"silver"}`},
		"a list of maps by key":           {"{ports: [{name: b, port: 2}, {name: a, port: 1}]}", `{"ports":[{"name":"b","port":2},{"name":"a","port":1}],"tier":"silver"}`},
		"a free form with everything":     {`{free: {a: {}, b: [], c: [1, "x", {y: null}], d: 1.5, e: false, f: 9007199254740993}}`, ""},
		"keys with dots and slashes":      {`{selector: {"example.com/a.b": "x", "[0]": "y"}}`, `{"selector":{"[0]":"y","example.com/a.b":"x"},"tier":"silver"}`},
		"a long list without keys":        {"{args: [a, b, a, c]}", `{"args":["a","b","a","c"],"tier":"silver"}`},
		"a large integer in a free place": {"{free: {m: 123456789012}}", `{"free":{"m":123456789012},"tier":"silver"}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := start(t, test.spec)
			s.Apply(t)
			unchanged(t, s.Workdir)
			if test.live != "" {
				got, err := json.Marshal(s.live(t, "spec"))
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "live", string(got), test.live)
			}
		})
	}
}

func TestAccEmptyAndNothingAreKeptApart(t *testing.T) {
	t.Parallel()
	steps := []struct{ spec, args, selector string }{
		{"{args: [], selector: {}}", "[]", "map[]"},
		{"{image: a}", "<nil>", "<nil>"},
		{"{args: [], image: a}", "[]", "<nil>"},
		{"{args: null, selector: {}}", "<nil>", "map[]"},
		{"{args: [x], selector: {a: b}}", "[x]", "map[a:b]"},
		{"{args: [], selector: {a: b}}", "[]", "map[a:b]"},
	}
	s := start(t, steps[0].spec)
	for i, step := range steps {
		s.now(t, step.spec)
		if i > 0 {
			changes(t, s.Workdir, map[string]string{address: "update"})
		}
		s.Apply(t)
		unchanged(t, s.Workdir)
		equal(t, step.spec+" args", fmt.Sprint(s.live(t, "spec", "args")), step.args)
		equal(t, step.spec+" selector", fmt.Sprint(s.live(t, "spec", "selector")), step.selector)
	}
}

func TestAccAQuantityThatTheServerSpellsItsWayIsNoDrift(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	quota := kube.Key{Kind: kube.Kind{Version: "v1", Kind: "ResourceQuota", Resource: "resourcequotas", Namespaced: true}, Namespace: namespace, Name: "q"}
	text := func(cpu string) string {
		return api.ProviderBlock() + manifest("x", fmt.Sprintf("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: %s}\nspec: {hard: {requests.cpu: %s, requests.memory: 1024Mi}}", namespace, cpu))
	}
	w := cli.New(t, text("1000m"))
	w.Apply(t)
	equal(t, "cpu", field(api.Get(t, quota), "spec", "hard", "requests.cpu"), "1")
	unchanged(t, w)

	t.Run("after an import the spelling is settled in place", func(t *testing.T) {
		w.Must(t, "state", "rm", address)
		w.Must(t, "import", "-no-color", address, "v1/ResourceQuota:"+namespace+"/q")
		changes(t, w, map[string]string{address: "update"})
		w.Apply(t)
		unchanged(t, w)
	})
	t.Run("but another value is", func(t *testing.T) {
		api.EditAs(t, "kubectl-edit", quota, set("2", "spec", "hard", "requests.cpu"))
		changes(t, w, map[string]string{address: "update"})
		w.Apply(t)
		equal(t, "cpu", field(api.Get(t, quota), "spec", "hard", "requests.cpu"), "1")
		unchanged(t, w)
	})
	t.Run("and a hand that writes the same in our spelling is not", func(t *testing.T) {
		w.Configure(t, text(`"2"`))
		w.Apply(t)
		w.Configure(t, text("2000m"))
		w.Apply(t)
		unchanged(t, w)
	})
}

func TestAccLongAndForeignNames(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	long := strings.Repeat("abcdefghi.", 25) + "xyz" // 253 characters
	for name, object := range map[string]struct {
		text string
		id   string
	}{
		"253 characters": {
			fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: %s}\ndata: {a: b}", long, namespace),
			fmt.Sprintf("v1/ConfigMap:%s/%s", namespace, long),
		},
		"colons": {
			fmt.Sprintf("apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: \"system:%s:role\", namespace: %s}\nrules: [{apiGroups: [\"\"], resources: [pods], verbs: [get]}]", namespace, namespace),
			fmt.Sprintf("rbac.authorization.k8s.io/v1/Role:%s/system:%s:role", namespace, namespace),
		},
		"unicode in the data": {
			fmt.Sprintf("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: unicode, namespace: %s, annotations: {note: \"Grüße ⚡ 東京\"}}\ndata: {a: \"Grüße ⚡ 東京 👩‍💻\"}", namespace),
			fmt.Sprintf("v1/ConfigMap:%s/unicode", namespace),
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := cli.New(t, api.ProviderBlock()+manifest("x", object.text))
			w.Apply(t)
			unchanged(t, w)
			w.Must(t, "state", "rm", address)
			w.Must(t, "import", "-no-color", address, object.id)
			unchanged(t, w)
			w.Destroy(t)
		})
	}
}

// Server-side apply makes null of an owned map that loses its last key, which the schema refuses: the engine goes round it.
func TestAccAMapIsEmptied(t *testing.T) {
	s := start(t, "{selector: {a: b}, free: {a: b}}")
	s.Apply(t)
	s.now(t, "{selector: {}, free: {}}")
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "selector", fmt.Sprint(s.live(t, "spec", "selector")), "map[]")
}
