package composite

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Read compares what is live with what the state declares. Equal means that the state comes back unchanged, in the
// user's spelling. Only a 404 from the right cluster removes anything from state.
func (r *Resource[M]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var m M
	resp.Diagnostics.Append(r.model.Read(ctx, req.State.Raw, &m)...)
	rec, diags := loadRecord(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(identify(ctx, resp.Identity, r.kind.ID(m))...)
	x := r.instanceOf(m, rec)
	if rec.Pin != (kube.Pin{}) {
		if err := x.cluster.VerifyPin(ctx, rec.Pin); err != nil {
			if kube.AsError(err).Reason == kube.ReasonHostedGone {
				resp.Diagnostics.AddWarning(metaOf(&m).ID.ValueString()+" went with its cluster", sentence(err.Error())+
					"\n\nIt is removed from the state; the next apply makes it anew where the cluster is declared.")
				resp.State.RemoveResource(ctx)
				return
			}
			resp.Diagnostics.Append(x.explain("read", nil, err, r.attribute)...)
			return
		}
	}
	if rec.Imported {
		r.readImported(ctx, x, m, resp)
		return
	}
	objects, err := r.compose(m, rec.facts())
	if err != nil {
		resp.Diagnostics.AddError("Cannot compose the objects of this resource", sentence(err.Error()))
		return
	}
	live, stuck, err := x.fetch(ctx, objects)
	if err != nil {
		resp.Diagnostics.Append(x.explain("read", stuck, err, r.attribute)...)
		return
	}
	if len(live) == 0 {
		resp.State.RemoveResource(ctx)
		return
	}
	r.reconcile(x, &m, objects, live)
	r.refreshManifests(&m, objects)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
}

// reconcile puts into the model what is live: differences that an attribute can express as that attribute, and all others
// as drift.
func (r *Resource[M]) reconcile(x *instance, m *M, objects []Object, live Live) {
	x.mark(objects)
	differences := x.compare(objects, live)
	if len(differences) > 0 && r.kind.Decompose != nil {
		read := r.kind.Decompose(x.asDeclared(objects, live), *m)
		if again, err := r.compose(read, x.record.facts()); err == nil {
			*m = read
			differences = unexplained(differences, x.compare(x.mark(again), live))
		}
	}
	metaOf(m).Drift = x.driftList(differences)
	r.observe(m, live)
}

// unexplained keeps of the differences that remain after decomposing those that were there before. A field that is live as
// it was declared has not drifted, even where another attribute, changed in the cluster, would now make something else of
// it: the address in a chart's values, after the external address was changed by hand.
func unexplained(before, after []difference) []difference {
	was := map[string]bool{}
	for _, d := range before {
		was[identity(d.object)+" "+d.Path] = true
	}
	return slices.DeleteFunc(after, func(d difference) bool { return !was[identity(d.object)+" "+d.Path] })
}

// refreshManifests follows plan_manifests, which is the provider's and not this resource's to plan for.
func (r *Resource[M]) refreshManifests(m *M, objects []Object) {
	meta := metaOf(m)
	switch {
	case !r.provider.PlanManifests:
		meta.Manifests = tf.NullMap[types.String]()
	case meta.Manifests.IsNull():
		if plain, err := r.compose(*m, (&record{}).facts()); err == nil {
			objects = plain
		}
		meta.Manifests = manifestsOf(objects)
	}
}
