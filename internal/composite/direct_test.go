package composite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/float64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// jar is a resource with every kind of attribute that the engine has to treat by itself where it answers directly.
type jar struct {
	NamespacedMeta
	Name      types.String         `tfsdk:"name"`
	Size      types.Int64          `tfsdk:"size"`
	Color     types.String         `tfsdk:"color"`
	Note      types.String         `tfsdk:"note"`
	Lid       tf.Object[lid]       `tfsdk:"lid"`
	Manifest  tf.Manifest          `tfsdk:"manifest"`
	Volume    tf.Quantity          `tfsdk:"volume"`
	Secret    tf.Map[types.String] `tfsdk:"secret_wo"`
	Version   types.Int64          `tfsdk:"secret_wo_version"`
	Protected types.Bool           `tfsdk:"deletion_protection"`
	UID       types.String         `tfsdk:"uid"`
}

type lid struct {
	Tight types.Bool   `tfsdk:"tight"`
	Color types.String `tfsdk:"color"`
}

var configMaps = api.Kind{Version: "v1", Kind: "ConfigMap", Resource: "configmaps", Namespaced: true}

func jars() Kind[jar] {
	return Kind[jar]{
		Name: "jar",
		Schema: func() schema.Schema {
			return schema.Schema{Attributes: map[string]schema.Attribute{
				"name":  schema.StringAttribute{Required: true},
				"size":  schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(3)},
				"color": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("clear")},
				"note":  schema.StringAttribute{Optional: true},
				"lid": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[lid](), Attributes: map[string]schema.Attribute{
					"tight": schema.BoolAttribute{Optional: true}, "color": schema.StringAttribute{Required: true},
				}},
				"manifest":            schema.DynamicAttribute{Optional: true, CustomType: tf.ManifestType{}},
				"volume":              schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}},
				"secret_wo":           schema.MapAttribute{Optional: true, WriteOnly: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType},
				"secret_wo_version":   schema.Int64Attribute{Optional: true},
				"deletion_protection": schema.BoolAttribute{Optional: true},
				"uid":                 schema.StringAttribute{Computed: true},
			}}
		},
		ID: func(m jar) ID { return ID{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()} },
		Compose: func(m jar, _ Facts) ([]Object, error) {
			if m.Note.ValueString() == "impossible" {
				return nil, fmt.Errorf("a jar cannot be %s", m.Note.ValueString())
			}
			return []Object{RawObject(configMaps, m.Namespace.ValueString(), m.Name.ValueString(), map[string]any{"data": map[string]any{
				"size": fmt.Sprint(m.Size.ValueInt64()), "color": m.Color.ValueString(), "note": m.Note.ValueString(), "volume": m.Volume.ValueString(),
			}})}, nil
		},
		Observe: func(m *jar, live Live) {
			if main, ok := live.Find("ConfigMap", m.Name.ValueString()); ok {
				uid, _ := asMap(main["metadata"])["uid"].(string)
				m.UID = types.StringValue(uid)
			}
		},
		Observed:  map[string]Output{"uid": {Inputs: []string{"name"}}},
		WriteOnly: []string{"secret_wo"},
		Protected: func(m jar) bool { return m.Protected.ValueBool() },
		Replace: func(prior, plan jar) []path.Path {
			if prior.Name.Equal(plan.Name) {
				return nil
			}
			return []path.Path{path.Root("name")}
		},
		Transitions: []Transition[jar]{func(prior, plan jar) []Finding {
			if prior.Size.ValueInt64() > plan.Size.ValueInt64() {
				return []Finding{{Path: path.Root("size"), Summary: "Spills", Detail: "It gets smaller.", Warning: plan.Size.ValueInt64() > 0}}
			}
			return nil
		}},
	}
}

// shop is a provider of jars.
type shop struct {
	provider.Provider
	set *Provider
}

func (s shop) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "shop"
}
func (s shop) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (s shop) DataSources(context.Context) []func() datasource.DataSource               { return nil }
func (s shop) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{New(jars())}
}
func (s shop) Configure(_ context.Context, _ provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	resp.ResourceData = s.set
}

// counted counts what reaches the framework.
type counted struct {
	tfprotov6.ProviderServer
	calls *int
}

