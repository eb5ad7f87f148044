package tf

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// poolProvider serves one resource through the framework's own server, so that these tests see what Terraform sees.
// Reading it returns every value in another spelling.
type poolProvider struct{}

func (poolProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "test"
}
func (poolProvider) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}
func (poolProvider) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}
func (poolProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
func (poolProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return poolResource{} }}
}

type poolResource struct{}

func (poolResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "test_pool"
}

func (poolResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = poolSchema()
}

func (poolResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m pool
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, respell(m))...)
}

func (poolResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m pool
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	resp.Diagnostics.Append(resp.State.Set(ctx, respell(m))...)
}

func (poolResource) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}
func (poolResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

func spelled() pool {
	h := ObjectOf(host{
		Address: types.StringValue("203.0.113.10"), Memory: QuantityOf("1Gi"), Drain: ObjectOf(drain{Timeout: DurationOf("90m")}),
		Shares: MapOf(map[string]List[Quantity]{"a": ListOf(QuantityOf("1000m"))}), Taints: EmptyMap[Object[taint]](),
	})
	return pool{
		Version: VersionOf("1.35.4"), CPU: QuantityOf("1000m"), Sizes: MapOf(map[string]Quantity{"a": QuantityOf("1k")}),
		Drain: ObjectOf(drain{Timeout: DurationOf("90m")}), Hosts: MapOf(map[string]Object[host]{"a": h}), Order: ListOf(h),
		Manifest: ManifestText(head),
	}
}

func respell(m pool) pool {
	m.ignored = true
	h := ObjectOf(host{
		Address: types.StringValue("203.0.113.10"), Memory: QuantityOf("1024Mi"), Drain: ObjectOf(drain{Timeout: DurationOf("1h30m")}),
		Shares: MapOf(map[string]List[Quantity]{"a": ListOf(QuantityOf("1"))}), Taints: EmptyMap[Object[taint]](),
	})
	m.Version, m.CPU, m.Sizes = VersionOf("v1.35.4+k0s.0"), QuantityOf("1"), MapOf(map[string]Quantity{"a": QuantityOf("1000")})
	m.Drain, m.Hosts, m.Order = ObjectOf(drain{Timeout: DurationOf("1h30m")}), MapOf(map[string]Object[host]{"a": h}), ListOf(h)
	m.Manifest = ManifestText(goodManifests[1])
	return m
}

func serve(t *testing.T) (tfprotov6.ProviderServer, tftypes.Type) {
	t.Helper()
	server, err := providerserver.NewProtocol6WithError(poolProvider{})()
	if err != nil {
		t.Fatal(err)
	}
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	noErrors(t, all.Diagnostics)
	return server, all.ResourceSchemas["test_pool"].ValueType()
}

func onWire(t *testing.T, m pool) tftypes.Value {
	t.Helper()
	s := poolSchema()
	state := tfsdk.State{Schema: s, Raw: tftypes.NewValue(s.Type().TerraformType(t.Context()), nil)}
	if diags := state.Set(t.Context(), m); diags.HasError() {
		t.Fatal(diags)
	}
	return state.Raw
}

func packed(t *testing.T, typ tftypes.Type, v tftypes.Value) *tfprotov6.DynamicValue {
	t.Helper()
	d, err := tfprotov6.NewDynamicValue(typ, v)
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func noErrors(t *testing.T, diags []*tfprotov6.Diagnostic) {
	t.Helper()
	for _, d := range diags {
		t.Errorf("%s: %s: %s", d.Attribute, d.Summary, d.Detail)
	}
}

func unpacked(t *testing.T, typ tftypes.Type, d *tfprotov6.DynamicValue) tftypes.Value {
	t.Helper()
	v, err := d.Unmarshal(typ)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestTerraformSeesTheSchemaThatTheModelHas(t *testing.T) {
	_, typ := serve(t)
	if want := ObjectTypeOf[pool]().TerraformType(t.Context()); !typ.Equal(want) {
		t.Errorf("schema %s\nmodel  %s", typ, want)
	}
}

func TestAnotherSpellingFromTheClusterKeepsTheUsersOwn(t *testing.T) {
	server, typ := serve(t)
	prior := onWire(t, spelled())
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "test_pool", CurrentState: packed(t, typ, prior)})
	if err != nil {
		t.Fatal(err)
	}
	noErrors(t, read.Diagnostics)
	if got := unpacked(t, typ, read.NewState); !got.Equal(prior) {
		t.Errorf("after read\n%s\nwant\n%s", got, prior)
	}
	null := packed(t, typ, tftypes.NewValue(typ, nil))
	config := packed(t, typ, prior)
	planned, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{TypeName: "test_pool", Config: config, PriorState: null, ProposedNewState: config})
	if err != nil {
		t.Fatal(err)
	}
	noErrors(t, planned.Diagnostics)
	if got := unpacked(t, typ, planned.PlannedState); !got.Equal(prior) {
		t.Errorf("planned\n%s\nwant\n%s", got, prior)
	}
	applied, err := server.ApplyResourceChange(t.Context(), &tfprotov6.ApplyResourceChangeRequest{TypeName: "test_pool", Config: config, PriorState: null, PlannedState: planned.PlannedState})
	if err != nil {
		t.Fatal(err)
	}
	noErrors(t, applied.Diagnostics)
	if got := unpacked(t, typ, applied.NewState); !got.Equal(prior) {
		t.Errorf("after create\n%s\nwant\n%s", got, prior)
	}
}

