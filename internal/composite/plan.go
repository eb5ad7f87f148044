package composite

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// ModifyPlan completes the plan: everything that is a function of configuration and prior state becomes known, changes
// that cannot be made are refused, and where the cluster answers it is asked what it would say.
func (r *Resource[M]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.provider == nil {
		return
	}
	if req.Plan.Raw.IsNull() {
		r.planDestroy(ctx, req, resp)
		return
	}
	rec, diags := loadRecord(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	var prior *M
	if !req.State.Raw.IsNull() {
		prior = new(M)
		resp.Diagnostics.Append(r.model.Read(ctx, req.State.Raw, prior)...)
		resp.Plan.Raw = keepSpelling(ctx, r.schema, req.State.Raw, resp.Plan.Raw)
	}
	var m M
	if resp.Diagnostics.Append(r.model.Read(ctx, resp.Plan.Raw, &m)...); resp.Diagnostics.HasError() {
		return
	}
	meta := metaOf(&m)
	if roots(req.Config.Raw)["on_destroy"].IsNull() {
		meta.OnDestroy = types.StringNull() // the default again, also where the state has what was once declared
		if rec.Partial {
			meta.OnDestroy = types.StringValue(OnDestroyRelease) // adopt may be gone by now; the object still belongs to others
		}
	}
	r.derive(&m, prior)
	if prior == nil {
		rec.Partial = addsOnly(meta)
	}
	if prior != nil && meta.ID.IsUnknown() {
		meta.ID = metaOf(prior).ID // what is not known yet is taken to stay the same object; the update checks it
	}

	var objects []Object
	known := inputsKnown(req.Config.Raw, r.kind.WriteOnly) && !meta.EffectiveLabels.IsUnknown()
	if known {
		facts, diags := r.plannedFacts(ctx, req.Config, m, rec)
		resp.Diagnostics.Append(diags...)
		var err error
		if objects, err = r.compose(m, facts); err != nil {
			resp.Diagnostics.AddError("Cannot compose the objects of this resource", sentence(err.Error()))
		}
		meta.Objects = members(objects)
	} else {
		meta.Objects = tf.UnknownList[tf.Object[Member]]()
	}
	if resp.Diagnostics.HasError() {
		return
	}

	r.planRevision(meta, prior, rec, objects, known)
	raw, diags := r.model.Write(ctx, &m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	resp.Plan.Raw = raw
	r.planObserved(req.State.Raw, resp, prior, meta.Revision.IsUnknown())

	if prior != nil {
		resp.RequiresReplace = append(resp.RequiresReplace, r.replaces(*prior, m)...)
		if len(resp.RequiresReplace) > 0 {
			r.provider.noteLeaving(rec.Owner)
		}
		if len(resp.RequiresReplace) == 0 {
			for _, t := range r.kind.Transitions {
				resp.Diagnostics.Append(diagnostics(t(*prior, m))...)
			}
		} else if r.protected(*prior) {
			resp.Diagnostics.Append(protection(metaOf(prior), "replace it", resp.RequiresReplace))
		}
	}
	if rec.Foreign != "" {
		resp.Diagnostics.AddWarning("Adopts "+meta.ID.ValueString(), fmt.Sprintf(
			"The imported objects were not made by this provider: %s. The apply takes over the fields declared here, in place, and marks the objects as this state's.", rec.Foreign))
	}
	if resp.Diagnostics.HasError() || !known || len(resp.RequiresReplace) > 0 || !r.reachable(m) {
		return
	}
	r.rehearse(ctx, m, prior, rec, objects, resp)
}

// planRevision decides whether the composition has to be applied. The revision in state is the last one that was
// completed: if what is planned now has another, or the last run did not complete, the resource is updated in place.
func (r *Resource[M]) planRevision(meta *Meta, prior *M, rec *record, objects []Object, known bool) {
	meta.Revision = types.StringUnknown()
	if prior != nil && known && rec.Pending == "" {
		if was := metaOf(prior).Revision; was.ValueString() == revisionOf(objects) {
			meta.Revision = was
		}
	}
	switch {
	case r.provider.ManifestsUnknown:
		meta.Manifests = tf.UnknownMap[types.String]()
	case !r.provider.PlanManifests:
		meta.Manifests = tf.NullMap[types.String]()
		if prior != nil {
			meta.Manifests = metaOf(prior).Manifests // cleared by the next read, not by an update
		}
	case !known:
		meta.Manifests = tf.UnknownMap[types.String]()
	case prior == nil || meta.Revision.IsUnknown():
		meta.Manifests = manifestsOf(objects)
	default:
		meta.Manifests = metaOf(prior).Manifests
	}
}

func manifestsOf(objects []Object) tf.Map[types.String] {
	out := map[string]types.String{}
	for name, text := range show(objects) {
		out[name] = types.StringValue(text)
	}
	return tf.MapOf(out)
}

// planObserved keeps the outputs that only the cluster knows, unless something that moves them changes.
func (r *Resource[M]) planObserved(priorRaw tftypes.Value, resp *resource.ModifyPlanResponse, prior *M, applying bool) {
	before, planned := roots(priorRaw), roots(resp.Plan.Raw)
	for output, of := range r.kind.Observed {
		moved := prior == nil || lostObject(metaOf(prior), of.Object)
		for _, input := range of.Inputs {
			moved = moved || !before[input].Equal(planned[input])
		}
		was := before[output]
		switch {
		case !moved && !applying:
			planned[output] = was
		case !moved:
			planned[output] = openNulls(was)
		case planned[output].IsNull() || planned[output].IsFullyKnown():
			planned[output] = tftypes.NewValue(planned[output].Type(), tftypes.UnknownValue)
		}
	}
	resp.Plan.Raw = tftypes.NewValue(resp.Plan.Raw.Type(), planned)
}

// lostObject tells whether an object of a kind that was there is missing. One that a newer provider adds was never there: nothing that
// is known goes away with it.
func lostObject(prior *Meta, kind string) bool {
	had := map[string]bool{}
	for _, o := range prior.Objects.Known() {
		if member, ok := o.Get(); ok && (kind == "" || kind == member.Kind.ValueString()) {
			had[memberName(member.Kind.ValueString(), member.Namespace.ValueString(), member.Name.ValueString())] = true
		}
	}
	for _, d := range prior.Drift.Known() {
		if entry, ok := d.Get(); ok && entry.Field.ValueString() == "" && had[entry.Object.ValueString()] {
			return true
		}
	}
	return false
}

// replaces lists the attributes that need a new resource: those of the kind, another id, and another cluster behind the
// reference. A reference whose UID merely becomes known is the same cluster.
func (r *Resource[M]) replaces(prior, plan M) path.Paths {
	var out path.Paths
	if r.kind.Replace != nil {
		out = append(out, r.kind.Replace(prior, plan)...)
	}
	if r.kind.Target == nil {
		return out
	}
	was, hadTarget := r.kind.Target(prior).Get()
	now, hasTarget := r.kind.Target(plan).Get()
	switch {
	case r.kind.Target(plan).IsUnknown():
	case hadTarget != hasTarget:
		out = append(out, path.Root("cluster"))
	case !hasTarget:
	case differs(was.Name, now.Name) || differs(was.Namespace, now.Namespace):
		out = append(out, path.Root("cluster"))
	case !now.Name.IsUnknown() && !now.Namespace.IsUnknown() && !was.UID.IsNull() && (now.UID.IsUnknown() || !now.UID.IsNull() && differs(was.UID, now.UID)):
		out = append(out, path.Root("cluster"))
	}
	return out
}

func differs(a, b types.String) bool { return !b.IsUnknown() && !a.Equal(b) }

func (r *Resource[M]) protected(m M) bool { return r.kind.Protected != nil && r.kind.Protected(m) }

// protection refuses what deletion_protection forbids.
func protection(meta *Meta, doing string, because path.Paths) diag.Diagnostic {
	why := ""
	for _, p := range because {
		why += "\n  - " + p.String() + " changes"
	}
	if why != "" {
		why = "\n\nIt would be replaced because:" + why
	}
	return diag.NewAttributeErrorDiagnostic(path.Root("deletion_protection"), meta.ID.ValueString()+" is protected",
		"deletion_protection is true in the state, so this plan may not "+doing+"."+why+
			"\n\nTo allow it, set deletion_protection = false and apply that first, as a change of its own.")
}

// planDestroy refuses to destroy what is protected.
func (r *Resource[M]) planDestroy(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	var prior M
	if resp.Diagnostics.Append(r.model.Read(ctx, req.State.Raw, &prior)...); resp.Diagnostics.HasError() {
		return
	}
	if r.protected(prior) {
		resp.Diagnostics.Append(protection(metaOf(&prior), "destroy it", nil))
	}
}
