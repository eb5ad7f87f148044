package composite

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/ephemeral/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Ephemeral says everything the engine has to know about one ephemeral resource: something secret that is read or issued
// for one run and is in no plan and no state. It is the sibling of Kind: M embeds EphemeralMeta, the functions are pure.
//
// Terraform opens an ephemeral resource in the plan already, once its configuration is known, and again in the apply. So
// nothing that Open does may change a cluster, and what it needs may not be made in the same run unless an argument stays
// unknown until then.
type Ephemeral[M any] struct {
	// Name is the ephemeral resource's name without the provider's prefix.
	Name string

	// Schema returns the resource's own attributes and its description. The engine adds timeouts.
	Schema func() schema.Schema

	// Checks judge a configuration by itself, with no network. Values may be unknown.
	Checks []Check[M]

	// Needs lists objects of the management cluster that Open reads, in the order in which they are asked for.
	Needs func(m M) []Need

	// Target is the hosted cluster that Request goes to.
	Target func(m M) tf.Object[ClusterRef]

	// Request is the one thing to ask of the target, for which Open then has the answer. Nil, or false, is nothing.
	Request func(m M) (Request, bool)

	// Open fills the outputs.
	Open func(m *M, live Live, answer map[string]any) (Lease, []Finding)

	// Patience is how long to wait for Needs and for the target to answer, unless the user says another time.
	Patience time.Duration

	// Dialects lists the API versions that Needs asks for.
	Dialects []Dialect
}

// Need is an object without which nothing can be opened.
type Need struct {
	Ref Ref

	// Absent is what to say when the object does not exist. That is never waited for: a plan would hang on a mistyped
	// name, and would not work anyway for what is made in the same run.
	Absent Finding

	// Ready is watched until it is so. Nil is ready as soon as it exists.
	Ready Readiness

	// Unready is what to say when it did not get ready in time; what was missing is added. A warning goes on without.
	Unready Finding
}

// Request is a POST that changes nothing, such as a TokenRequest.
type Request struct {
	Doing   string // what messages call it: "issue a token for service account ci/deployer"
	Path    string // escaped, from the root of the API
	Body    map[string]any
	Missing Finding // what to say when what the path names does not exist
}

// Lease says how long the outputs are good for. The zero value is for longer than any run.
type Lease struct {
	Until time.Time
	// Ending is reported when the run still goes on shortly before Until. What was opened cannot be exchanged any more:
	// Terraform has no way to hand new values to what already uses the old ones.
	Ending Finding
}

// EphemeralMeta is what every ephemeral resource has. Embed it by value and untagged.
type EphemeralMeta struct {
	Timeouts timeouts.Value `tfsdk:"timeouts"`
}

func (m *EphemeralMeta) limits() timeouts.Value { return m.Timeouts }

// EphemeralResource serves an Ephemeral to Terraform.
type EphemeralResource[M any] struct {
	kind     Ephemeral[M]
	provider *Provider
}

// NewEphemeral returns the constructor that the provider lists for an ephemeral resource.
func NewEphemeral[M any](kind Ephemeral[M]) func() ephemeral.EphemeralResource {
	return func() ephemeral.EphemeralResource { return &EphemeralResource[M]{kind: kind} }
}

var (
	_ ephemeral.EphemeralResourceWithConfigure      = (*EphemeralResource[EphemeralMeta])(nil)
	_ ephemeral.EphemeralResourceWithValidateConfig = (*EphemeralResource[EphemeralMeta])(nil)
	_ ephemeral.EphemeralResourceWithRenew          = (*EphemeralResource[EphemeralMeta])(nil)
)

// Metadata names the ephemeral resource.
func (e *EphemeralResource[M]) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + e.kind.Name
}

// Schema returns the full schema.
func (e *EphemeralResource[M]) Schema(ctx context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = e.kind.Schema()
	if resp.Schema.Blocks == nil {
		resp.Schema.Blocks = map[string]schema.Block{}
	}
	resp.Schema.Blocks["timeouts"] = timeouts.BlockWithOpts(ctx, timeouts.Opts{OpenDescription: tf.Timeout("opening", spelled(e.kind.Patience))})
}

// Configure takes what the provider block set up.
func (e *EphemeralResource[M]) Configure(_ context.Context, req ephemeral.ConfigureRequest, _ *ephemeral.ConfigureResponse) {
	if p, ok := req.ProviderData.(*Provider); ok {
		e.provider = p
	}
}

// ValidateConfig runs the checks, which need no network.
func (e *EphemeralResource[M]) ValidateConfig(ctx context.Context, req ephemeral.ValidateConfigRequest, resp *ephemeral.ValidateConfigResponse) {
	var m M
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	for _, check := range e.kind.Checks {
		resp.Diagnostics.Append(diagnostics(check(m))...)
	}
}

