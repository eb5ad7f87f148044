package composite

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// answerRead answers a read that finds the state as it is: with that state. Else it returns what it found in the cluster.
func (r *Resource[M]) answerRead(ctx context.Context, p *Provider, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, *found) {
	if req.CurrentState == nil {
		return nil, nil
	}
	raw, err := req.CurrentState.Unmarshal(r.wire)
	rec, ok := recordOf(ctx, req.Private)
	if err != nil || raw.IsNull() || !ok {
		return nil, nil
	}
	var m M
	if r.model.Read(ctx, raw, &m).HasError() {
		return nil, nil
	}
	identity := r.identityOnWire(ctx, req.CurrentIdentity, r.kind.ID(m))
	if identity == nil {
		return nil, nil
	}
	seen, same := r.with(p).asRead(ctx, m, raw, rec)
	if !same {
		return nil, seen
	}
	return &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: req.Private, NewIdentity: identity}, nil
}

// asRead tells whether a read would give the state back, and what is live.
func (r *Resource[M]) asRead(ctx context.Context, m M, raw tftypes.Value, rec *record) (*found, bool) {
	meta := metaOf(&m)
	if rec.Imported || meta.Drift.IsNull() || len(meta.Drift.Elements()) > 0 || meta.Manifests.IsNull() == r.provider.PlanManifests {
		return nil, false
	}
	x := r.instanceOf(m, rec)
	if rec.Pin != (kube.Pin{}) && x.cluster.VerifyPin(ctx, rec.Pin) != nil {
		return nil, false
	}
	objects, err := r.compose(m, rec.facts())
	if err != nil {
		return nil, false
	}
	seen := x.look(ctx, objects)
	if seen.err != nil || len(seen.live) == 0 || len(x.compare(x.mark(objects), seen.live)) > 0 {
		return seen, false
	}
	if r.kind.Observe == nil {
		return seen, true
	}
	r.observe(&m, seen.live)
	now, diags := r.model.Write(ctx, &m)
	return seen, !diags.HasError() && now.Equal(raw)
}

// look fetches objects, unless a read has just done so.
func (x *instance) look(ctx context.Context, objects []Object) *found {
	if seen, _ := ctx.Value(foundKey{}).(*found); seen != nil {
		return seen
	}
	live, stuck, err := x.fetch(ctx, objects)
	return &found{live: live, stuck: stuck, err: err}
}

// identityOnWire is the identity that a read answers with: the one that there is, or the one that is due. Nil is one for the
// framework to judge.
func (r *Resource[M]) identityOnWire(ctx context.Context, was *tfprotov6.ResourceIdentityData, id ID) *tfprotov6.ResourceIdentityData {
	if id.Name == "" {
		return nil
	}
	if was != nil && was.IdentityData != nil {
		raw, err := was.IdentityData.Unmarshal(r.identity.Wire())
		if err != nil {
			return nil
		}
		if !raw.IsFullyNull() {
			var m identityModel
			if r.identity.Read(ctx, raw, &m).HasError() || !m.id().same(id) {
				return nil
			}
			return was
		}
	}
	m := id.model()
	raw, diags := r.identity.Write(ctx, &m)
	packed, err := tfprotov6.NewDynamicValue(r.identity.Wire(), raw)
	if diags.HasError() || err != nil {
		return nil
	}
	return &tfprotov6.ResourceIdentityData{IdentityData: &packed}
}
