package composite_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// address is the one resource of a test's configuration.
const address = "engine_set.x"

// model is a resource made for tests: a ConfigMap, and whatever other objects its parts say.
type model struct {
	composite.NamespacedMeta
	Name     types.String         `tfsdk:"name"`
	Parts    tf.Map[types.String] `tfsdk:"parts"`    // "Kind/name" -> what is in it
	Size     types.Int64          `tfsdk:"size"`     // a field of the ConfigMap
	Zone     types.String         `tfsdk:"zone"`     // cannot change in place
	Rotation types.Int64          `tfsdk:"rotation"` // set: there is a generated key

	UID         types.String `tfsdk:"uid"`         // of the ConfigMap
	Serial      types.String `tfsdk:"serial"`      // of the ConfigMap, another one after every write
	Fingerprint types.String `tfsdk:"fingerprint"` // of the generated key
}

// set is the kind of model. Tests add what they are about.
func set() composite.Kind[model] {
	return composite.Kind[model]{
		Name: "set",
		Schema: func() schema.Schema {
			computed := schema.StringAttribute{Computed: true}
			return schema.Schema{Attributes: map[string]schema.Attribute{
				"name":     schema.StringAttribute{Required: true},
				"parts":    schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType},
				"size":     schema.Int64Attribute{Optional: true},
				"zone":     schema.StringAttribute{Optional: true},
				"rotation": schema.Int64Attribute{Optional: true},
				"uid":      computed, "serial": computed, "fingerprint": computed,
			}}
		},
		ID: func(m model) composite.ID {
			return composite.ID{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
		},
		SetID: func(m *model, id composite.ID) error {
			m.Namespace, m.Name = types.StringValue(id.Namespace), types.StringValue(id.Name)
			return nil
		},
		Compose: compose,
		Observe: func(m *model, live composite.Live) {
			main, ok := live.Find("ConfigMap", m.Name.ValueString())
			if !ok {
				return
			}
			read := func(section, key string) types.String {
				fields, _ := main[section].(map[string]any)
				if s, ok := fields[key].(string); ok {
					return types.StringValue(s)
				}
				return types.StringNull()
			}
			m.UID, m.Serial, m.Fingerprint = read("metadata", "uid"), read("metadata", "resourceVersion"), read("data", "fingerprint")
		},
		Observed: map[string]composite.Output{"uid": {Inputs: []string{"name", "namespace"}}, "serial": {Inputs: []string{"size"}}, "fingerprint": {Inputs: []string{"name", "rotation"}}},
		Ready:    map[string]composite.Readiness{"Widget": ready},
		Replace: func(prior, plan model) (out []path.Path) {
			if !prior.Zone.Equal(plan.Zone) {
				out = append(out, path.Root("zone"))
			}
			return out
		},
	}
}

// compose makes the ConfigMap, the Secret of the generated key, and the parts in the order of their names.
func compose(m model, f composite.Facts) ([]composite.Object, error) {
	namespace, name := m.Namespace.ValueString(), m.Name.ValueString()
	data := map[string]any{"size": strconv.FormatInt(m.Size.ValueInt64(), 10)}
	if key := f.GeneratedValue("key"); key != nil {
		data["fingerprint"] = fingerprint(key)
	}
	objects := []composite.Object{composite.RawObject(api.Kind(acctest.ConfigMaps), namespace, name, map[string]any{"data": data})}
	if !m.Rotation.IsNull() {
		objects = append(objects, composite.RawObject(api.Kind(acctest.Secrets), namespace, name+"-key", map[string]any{
			"data": map[string]any{"key": f.Generated("key")},
		}))
	}
	for _, part := range slices.Sorted(maps.Keys(m.Parts.Known())) {
		kind, name, _ := strings.Cut(part, "/")
		value := m.Parts.Known()[part].ValueString()
		content, of := map[string]any{"data": map[string]any{"value": value}}, acctest.ConfigMaps
		switch kind {
		case "Secret":
			content, of = map[string]any{"data": map[string]any{"value": base64.StdEncoding.EncodeToString([]byte(value))}}, acctest.Secrets
		case "Widget":
			content, of = map[string]any{"spec": map[string]any{"image": value}}, acctest.Widgets
		}
		if value == "held" {
			content["metadata"] = map[string]any{"finalizers": []any{finalizer}}
		}
		objects = append(objects, composite.RawObject(api.Kind(of), namespace, name, content))
	}
	return objects, nil
}