func TestValidationNamesTheAttributeAndKeepsSecrets(t *testing.T) {
	server, typ := serve(t)
	m := pool{
		CPU: QuantityOf("-1"), Sizes: MapOf(map[string]Quantity{"a": QuantityOf("x")}), Secret: types.StringValue("Canary"), Version: VersionOf("latest"),
		Hosts: MapOf(map[string]Object[host]{"q": ObjectOf(host{
			Address: types.StringValue("https://a"), Port: types.Int64Value(0), Memory: QuantityOf("0"), Drain: ObjectOf(drain{Timeout: DurationOf("0s")}),
		}), "u": UnknownObject[host]()}),
	}
	m.Name, m.Namespace, m.Labels = types.StringValue("A"), types.StringValue("a..b"), MapOf(map[string]types.String{"k": types.StringValue("no space")})
	s := poolSchema()
	values := onWireUnchecked(t, s.Type().TerraformType(t.Context()), m)
	resp, err := server.ValidateResourceConfig(t.Context(), &tfprotov6.ValidateResourceConfigRequest{TypeName: "test_pool", Config: packed(t, typ, values)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range resp.Diagnostics {
		if d.Attribute == nil {
			t.Errorf("without a path: %s", d.Detail)
			continue
		}
		got[d.Attribute.String()] = d.Detail
		if strings.Contains(d.Summary+d.Detail, "Canary") || strings.Contains(d.Detail, "'C'") {
			t.Errorf("a secret is shown: %s", d.Detail)
		}
	}
	want := map[string]string{
		`AttributeName("cpu")`:                                                                         `"-1" is not a valid quantity: it is below zero. Allowed: a Kubernetes quantity of zero or more. Example: "0", "500m" or "64Gi".`,
		`AttributeName("sizes").ElementKeyString("a")`:                                                 `"x" is not a quantity. Allowed is`,
		`AttributeName("secret")`:                                                                      `The value, which is sensitive, is not a valid name: what exactly is wrong would show a part of it. Allowed: 1 to 10 characters`,
		`AttributeName("version")`:                                                                     `"latest" is not a k0s version.`,
		`AttributeName("name")`:                                                                        `"A" is not a valid name: it has the upper case letter 'A'. Allowed: 1 to 40 characters`,
		`AttributeName("namespace")`:                                                                   `"a..b" is not a valid name: a dot must have a letter or digit on both sides.`,
		`AttributeName("labels").ElementKeyString("k")`:                                                `"no space" is not a valid value of the label "k".`,
		`AttributeName("hosts").ElementKeyString("q").AttributeName("address")`:                        `it has a scheme`,
		`AttributeName("hosts").ElementKeyString("q").AttributeName("port")`:                           `0 is not a valid port: it is out of range. Allowed: a whole number from 1 to 65535. Example: 6443.`,
		`AttributeName("hosts").ElementKeyString("q").AttributeName("memory")`:                         `it is not above zero`,
		`AttributeName("hosts").ElementKeyString("q").AttributeName("drain").AttributeName("timeout")`: `"0s" is not a valid duration: it is not above zero.`,
	}
	for at, text := range want {
		if !strings.Contains(got[at], text) {
			t.Errorf("at %s: %q, want %q", at, got[at], text)
		}
		delete(got, at)
	}
	for at, text := range got {
		t.Errorf("not expected at %s: %s", at, text)
	}
}

// onWireUnchecked builds a configuration with values that State.Set would refuse.
func onWireUnchecked(t *testing.T, typ tftypes.Type, m pool) tftypes.Value {
	t.Helper()
	v, err := ObjectOf(m).ToTerraformValue(t.Context())
	if err != nil || !v.Type().Equal(typ) {
		t.Fatalf("%s: %v", v, err)
	}
	return v
}
