package manifest_test

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const (
	address = "k0smos_manifest.x" // of the resource that most tests are about
	manager = "terraform-provider-k0smos:manifest"
	owner   = "k0smos.io/owner"
)

// manifest is one k0smos_manifest; more are further lines of it.
func manifest(name, text string, more ...string) string {
	return fmt.Sprintf("resource \"k0smos_manifest\" %q {\n  manifest = <<-YAML\n%s\n  YAML\n  %s\n}\n", name, strings.TrimSpace(text), strings.Join(more, "\n  "))
}

// widget is the YAML of a Widget with a spec in flow style.
func widget(namespace, name, spec string) string {
	return fmt.Sprintf("apiVersion: acctest.k0smos.io/v1\nkind: Widget\nmetadata: {name: %s, namespace: %s}\nspec: %s", name, namespace, spec)
}

func widgetKey(namespace, name string) kube.Key {
	return kube.Key{Kind: acctest.Widgets, Namespace: namespace, Name: name}
}

// setup is a namespace on the shared API server, with a folder whose configuration has one Widget "w" with this spec.
type setup struct {
	*cli.Workdir
	api       *acctest.Server
	namespace string
	key       kube.Key
	block     string
	proxy     *faultproxy.Proxy // nil where the provider reaches the server straight
}

func start(t *testing.T, spec string, more ...string) *setup {
	t.Helper()
	api := acctest.SharedServer(t)
	return begin(t, api, nil, api.ProviderBlock(), spec, more...)
}

// startProxied is start with a fault proxy between provider and server.
func startProxied(t *testing.T, spec string, more ...string) *setup {
	t.Helper()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	return begin(t, api, proxy, acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig())), spec, more...)
}

func begin(t *testing.T, api *acctest.Server, proxy *faultproxy.Proxy, block, spec string, more ...string) *setup {
	t.Helper()
	s := &setup{api: api, namespace: api.Namespace(t), block: block, proxy: proxy}
	s.key = widgetKey(s.namespace, "w")
	s.Workdir = cli.New(t, s.text(spec, more...))
	return s
}

func (s *setup) text(spec string, more ...string) string {
	return s.block + manifest("x", widget(s.namespace, "w", spec), more...)
}

// now changes the Widget's spec.
func (s *setup) now(t *testing.T, spec string, more ...string) {
	t.Helper()
	s.Configure(t, s.text(spec, more...))
}

// live is a field of the Widget as the server has it; nil where it is not there.
func (s *setup) live(t *testing.T, fields ...string) any {
	t.Helper()
	return field(s.api.Get(t, s.key), fields...)
}

func field(o *unstructured.Unstructured, fields ...string) any {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, fields...)
	return value
}

// set is a change for EditAs.
func set(value any, fields ...string) func(map[string]any) {
	return func(object map[string]any) {
		if err := unstructured.SetNestedField(object, value, fields...); err != nil {
			panic(err)
		}
	}
}

// unchanged fails the test unless a plan has nothing to do.
func unchanged(t *testing.T, w *cli.Workdir) {
	t.Helper()
	changes(t, w, nil)
}

// changes fails the test unless a plan does just this, by address.
func changes(t *testing.T, w *cli.Workdir, want map[string]string) {
	t.Helper()
	got := w.Changes(t)
	if fmt.Sprint(got) != fmt.Sprint(want) && len(got)+len(want) > 0 {
		t.Errorf("the plan does %v, want %v:\n%s", got, want, w.Plan(t).Output)
	}
}

// kept fails the test unless the state holds the resource, untainted.
func kept(t *testing.T, w *cli.Workdir) {
	t.Helper()
	r, ok := w.State(t)[address]
	switch {
	case !ok:
		t.Error("the resource is gone from the state")
	case r.Tainted:
		t.Error("the resource is tainted")
	}
}

func equal[T comparable](t *testing.T, what string, got any, want T) {
	t.Helper()
	if got != any(want) {
		t.Errorf("%s: got %v (%T), want %v", what, got, got, want)
	}
}

// onWidgets matches requests about Widgets.
func onWidgets(verb string, dry faultproxy.DryRun) faultproxy.Match {
	return faultproxy.Match{Verb: verb, Resource: "widgets", DryRun: dry}
}

// refreshed is the resource as a refresh leaves it in the state.
func (s *setup) refreshed(t *testing.T) cli.Resource {
	t.Helper()
	s.Apply(t, "-refresh-only")
	return s.State(t)[address]
}

// page is an answer that does not come from an API server.
func page(status int, contentType, body string) faultproxy.Action {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// timeout is the limit of one operation.
func timeout(operation, limit string) string {
	return fmt.Sprintf("timeouts {\n    %s = %q\n  }", operation, limit)
}
