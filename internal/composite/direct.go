package composite

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// Direct puts the engine before the framework for the two calls that a run makes for every resource, changed or not: the
// read and the plan. The framework walks through each value a dozen times and finds its way through the schema at each
// step, at several times the cost of the answer itself. What it does for a plan of a plain schema, and for a read that
// finds nothing new, is little, and is done here; everything else it answers as before. TestDirect holds the two against
// each other.
//
// The provider is what Configure set up, nil before.
func Direct(framework tfprotov6.ProviderServer, prefix string, resources []func() resource.Resource, provider func() *Provider) tfprotov6.ProviderServer {
	d := direct{ProviderServer: framework, kinds: map[string]answerer{}, provider: provider}
	for _, construct := range resources {
		made := construct()
		if a, ok := made.(answerer); ok {
			var meta resource.MetadataResponse
			made.Metadata(context.Background(), resource.MetadataRequest{ProviderTypeName: prefix}, &meta)
			d.kinds[meta.TypeName] = a
		}
	}
	return d
}

type direct struct {
	tfprotov6.ProviderServer
	kinds    map[string]answerer
	provider func() *Provider
}

// answerer answers calls by itself, or with nil where the framework is to do so.
type answerer interface {
	answerRead(ctx context.Context, p *Provider, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, *found)
	answerPlan(ctx context.Context, p *Provider, req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse
}

func (d direct) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if a, p := d.kinds[req.TypeName], d.provider(); a != nil && p != nil {
		resp, seen := a.answerRead(ctx, p, req)
		if resp != nil {
			return resp, nil
		}
		ctx = context.WithValue(ctx, foundKey{}, seen)
	}
	return d.ProviderServer.ReadResource(ctx, req)
}

func (d direct) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if a, p := d.kinds[req.TypeName], d.provider(); a != nil && p != nil {
		if resp := a.answerPlan(ctx, p, req); resp != nil {
			return resp, nil
		}
	}
	return d.ProviderServer.PlanResourceChange(ctx, req)
}

// found is what a read found in the cluster.
type found struct {
	live  Live
	stuck *Object // which object could not be read
	err   error
}

// foundKey is where the context has a *found when a read by the framework follows, which then need not ask again.
type foundKey struct{}

// with is the resource as the framework's Configure would make it.
func (r *Resource[M]) with(p *Provider) *Resource[M] {
	return &Resource[M]{kind: r.kind, provider: p, form: r.form}
}

// recordOf reads the record in private data. The framework has data of its own there, after an import, and then has to be
// asked.
func recordOf(ctx context.Context, private []byte) (*record, bool) {
	data := privateData{}
	if len(private) > 0 && json.Unmarshal(private, &data) != nil {
		return nil, false
	}
	for key := range data {
		if strings.HasPrefix(key, ".") {
			return nil, false
		}
	}
	rec, diags := loadRecord(ctx, data)
	return rec, !diags.HasError()
}

// privateData is private data in the framework's form.
type privateData map[string][]byte

// GetKey returns the data of a key.
func (d privateData) GetKey(_ context.Context, key string) ([]byte, diag.Diagnostics) {
	return d[key], nil
}

func onWire(diags diag.Diagnostics) []*tfprotov6.Diagnostic {
	var out []*tfprotov6.Diagnostic
	for _, d := range diags {
		sent := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: d.Summary(), Detail: d.Detail()}
		if d.Severity() == diag.SeverityWarning {
			sent.Severity = tfprotov6.DiagnosticSeverityWarning
		}
		if at, ok := d.(diag.DiagnosticWithPath); ok {
			sent.Attribute = pathOnWire(at.Path())
		}
		out = append(out, sent)
	}
	return out
}

func pathOnWire(p path.Path) *tftypes.AttributePath {
	out := tftypes.NewAttributePath()
	for _, step := range p.Steps() {
		switch step := step.(type) {
		case path.PathStepAttributeName:
			out = out.WithAttributeName(string(step))
		case path.PathStepElementKeyString:
			out = out.WithElementKeyString(string(step))
		case path.PathStepElementKeyInt:
			out = out.WithElementKeyInt(int(step))
		default:
			return out // an element of a set: the set has to do
		}
	}
	return out
}