func (c counted) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	*c.calls++
	return c.ProviderServer.ReadResource(ctx, req)
}

func (c counted) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	*c.calls++
	return c.ProviderServer.PlanResourceChange(ctx, req)
}

// both returns the provider as the framework serves it and as the engine does, each with a memory of its own, and counts
// what the second one leaves to the framework.
func both(t *testing.T, host string, more func(*Provider)) (framework, engine tfprotov6.ProviderServer, left *int) {
	t.Helper()
	left = new(int)
	serve := func() (tfprotov6.ProviderServer, *Provider) {
		set := &Provider{Pool: kube.NewPool(kube.Source{Host: host}, kube.Options{UserAgent: "test"}), FieldManager: "test", Owner: "default"}
		if more != nil {
			more(set)
		}
		server := providerserver.NewProtocol6(shop{set: set})()
		if _, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{}); err != nil {
			t.Fatal(err)
		}
		empty, err := tfprotov6.NewDynamicValue(tftypes.Object{}, tftypes.NewValue(tftypes.Object{}, map[string]tftypes.Value{}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: &empty}); err != nil {
			t.Fatal(err)
		}
		return server, set
	}
	framework, _ = serve()
	plain, set := serve()
	return framework, Direct(counted{plain, left}, "shop", shop{}.Resources(t.Context()), func() *Provider { return set }), left
}

// closet is a resource of jars, to make states with.
func closet() *Resource[jar] {
	r, _ := New(jars())().(*Resource[jar])
	return r.with(&Provider{Pool: kube.NewPool(kube.Source{}, kube.Options{}), FieldManager: "test", Owner: "default"})
}

const jarOwner = "0123456789abcdef0123456789abcdef"

// kept is a jar as it is in the state after an apply, and its object.
func kept(t *testing.T, r *Resource[jar], edit func(*jar)) (jar, Object) {
	t.Helper()
	m := tf.NullOf[jar](t.Context(), r.schema.Type())
	m.Namespace, m.Name, m.Size, m.Color = types.StringValue("team"), types.StringValue("a"), types.Int64Value(3), types.StringValue("clear")
	m.Wait, m.WaitFailure, m.Adopt, m.CreateNamespace = types.BoolValue(true), types.StringValue(WaitWarning), types.BoolValue(false), types.BoolValue(false)
	m.Volume, m.UID = tf.QuantityOf("1000m"), types.StringValue("u1")
	m.Lid = tf.ObjectOf(lid{Tight: types.BoolNull(), Color: types.StringValue("red")})
	m.Manifest = tf.ManifestObject(nil).Like(map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "b"}})
	r.derive(&m, nil)
	objects, err := r.compose(m, Facts{})
	if err != nil {
		t.Fatal(err)
	}
	m.Objects, m.Revision, m.Manifests = members(objects), types.StringValue(revisionOf(objects)), tf.NullMap[types.String]()
	if edit != nil {
		edit(&m)
	}
	return m, objects[0]
}

// declared is the configuration that led to a state: what is only computed, and defaults, are left out.
func declared(m jar, edit func(*jar)) jar {
	m.ID, m.Size, m.Color, m.Wait, m.WaitFailure, m.Adopt = types.StringNull(), types.Int64Null(), types.StringNull(), types.BoolNull(), types.StringNull(), types.BoolNull()
	m.OnDestroy, m.CreateNamespace, m.UID, m.Revision = types.StringNull(), types.BoolNull(), types.StringNull(), types.StringNull()
	m.Objects, m.Drift = tf.NullList[tf.Object[Member]](), tf.NullList[tf.Object[Drift]]()
	m.EffectiveLabels, m.Manifests = tf.NullMap[types.String](), tf.NullMap[types.String]()
	if edit != nil {
		edit(&m)
	}
	return m
}

// proposal is what core makes of a configuration and a prior state: of what is computed and not declared, the prior value.
func proposal(s schema.Schema, config, prior tftypes.Value) tftypes.Value {
	values, before := maps.Clone(roots(config)), roots(prior)
	for name, a := range s.Attributes {
		if was, ok := before[name]; ok && a.IsComputed() && values[name].IsNull() {
			values[name] = was
		}
	}
	return tftypes.NewValue(config.Type(), values)
}

