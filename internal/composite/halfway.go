package composite

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// refused tells whether an object was turned down, by the API server or by us, as opposed to an apply that did not get
// through. Only a refusal may fail a create that has begun.
func refused(err error) bool {
	if _, ok := err.(*refusal); ok { //nolint:errorlint // made by this package and never wrapped
		return true
	}
	if h := (*halt)(nil); errors.As(err, &h) {
		return h.over == nil
	}
	switch kube.AsError(err).Reason {
	case kube.ReasonInvalid, kube.ReasonDenied, kube.ReasonConflict, kube.ReasonForbidden, kube.ReasonAlreadyExists, kube.ReasonWrongCluster, kube.ReasonNoNamespace:
		return true
	default:
		return false
	}
}

// mayHaveBegun looks after a write whose answer was lost: the object may be there, and is ours if it carries our owner id.
// Where even that cannot be seen the resource is kept: the next read takes out of the state what does not exist, while an
// object that no state knows would be nobody's.
func (x *instance) mayHaveBegun(ctx context.Context, stuck *Object, err error) bool {
	if refused(err) || stuck == nil || stuck.Kind.Resource == "" || kube.AsError(err).Reason == kube.ReasonNoKind {
		return false
	}
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime/3)
	defer cancel()
	live, err := x.cluster.Get(fresh, stuck.key())
	if e := kube.AsError(err); e != nil {
		return e.Reason != kube.ReasonNotFound && e.Reason != kube.ReasonNoNamespace
	}
	return live.GetAnnotations()[OwnerAnnotation] == x.record.Owner || x.partial() && ownership.AppliedBy(live, x.manager())
}

// resumable words an apply that stopped half-way as a warning: an error would taint the resource, and core would delete
// what exists already.
func (x *instance) resumable(stuck *Object, err error, at attributeOf) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range x.explain("apply", stuck, err, at) {
		out.AddWarning(d.Summary(), d.Detail()+"\n\nThe resource is saved and not tainted; its revision stays pending, and the next apply goes on in place.")
	}
	return out
}

// before takes the steps that come before the apply.
func (r *Resource[M]) before(ctx context.Context, x *instance, prior *M, m M) (stride, error) {
	if r.kind.Before == nil {
		return stride{}, nil
	}
	return x.walk(ctx, r.kind.Before(prior, m))
}

// halted is the end of a run whose steps before the apply did not come to theirs. What they did is no more than a part of the
// way, so that the next apply has to go all of it.
func (r *Resource[M]) halted(out *outcome[M], x *instance, did stride, err error, create bool) {
	rec := out.record
	out.began = create && len(did.applied) > 0 // an update keeps the prior state
	if did.touched {
		rec.Pending, rec.Members = err.Error(), refs(did.applied, rec.Members)
	}
	if out.began && !refused(err) {
		out.diags.Append(x.resumable(did.stuck, err, r.attribute)...)
	} else {
		out.diags.Append(x.explain("apply", did.stuck, err, r.attribute)...)
	}
	metaOf(&out.model).Revision = types.StringValue(pendingRevision)
	r.observe(&out.model, did.live)
}