func fingerprint(key []byte) string {
	sum := sha256.Sum256(key)
	return hex.EncodeToString(sum[:6])
}

// ready judges a Widget by its image: "ready" is ready as soon as it exists, "broken" fails, others need a status.
func ready(live map[string]any) composite.ReadyState {
	spec, _ := live["spec"].(map[string]any)
	status, _ := live["status"].(map[string]any)
	switch {
	case spec["image"] == "broken":
		return composite.ReadyState{Failed: true, Why: "the image does not exist"}
	case spec["image"] == "ready" || status["image"] == spec["image"]:
		return composite.ReadyState{Ready: true}
	default:
		return composite.ReadyState{Why: "the image is being pulled"}
	}
}

// engine is a provider that serves nothing but a kind.
type engine struct {
	kind       composite.Kind[model]
	kubeconfig string
}

func (e engine) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "engine"
}
func (e engine) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (e engine) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = &composite.Provider{
		Pool:         kube.NewPool(kube.Source{ConfigPaths: []string{e.kubeconfig}}, kube.Options{UserAgent: "engine"}),
		FieldManager: "engine", Owner: "test",
	}
}
func (e engine) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (e engine) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{composite.New(e.kind)}
}

// bench is a namespace on the shared API server, for one test.
type bench struct {
	*acctest.Server
	namespace string
	talk      *talk
}

func newBench(t *testing.T) *bench {
	t.Helper()
	api := acctest.SharedServer(t)
	return &bench{Server: api, namespace: api.Namespace(t), talk: &talk{}}
}

// serving is the provider with this kind. What it says to the command line can be read in b.talk.
func (b *bench) serving(kind composite.Kind[model]) map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){"engine": func() (tfprotov6.ProviderServer, error) {
		server, err := providerserver.NewProtocol6WithError(engine{kind, b.Kubeconfig})()
		return listener{server, b.talk}, err
	}}
}

// config is a configuration with one set "x", which has these lines beside its name.
func (b *bench) config(lines ...string) string {
	return fmt.Sprintf("resource \"engine_set\" \"x\" {\n  name = \"x\"\n  namespace = %q\n  %s\n}\n", b.namespace, strings.Join(lines, "\n  "))
}

func (b *bench) key(kind kube.Kind, name string) kube.Key {
	return kube.Key{Kind: kind, Namespace: b.namespace, Name: name}
}

// parts is the parts attribute: what(s) are "Kind/name", or "Kind/name=value".
func parts(what ...string) string {
	var b strings.Builder
	for _, part := range what {
		name, value, given := strings.Cut(part, "=")
		if !given {
			value = "v"
		}
		fmt.Fprintf(&b, "%q = %q, ", name, value)
	}
	return "parts = {" + b.String() + "}"
}

// there are the parts that exist, of those named.
func (b *bench) there(t *testing.T, what ...string) string {
	t.Helper()
	var found []string
	for _, part := range what {
		kind, name, _ := strings.Cut(part, "/")
		of := map[string]kube.Kind{"ConfigMap": acctest.ConfigMaps, "Secret": acctest.Secrets, "Widget": acctest.Widgets}[kind]
		if b.Find(t, b.key(of, name)) != nil {
			found = append(found, part)
		}
	}
	return strings.Join(found, " ")
}

// saying matches a message however it was wrapped.
func saying(texts ...string) *regexp.Regexp {
	for i, text := range texts {
		texts[i] = strings.ReplaceAll(regexp.QuoteMeta(text), " ", `\s+`)
	}
	return regexp.MustCompile("(?s)" + strings.Join(texts, ".*"))
}

// planned is what a step's plan has to be.
func planned(checks ...plancheck.PlanCheck) tftest.ConfigPlanChecks {
	return tftest.ConfigPlanChecks{PreApply: checks}
}

func inPlace() plancheck.PlanCheck {
	return plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func tfParts(m map[string]string) tf.Map[types.String] {
	out := map[string]types.String{}
	for k, v := range m {
		out[k] = types.StringValue(v)
	}
	return tf.MapOf(out)
}
