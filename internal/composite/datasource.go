package composite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Source says everything the engine has to know about one data source. It is the read-only sibling of Kind: M is a struct of
// attribute values, and the functions are pure.
type Source[M any] struct {
	// Name is the data source's name without the provider's prefix.
	Name string

	// Schema returns all attributes and the description.
	Schema func() schema.Schema

	// Checks judge a configuration by itself, with no network. Values may be unknown.
	Checks []Check[M]

	// Refs lists the objects that Read looks at. It is called with what was found so far until nothing new comes up.
	// An object that does not exist is no error here: Read finds it missing. Nil means none.
	Refs func(m M, found Live) []Ref

	// Target is the hosted cluster that Read looks into. Nil, or null, means the management cluster.
	Target func(m M) tf.Object[ClusterRef]

	// Queries selects more objects that Read looks at, where their names are not known. It is called like Refs. Nil means
	// none.
	Queries func(m M, found Live) []Query

	// Groups lists the API groups whose served versions Read wants to know. Nil means none.
	Groups func(m M) []string

	// Server tells that Read wants to know which cluster it is, and of which version.
	Server bool

	// Read fills the computed attributes from what was seen. A finding that is no warning fails the read.
	Read func(m *M, seen Seen) []Finding

	// Dialects lists the API versions that Refs asks for, so that a cluster that serves only others is told from one
	// that lacks the operator.
	Dialects []Dialect
}

// Seen is what the engine read for a data source.
type Seen struct {
	Cluster string              // how messages call the management cluster
	Live    Live                // the objects of Refs that exist
	Served  map[string][]string // versions by group of Groups, the preferred one first; a group that is not served is missing
	Server  Server              // zero unless asked for
}

// Server is who an API server is.
type Server struct {
	UID     string // of the namespace kube-system, which tells clusters apart
	Version string // as the server spells it: v1.36.3
}

// DataSource serves a Source to Terraform.
type DataSource[M any] struct {
	source   Source[M]
	provider *Provider
}

// NewSource returns the constructor that the provider lists for a data source.
func NewSource[M any](source Source[M]) func() datasource.DataSource {
	return func() datasource.DataSource { return &DataSource[M]{source: source} }
}

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource[struct{}])(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource[struct{}])(nil)
)

// Metadata names the data source.
func (d *DataSource[M]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.source.Name
}

// Schema returns the schema.
func (d *DataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = d.source.Schema()
}

// Configure takes what the provider block set up.
func (d *DataSource[M]) Configure(_ context.Context, req datasource.ConfigureRequest, _ *datasource.ConfigureResponse) {
	if p, ok := req.ProviderData.(*Provider); ok {
		d.provider = p
	}
}

// ValidateConfig runs the checks, which need no network.
func (d *DataSource[M]) ValidateConfig(ctx context.Context, req datasource.ValidateConfigRequest, resp *datasource.ValidateConfigResponse) {
	var m M
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	for _, check := range d.source.Checks {
		resp.Diagnostics.Append(diagnostics(check(m))...)
	}
}

