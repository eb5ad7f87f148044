package composite

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"
)

// unchanged lists the objects that an update need not apply: those that are composed as before, unless the last run did
// not complete, something drifted, or a write-only value has a new version.
func (r *Resource[M]) unchanged(ctx context.Context, prior, m M, req resource.UpdateRequest, rec *record) map[string]bool {
	same := map[string]bool{}
	for _, name := range r.kind.WriteOnly {
		if version := name + "_version"; !attributeIn(req.State.Raw, version).Equal(attributeIn(req.Plan.Raw, version)) {
			return same
		}
	}
	if rec.Pending != "" || rec.Foreign != "" || len(metaOf(&prior).Drift.Known()) > 0 || r.rotates(prior, m) {
		return same
	}
	facts, diags := r.plannedFacts(ctx, req.Config, m, rec)
	was, errWas := r.compose(prior, facts)
	next, errNext := r.compose(m, facts)
	if diags.HasError() || errWas != nil || errNext != nil || revisionOf(was) != metaOf(&prior).Revision.ValueString() {
		return same
	}
	for _, o := range next {
		same[identity(o)] = true
	}
	for _, o := range changed(was, next) {
		delete(same, identity(o))
	}
	return same
}

// rotates tells whether an update makes a new secret, of which the composition, being free of secrets, shows nothing.
func (r *Resource[M]) rotates(prior, m M) bool {
	if r.kind.Generated == nil {
		return false
	}
	before := map[string]Generated{}
	for _, g := range r.kind.Generated(prior) {
		before[g.Name] = g
	}
	for _, g := range r.kind.Generated(m) {
		if was, ok := before[g.Name]; !ok || was.Rotation != g.Rotation {
			return true
		}
	}
	return false
}