// Open reads what is needed, asks the target, and hands out the result.
func (e *EphemeralResource[M]) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m M
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	patience, cancel, diags := e.limited(ctx, &m)
	defer cancel()
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	live, diags := e.gather(ctx, patience, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	answer, diags := e.ask(ctx, patience, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	lease, findings := e.kind.Open(&m, live, answer)
	if resp.Diagnostics.Append(diagnostics(findings)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Result.Set(ctx, &m)...)
	if resp.RenewAt = lease.remindAt(time.Now()); !resp.RenewAt.IsZero() {
		if text, err := json.Marshal(note{lease.Ending.Summary, lease.Ending.Detail}); err == nil {
			resp.Diagnostics.Append(resp.Private.SetKey(ctx, leaseKey, text)...)
		}
	}
}

// leaseKey is where private data keeps what Renew has to say. It holds no secret.
const leaseKey = "lease"

type note struct{ Summary, Detail string }

// Renew is called once, shortly before the end of a lease. It says so, since nothing can be renewed.
func (e *EphemeralResource[M]) Renew(ctx context.Context, req ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	text, diags := req.Private.GetKey(ctx, leaseKey)
	resp.Diagnostics.Append(diags...)
	var ending note
	if len(text) == 0 || json.Unmarshal(text, &ending) != nil {
		return
	}
	resp.Diagnostics.AddWarning(ending.Summary, ending.Detail)
}

// remindAt is when a tenth of the lease is left, at least a minute before its end; zero for what does not end.
func (l Lease) remindAt(now time.Time) time.Time {
	if l.Until.IsZero() || !l.Until.After(now) {
		return time.Time{}
	}
	return l.Until.Add(-max(l.Until.Sub(now)/10, time.Minute))
}

// limited is a context that ends when nothing more is to be waited for.
func (e *EphemeralResource[M]) limited(ctx context.Context, m *M) (context.Context, context.CancelFunc, diag.Diagnostics) {
	holder, ok := any(m).(interface{ limits() timeouts.Value })
	if !ok {
		panic("composite: the model of an ephemeral resource must embed EphemeralMeta")
	}
	limit, diags := holder.limits().Open(ctx, e.kind.Patience)
	ctx, cancel := context.WithTimeout(ctx, limit)
	return ctx, cancel, diags
}

// gather gets the objects that are needed, and waits where that makes sense.
func (e *EphemeralResource[M]) gather(ctx, patience context.Context, m M) (Live, diag.Diagnostics) {
	x := &instance{provider: e.provider, cluster: e.provider.Pool.Management(), dialects: e.kind.Dialects}
	var found Live
	var warnings diag.Diagnostics
	for _, need := range e.kind.Needs(m) {
		got, diags := x.follow(ctx, func(Live) []Query { return named([]Ref{need.Ref}) })
		switch {
		case diags.HasError():
			return nil, diags
		case len(got) == 0:
			return nil, append(warnings, diagnostics([]Finding{need.Absent})...)
		}
		if need.Ready != nil {
			late, diags := x.await(patience, need, got[0].Object)
			if warnings.Append(diags...); warnings.HasError() {
				return nil, warnings
			}
			if late != nil {
				got[0] = unstructuredOf(late)
			}
		}
		found = append(found, got[0])
	}
	return found, warnings
}

// await watches one object until it is ready. It returns the object as it was then.
func (x *instance) await(ctx context.Context, need Need, now map[string]any) (map[string]any, diag.Diagnostics) {
	o := Object{Kind: need.Ref.Kind, Namespace: need.Ref.Namespace, Name: need.Ref.Name}
	state := need.Ready(now)
	if !state.Ready && !state.Failed {
		live, err := x.cluster.Wait(ctx, need.Ref.key(), func(live *unstructured.Unstructured) (bool, string, error) {
			if live == nil {
				state = ReadyState{Failed: true, Why: "it was deleted meanwhile"}
				return true, "", nil
			}
			state = need.Ready(live.Object)
			return state.Ready || state.Failed, state.Why, nil
		})
		switch e := kube.AsError(err); {
		case e != nil && e.Reason != kube.ReasonTimeout:
			return nil, x.explain("watch", &o, err, nil)
		case live != nil:
			now = live.Object
		}
	}
	if state.Ready {
		return now, nil
	}
	unready := need.Unready
	unready.Warning = unready.Warning && !state.Failed
	unready.Detail = sentence(o.String()+" in the "+x.cluster.Describe()+": "+state.Why) + "\n\n" + unready.Detail
	return now, diagnostics([]Finding{unready})
}

// ask sends the request to the target, which may still be coming up. Asking twice does no harm.
func (e *EphemeralResource[M]) ask(ctx, patience context.Context, m M) (map[string]any, diag.Diagnostics) {
	if e.kind.Request == nil {
		return nil, nil
	}
	request, ok := e.kind.Request(m)
	if !ok {
		return nil, nil
	}
	ref, _ := e.kind.Target(m).Get()
	x := &instance{provider: e.provider, hosted: true,
		cluster: e.provider.Pool.Hosted(kube.Ref{Namespace: ref.Namespace.ValueString(), Name: ref.Name.ValueString()})}
	body, err := json.Marshal(request.Body)
	if err != nil {
		return nil, x.explain(request.Doing, nil, err, nil)
	}
	var answer map[string]any
	err = x.persist(patience, func() error {
		raw, _, err := x.cluster.Raw(ctx, http.MethodPost, request.Path, body)
		if err != nil {
			return err
		}
		if json.Unmarshal(raw, &answer) != nil { // the answer is secret, and so is what the decoder says about it
			return &kube.Error{Reason: kube.ReasonUnknown, Cluster: x.cluster.Describe(), Message: "the answer is not a JSON object"}
		}
		return nil
	})
	switch e := kube.AsError(err); {
	case e == nil:
		return answer, nil
	case e.Reason == kube.ReasonNotFound:
		return nil, diagnostics([]Finding{request.Missing})
	default:
		return nil, x.explain(request.Doing, nil, err, nil)
	}
}