// Read asks the management cluster, past everything that is remembered: a data source is there to say what is so now.
func (d *DataSource[M]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var m M
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	x := &instance{provider: d.provider, cluster: d.provider.Pool.Management(), dialects: d.source.Dialects, record: &record{}}
	if d.source.Target != nil {
		if diags := d.target(ctx, x, d.source.Target(m)); diags.HasError() {
			resp.Diagnostics.Append(diags...)
			return
		}
	}
	seen, diags := d.look(ctx, x, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if resp.Diagnostics.Append(diagnostics(d.source.Read(&m, seen))...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// look reads everything that the data source asks for.
func (d *DataSource[M]) look(ctx context.Context, x *instance, m M) (Seen, diag.Diagnostics) {
	seen := Seen{Served: map[string][]string{}}
	found, diags := x.follow(ctx, func(found Live) []Query {
		var out []Query
		if d.source.Refs != nil {
			out = named(d.source.Refs(m, found))
		}
		if d.source.Queries != nil {
			out = append(out, d.source.Queries(m, found)...)
		}
		return out
	})
	if diags.HasError() {
		return seen, diags
	}
	seen.Live = found
	if d.source.Groups != nil {
		for _, group := range d.source.Groups(m) {
			versions, err := x.cluster.GroupVersions(ctx, group)
			if err != nil {
				return seen, x.explain("ask which versions of "+group+" are served", nil, err, nil)
			}
			if len(versions) > 0 {
				seen.Served[group] = versions
			}
		}
	}
	if d.source.Server {
		server, err := x.server(ctx)
		if err != nil {
			return seen, x.explain("ask which cluster this is", nil, err, nil)
		}
		seen.Server = server
	}
	seen.Cluster = x.cluster.Describe()
	return seen, nil
}

// named are the queries of single objects.
func named(refs []Ref) []Query {
	out := make([]Query, 0, len(refs))
	for _, ref := range refs {
		out = append(out, Query{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name})
	}
	return out
}

// target points x at the hosted cluster that is to be read.
func (d *DataSource[M]) target(ctx context.Context, x *instance, target tf.Object[ClusterRef]) diag.Diagnostics {
	ref, ok := target.Get()
	if !ok {
		return nil
	}
	x.hosted, x.wantUID = true, ref.UID.ValueString()
	x.cluster = d.provider.Pool.Hosted(kube.Ref{Namespace: ref.Namespace.ValueString(), Name: ref.Name.ValueString(), UID: x.wantUID})
	if x.wantUID == "" {
		return nil
	}
	now, err := x.cluster.Pin(ctx)
	switch {
	case err != nil:
		return x.explain("ask which cluster this is", nil, err, nil)
	case now.Cluster != "" && now.Cluster != x.wantUID:
		return diag.Diagnostics{diag.NewErrorDiagnostic("Another hosted cluster than meant", fmt.Sprintf(
			"cluster.uid is %s, and the %s has UID %s by now: it was made anew, or the reference was written by hand.\n\nPlan again, or leave uid out of a reference written by hand.", x.wantUID, x.cluster.Describe(), now.Cluster))}
	}
	return nil
}

// follow gets objects, and then those that the objects found lead to, each once. What does not exist is left out.
func (x *instance) follow(ctx context.Context, queries func(found Live) []Query) (Live, diag.Diagnostics) {
	var found Live
	asked, have := map[kube.Selection]bool{}, map[string]bool{}
	for more := true; more; {
		more = false
		wanted := queries(found)
		for i, selection := range x.selections(wanted) {
			if asked[selection] {
				continue
			}
			asked[selection], more = true, true
			q := wanted[i]
			live, err := x.query(ctx, q)
			switch e := kube.AsError(err); {
			case e == nil:
			case e.Reason == kube.ReasonNoKind:
				if diags := x.checkDialects(ctx); diags.HasError() {
					return nil, diags
				}
				fallthrough
			default:
				return nil, x.in(q.Hosted).explain("read "+q.what(), nil, err, nil)
			}
			for _, o := range live {
				if at := selection.Cluster.Describe() + " " + o.GroupVersionKind().GroupKind().String() + " " + memberName("", o.GetNamespace(), o.GetName()); !have[at] {
					have[at] = true
					found = append(found, o)
				}
			}
		}
	}
	return found, nil
}

// server asks an API server who it is. Every authenticated user may read its version.
func (x *instance) server(ctx context.Context) (Server, error) {
	pin, err := x.cluster.Pin(ctx)
	if err != nil {
		return Server{}, err
	}
	body, _, err := x.cluster.Raw(ctx, http.MethodGet, "/version", nil)
	if err != nil {
		return Server{}, err
	}
	var version struct {
		GitVersion string `json:"gitVersion"`
	}
	if json.Unmarshal(body, &version) != nil || version.GitVersion == "" {
		return Server{}, &kube.Error{Reason: kube.ReasonOffline, Cluster: x.cluster.Describe(), Object: "/version",
			Message: "what answers there is not a Kubernetes API server: the answer is no version. Check the address"}
	}
	return Server{UID: pin.Management, Version: version.GitVersion}, nil
}