func pack(t *testing.T, typ tftypes.Type, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	d, err := tfprotov6.NewDynamicValue(typ, v)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func privateOf(t *testing.T, rec *record, more map[string][]byte) []byte {
	t.Helper()
	raw, err := json.Marshal(rec)
	if err != nil {
		t.Fatal(err)
	}
	data := map[string][]byte{recordKey: raw}
	maps.Copy(data, more)
	out, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// said writes an answer down so that two can be compared.
func said(t *testing.T, typ tftypes.Type, state *tfprotov6.DynamicValue, private []byte, identity *tfprotov6.ResourceIdentityData, replace []*tftypes.AttributePath, diags []*tfprotov6.Diagnostic) string {
	t.Helper()
	var b strings.Builder
	for _, d := range diags {
		fmt.Fprintf(&b, "%s %s: %s: %s\n", d.Severity, d.Attribute, d.Summary, d.Detail)
	}
	if strings.Contains(b.String(), "ERROR") {
		return b.String() // all else is then thrown away
	}
	raw, err := state.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	values := roots(raw)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		fmt.Fprintf(&b, "%s = %s\n", name, values[name])
	}
	fmt.Fprintf(&b, "null %t, private %s, replaces %s\n", raw.IsNull(), private, replace)
	if identity != nil && identity.IdentityData != nil {
		fmt.Fprintf(&b, "identity %x\n", identity.IdentityData.MsgPack)
	}
	return b.String()
}

func TestDirectPlansAreThoseOfTheFramework(t *testing.T) {
	closed := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no entry", http.StatusForbidden) }))
	defer closed.Close() // a plan goes on without the cluster, and says so
	r := closet()
	applied := record{Owner: jarOwner, Salt: "salt"}
	for name, c := range map[string]struct {
		state, config func(*jar)
		record        func(*record)
		private       map[string][]byte
		provider      func(*Provider)
		create        bool
		destroy       bool
		says          string
		framework     bool
	}{
		"a create": {create: true, says: "id = tftypes.String<\"team/a\">"},
		"a create with all defaults overridden": {create: true, config: func(m *jar) {
			m.Size, m.Color, m.Wait = types.Int64Value(9), types.StringValue("green"), types.BoolValue(false)
		}, says: `color = tftypes.String<"green">`},
		"a create with unknown values": {create: true, config: func(m *jar) {
			m.Note, m.Lid, m.Manifest = types.StringUnknown(), tf.UnknownObject[lid](), tf.UnknownManifest()
		}, says: "objects = tftypes.List"},
		"a create whose name is unknown": {create: true, config: func(m *jar) { m.Name = types.StringUnknown() }, says: "id = tftypes.String<unknown>"},
		"a create with a secret": {create: true, config: func(m *jar) {
			m.Secret = tf.MapOf(map[string]types.String{"k": types.StringValue("v")})
			m.Version = types.Int64Value(1)
		}, says: "secret_wo = tftypes.Map[tftypes.String]<null>"},
		"a create that adopts":                {create: true, config: func(m *jar) { m.Adopt = types.BoolValue(true) }, says: `on_destroy = tftypes.String<"release">`},
		"a create that cannot be composed":    {create: true, config: func(m *jar) { m.Note = types.StringValue("impossible") }, says: "Cannot compose"},
		"a create with a wrong quantity":      {create: true, config: func(m *jar) { m.Volume = tf.QuantityOf("much") }, says: "Invalid quantity"},
		"nothing new":                         {says: `revision = tftypes.String<"`},
		"another spelling":                    {config: func(m *jar) { m.Volume = tf.QuantityOf("1") }, says: `volume = tftypes.String<"1000m">`},
		"a manifest as text":                  {config: func(m *jar) { m.Manifest = tf.ManifestText("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}") }, says: "manifest = tftypes.Object"},
		"a change":                            {config: func(m *jar) { m.Note = types.StringValue("full") }, says: "revision = tftypes.String<unknown>"},
		"a change inside of an attribute":     {config: func(m *jar) { m.Lid = tf.ObjectOf(lid{Tight: types.BoolValue(true), Color: types.StringValue("red")}) }, says: `"tight":tftypes.Bool<"true">`},
		"a default that comes back":           {state: func(m *jar) { m.Color = types.StringValue("green") }, says: `color = tftypes.String<"clear">`},
		"a wait that is declared no more":     {state: func(m *jar) { m.Wait = types.BoolValue(false) }, says: `wait = tftypes.Bool<"true">`},
		"on_destroy that is declared no more": {state: func(m *jar) { m.OnDestroy = types.StringValue(OnDestroyRelease) }, says: `on_destroy = tftypes.String<"delete">`},
		"another name":                        {config: func(m *jar) { m.Name = types.StringValue("b") }, says: `AttributeName("name")`},
		"another name of what is protected":   {state: func(m *jar) { m.Protected = types.BoolValue(true) }, config: func(m *jar) { m.Protected, m.Name = types.BoolValue(true), types.StringValue("b") }, says: "is protected"},
		"a change with a warning":             {config: func(m *jar) { m.Size = types.Int64Value(1) }, says: "WARNING AttributeName(\"size\"): Spills"},
		"a change that is refused":            {config: func(m *jar) { m.Size = types.Int64Value(0) }, says: "ERROR AttributeName(\"size\"): Spills"},
		"another version of a secret": {state: func(m *jar) { m.Version = types.Int64Value(1) }, config: func(m *jar) {
			m.Secret = tf.MapOf(map[string]types.String{"k": types.StringValue("w")})
			m.Version = types.Int64Value(2)
		}, says: `secret_wo_version = tftypes.Number<"2">`},
		"the same version of a secret":   {state: func(m *jar) { m.Version = types.Int64Value(1) }, config: func(m *jar) { m.Secret = tf.MapOf(map[string]types.String{"k": types.StringValue("w")}) }, says: "secret_wo = tftypes.Map[tftypes.String]<null>"},
		"an apply that did not complete": {record: func(rec *record) { rec.Pending = "applying" }, state: func(m *jar) { m.Revision = types.StringValue(pendingRevision) }, says: "revision = tftypes.String<unknown>"},
		"an adoption":                    {record: func(rec *record) { rec.Foreign, rec.Pending = "nobody's", "imported" }, says: "Adopts team/a"},
		"drift": {state: func(m *jar) {
			m.Drift = tf.ListOf(tf.ObjectOf(Drift{Object: types.StringValue("ConfigMap/team/a"), Field: types.StringValue("data.size"), Wanted: types.StringValue("3"), Live: types.StringValue("4"), Manager: types.StringValue("kubectl")}))
		}, says: "drift = tftypes.List"},
		"labels of the provider that are new":  {provider: func(p *Provider) { p.DefaultLabels = map[string]string{"a": "b"} }, says: `"a":tftypes.String<"b">`},
		"labels of the provider that are open": {provider: func(p *Provider) { p.LabelsUnknown = true }, says: "effective_labels = tftypes.Map[tftypes.String]<unknown>"},
		"manifests asked for":                  {create: true, provider: func(p *Provider) { p.PlanManifests = true }, says: "kind: ConfigMap"},
		"a destroy":                            {destroy: true, says: "null true"},
		"a destroy of what is protected":       {destroy: true, state: func(m *jar) { m.Protected = types.BoolValue(true) }, says: "may not destroy it"},
		"private data of the framework":        {private: map[string][]byte{".framework": []byte("{}")}, says: "id = ", framework: true},
		"a record that is broken":              {private: map[string][]byte{recordKey: []byte("[]")}, says: "Private state is unreadable", framework: true},
	} {
		t.Run(name, func(t *testing.T) {
			prior, _ := kept(t, r, c.state)
			now, diags := r.model.Write(t.Context(), &prior)
			rec := applied
			if c.record != nil {
				c.record(&rec)
			}
			config := declared(prior, c.config)
			was, more := r.model.Write(t.Context(), &config)
			if diags.Append(more...); diags.HasError() {
				t.Fatal(diags)
			}
			req := tfprotov6.PlanResourceChangeRequest{TypeName: "shop_jar", PriorPrivate: privateOf(t, &rec, c.private)}
			null := tftypes.NewValue(r.wire, nil)
			switch {
			case c.create:
				now, req.PriorPrivate = null, nil
			case c.destroy:
				was = null
			}
			proposed := was
			if !c.create && !c.destroy {
				proposed = proposal(r.schema, was, now)
			}
			req.Config, req.PriorState, req.ProposedNewState = pack(t, r.wire, was), pack(t, r.wire, now), pack(t, r.wire, proposed)
			framework, engine, left := both(t, closed.URL, c.provider)
			want, err := framework.PlanResourceChange(t.Context(), &req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine.PlanResourceChange(t.Context(), &req)
			if err != nil {
				t.Fatal(err)
			}
			a := said(t, r.wire, want.PlannedState, want.PlannedPrivate, want.PlannedIdentity, want.RequiresReplace, want.Diagnostics)
			b := said(t, r.wire, got.PlannedState, got.PlannedPrivate, got.PlannedIdentity, got.RequiresReplace, got.Diagnostics)
			if a != b {
				t.Errorf("the framework says\n%s\nthe engine\n%s", a, b)
			}
			if !strings.Contains(a, c.says) {
				t.Errorf("%q is not in\n%s", c.says, a)
			}
			if (*left > 0) != c.framework {
				t.Errorf("the framework was asked %d times", *left)
			}
		})
	}
}

// pantry is an API server with a jar in it.
func pantry(t *testing.T, jar map[string]any, status int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body any
		code := http.StatusOK
		switch {
		case strings.HasSuffix(r.URL.Path, "/namespaces/kube-system"):
			body = map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "kube-system", "uid": "here"}}
		case status != http.StatusOK:
			code = status
			body = map[string]any{"apiVersion": "v1", "kind": "Status", "status": "Failure", "reason": http.StatusText(status), "code": status,
				"details": map[string]any{"name": "a", "kind": "configmaps"}}
		default:
			body = jar
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDirectReadsAreThoseOfTheFramework(t *testing.T) {
	r := closet()
	applied := record{Owner: jarOwner, Salt: "salt", Pin: kube.Pin{Management: "here"}}
	for name, c := range map[string]struct {
		state    func(*jar)
		live     func(map[string]any)
		record   func(*record)
		private  map[string][]byte
		provider func(*Provider)
		identity ID
		status   int
		says     string
		direct   bool
	}{
		"nothing new":                       {says: `uid = tftypes.String<"u1">`, direct: true},
		"nothing new, with the identity":    {identity: ID{Namespace: "team", Name: "a"}, says: "identity", direct: true},
		"an identity of another object":     {identity: ID{Namespace: "team", Name: "b"}, says: "Unexpected Identity Change"},
		"a change by hand":                  {live: func(o map[string]any) { asMap(o["data"])["size"] = "4" }, says: `"field":tftypes.String<"data.size">`},
		"drift that is over":                {state: func(m *jar) { m.Drift = tf.ListOf(tf.ObjectOf(Drift{Object: types.StringValue("ConfigMap/team/a")})) }, says: "drift = tftypes.List[tftypes.Object[\"field\":tftypes.String, \"live\":tftypes.String, \"manager\":tftypes.String, \"object\":tftypes.String, \"wanted\":tftypes.String]]<>"},
		"an object that was made anew":      {live: func(o map[string]any) { asMap(o["metadata"])["uid"] = "u2" }, says: `uid = tftypes.String<"u2">`},
		"an object that is gone":            {status: http.StatusNotFound, says: "null true"},
		"an object that may not be seen":    {status: http.StatusForbidden, says: "ERROR"},
		"another cluster":                   {record: func(rec *record) { rec.Pin.Management = "there" }, says: "ERROR"},
		"manifests asked for":               {provider: func(p *Provider) { p.PlanManifests = true }, says: "kind: ConfigMap"},
		"manifests asked for no more":       {state: func(m *jar) { m.Manifests = tf.MapOf(map[string]types.String{"a": types.StringValue("b")}) }, says: "manifests = tftypes.Map[tftypes.String]<null>"},
		"a state that cannot be composed":   {state: func(m *jar) { m.Note = types.StringValue("impossible") }, says: "Cannot compose"},
		"private data of the framework":     {private: map[string][]byte{".framework": []byte("{}")}, says: "id = "},
		"a field that the server respelled": {live: func(o map[string]any) { asMap(o["data"])["volume"] = "1" }, record: func(rec *record) { rec.accept("ConfigMap/team/a", "data.volume", "1") }, says: `volume = tftypes.String<"1000m">`, direct: true},
	} {
		t.Run(name, func(t *testing.T) {
			prior, object := kept(t, r, c.state)
			raw, diags := r.model.Write(t.Context(), &prior)
			if diags.HasError() {
				t.Fatal(diags)
			}
			rec := applied
			if c.record != nil {
				c.record(&rec)
			}
			x := r.instanceOf(prior, &record{Owner: jarOwner})
			live := x.mark([]Object{object})[0].render(toApply)
			asMap(live["metadata"])["uid"], asMap(live["metadata"])["resourceVersion"] = "u1", "7"
			if c.live != nil {
				c.live(live)
			}
			req := tfprotov6.ReadResourceRequest{TypeName: "shop_jar", CurrentState: pack(t, r.wire, raw), Private: privateOf(t, &rec, c.private)}
			if c.identity.Name != "" {
				m := c.identity.model()
				id, diags := r.identity.Write(t.Context(), &m)
				if diags.HasError() {
					t.Fatal(diags)
				}
				req.CurrentIdentity = &tfprotov6.ResourceIdentityData{IdentityData: pack(t, r.identity.Wire(), id)}
			}
			framework, engine, left := both(t, pantry(t, live, cmp.Or(c.status, http.StatusOK)), c.provider)
			want, err := framework.ReadResource(t.Context(), &req)
			if err != nil {
				t.Fatal(err)
			}
			got, err := engine.ReadResource(t.Context(), &req)
			if err != nil {
				t.Fatal(err)
			}
			a := said(t, r.wire, want.NewState, want.Private, want.NewIdentity, nil, want.Diagnostics)
			b := said(t, r.wire, got.NewState, got.Private, got.NewIdentity, nil, got.Diagnostics)
			if a != b {
				t.Errorf("the framework says\n%s\nthe engine\n%s", a, b)
			}
			if !strings.Contains(a, c.says) {
				t.Errorf("%q is not in\n%s", c.says, a)
			}
			if (*left == 0) != c.direct {
				t.Errorf("the framework was asked %d times", *left)
			}
		})
	}
}

func TestOnlyPlainSchemasArePlannedDirectly(t *testing.T) {
	nested := func(a schema.Attribute) schema.Schema {
		return schema.Schema{Attributes: map[string]schema.Attribute{"x": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"y": a}}}}
	}
	top := func(a schema.Attribute) schema.Schema {
		return schema.Schema{Attributes: map[string]schema.Attribute{"x": a}}
	}
	for name, c := range map[string]struct {
		schema schema.Schema
		plain  bool
	}{
		"optional inside":           {nested(schema.StringAttribute{Optional: true}), true},
		"computed inside":           {nested(schema.StringAttribute{Computed: true}), false},
		"a default inside":          {nested(schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("a")}), false},
		"write-only inside":         {nested(schema.StringAttribute{Optional: true, WriteOnly: true}), false},
		"a plan modifier":           {top(schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}}), false},
		"a plan modifier inside":    {nested(schema.StringAttribute{Optional: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}}), false},
		"a default of no default":   {top(schema.StringAttribute{Optional: true}), true},
		"a default of another kind": {top(schema.Float64Attribute{Optional: true, Computed: true, Default: float64default.StaticFloat64(1)}), false},
		"computed as a whole": {top(schema.ListNestedAttribute{Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"y": schema.StringAttribute{Computed: true}}}}), true},
		"computed inside of a list": {top(schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"y": schema.StringAttribute{Computed: true}}}}), false},
		"a list block": {schema.Schema{Blocks: map[string]schema.Block{"x": schema.ListNestedBlock{}}}, false},
	} {
		if plain := outlineOf(t.Context(), c.schema) != nil; plain != c.plain {
			t.Errorf("%s: plain is %t", name, plain)
		}
	}
}
