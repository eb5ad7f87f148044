package composite_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	dataschema "github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// hosted makes the test's own API server the hosted cluster of a name, as k0smotron does: by a Secret with a kubeconfig.
func (b *bench) hosted(t *testing.T, name string) *composite.HostedRef {
	t.Helper()
	kubeconfig, err := os.ReadFile(b.Kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	b.ApplyAs(t, "k0smotron", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s-kubeconfig, namespace: %s}, data: {value: %s}}", name, b.namespace, base64.StdEncoding.EncodeToString(kubeconfig)))
	return &composite.HostedRef{Namespace: b.namespace, Name: name}
}

func TestAccAStepLooksIntoHostedClustersAndPatchesThere(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	var there *composite.HostedRef
	kind.After = func(*model, model) []composite.Step {
		return []composite.Step{{
			Name: "pass labels on to nodes",
			Look: func(composite.Live) []composite.Query {
				return []composite.Query{{Kind: api.Kind(acctest.Widgets), Namespace: b.namespace, Name: "node", Hosted: there}}
			},
			Next: func(seen composite.Live) composite.Move {
				w, ok := composite.As[widget](seen, api.Kind(acctest.Widgets), "node")
				if !ok || w.Metadata.Annotations["passed"] != "" {
					return composite.Move{Done: true}
				}
				return composite.Move{Why: "the labels are old", Patch: []composite.Patch{{Ref: b.ref("node"), Hosted: there, JSON: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"passed": "on"}}]`)}}}
			},
		}}
	}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{{
			PreConfig: func() {
				there = b.hosted(t, "train")
				b.widget(t, "node")
			},
			Config: b.config(),
			Check: func(*terraform.State) error {
				equal(t, "annotation", b.Get(t, b.key(acctest.Widgets, "node")).GetAnnotations()["passed"], "on")
				return nil
			},
		}},
	})
}

// catalog is the model of a data source made for tests.
type catalog struct {
	Namespace types.String                    `tfsdk:"namespace"`
	Cluster   tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Found     types.String                    `tfsdk:"found"`
	Where     types.String                    `tfsdk:"where"`
}

// catalogs lists the Widgets of a namespace, and the Secrets named like them in the hosted cluster of the name "other".
func catalogs() composite.Source[catalog] {
	return composite.Source[catalog]{
		Name: "catalog",
		Schema: func() dataschema.Schema {
			return dataschema.Schema{Attributes: map[string]dataschema.Attribute{
				"namespace": dataschema.StringAttribute{Required: true},
				"cluster": dataschema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](), Attributes: map[string]dataschema.Attribute{
					"name": dataschema.StringAttribute{Required: true}, "namespace": dataschema.StringAttribute{Required: true}, "uid": dataschema.StringAttribute{Optional: true},
				}},
				"found": dataschema.StringAttribute{Computed: true}, "where": dataschema.StringAttribute{Computed: true},
			}}
		},
		Target: func(m catalog) tf.Object[composite.ClusterRef] { return m.Cluster },
		Queries: func(m catalog, found composite.Live) []composite.Query {
			out := []composite.Query{{Kind: api.Kind(acctest.Widgets), Namespace: m.Namespace.ValueString()}, {Kind: api.Kind(acctest.Widgets), Namespace: m.Namespace.ValueString(), Selector: "made-by=test"}}
			for _, w := range composite.All[widget](found, api.Kind(acctest.Widgets)) {
				out = append(out, composite.Query{Kind: api.Kind(acctest.Secrets), Namespace: m.Namespace.ValueString(), Name: w.Metadata.Name, Hosted: &composite.HostedRef{Namespace: m.Namespace.ValueString(), Name: "other"}})
			}
			return out
		},
		Read: func(m *catalog, seen composite.Seen) []composite.Finding {
			var names []string
			for _, o := range seen.Live {
				names = append(names, o.GetKind()+"/"+o.GetName())
			}
			m.Found, m.Where = types.StringValue(strings.Join(names, " ")), types.StringValue(seen.Cluster)
			return nil
		},
	}
}

// reader is a provider that serves nothing but the catalog.
type reader struct{ engine }

func (r reader) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{composite.NewSource(catalogs())}
}

func (r reader) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.DataSourceData = &composite.Provider{Pool: kube.NewPool(kube.Source{ConfigPaths: []string{r.kubeconfig}}, kube.Options{UserAgent: "engine"})}
}

func TestAccADataSourceFollowsQueriesIntoHostedClusters(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.hosted(t, "train")
	b.hosted(t, "other")
	b.widget(t, "w1")
	b.widget(t, "w2")
	b.ApplyAs(t, "test", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: w2, namespace: %s}}", b.namespace))
	factories := map[string]func() (tfprotov6.ProviderServer, error){"engine": providerserver.NewProtocol6WithError(reader{engine{set(), b.Kubeconfig}})}
	config := func(cluster string) string {
		return fmt.Sprintf("data \"engine_catalog\" \"x\" {\n  namespace = %q\n  %s\n}\n", b.namespace, cluster)
	}
	found := tftest.TestCheckResourceAttr("data.engine_catalog.x", "found", "Widget/w1 Widget/w2 Secret/w2")
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: factories,
		Steps: []tftest.TestStep{
			{Config: config(""), Check: found},
			{
				Config: config(fmt.Sprintf("cluster = { name = \"train\", namespace = %q }", b.namespace)),
				Check:  tftest.ComposeTestCheckFunc(found, tftest.TestCheckResourceAttr("data.engine_catalog.x", "where", "hosted cluster "+b.namespace+"/train")),
			},
			{
				Config:      config(fmt.Sprintf("cluster = { name = \"gone\", namespace = %q }", b.namespace)),
				ExpectError: saying("Cannot read the objects of kind Widget in namespace "+b.namespace, "gone-kubeconfig", "does not exist"),
			},
		},
	})
}
