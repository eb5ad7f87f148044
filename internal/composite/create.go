package composite

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Create applies the composition and waits until it is ready.
//
// Once an object exists, only a refused object fails the create, because core would mark the resource as tainted and
// replace it. A wait that ends badly is a warning: the resource is saved with its revision pending, and the next plan
// resumes in place.
func (r *Resource[M]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m M
	if resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	limits, diags := r.timeouts(ctx, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Create)
	defer cancel()

	rec := newRecord()
	rec.Partial = addsOnly(metaOf(&m))
	run := r.run(ctx, nil, m, rec, req.Config, nil)
	resp.Diagnostics.Append(run.diags...)
	if !run.began {
		return
	}
	resp.Diagnostics.Append(r.save(ctx, run, req.Plan, &resp.State)...)
	resp.Diagnostics.Append(run.record.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, r.kind.ID(run.model))...)
}

// Update applies what changed, removes what left the composition, and waits again.
func (r *Resource[M]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var m, prior M
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &prior)...)
	rec, diags := loadRecord(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if was, now := r.kind.ID(prior), r.kind.ID(m); !was.same(now) {
		resp.Diagnostics.AddError("Another object than planned", fmt.Sprintf(
			"The configuration was not known while planning and now names %s, where the state holds %s. An update never moves to another object.\n\nPlan again: the provider then replaces the resource in the open.", now, was))
		return
	}
	limits, diags := r.timeouts(ctx, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Update)
	defer cancel()

	rest := r.unchanged(ctx, prior, m, req, rec)
	run := r.run(ctx, &prior, m, rec, req.Config, rest)
	resp.Diagnostics.Append(run.diags...)
	if run.began {
		resp.Diagnostics.Append(r.save(ctx, run, req.Plan, &resp.State)...)
	}
	resp.Diagnostics.Append(run.record.save(ctx, resp.Private)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, r.kind.ID(run.model))...)
}

// outcome is what a run leaves behind.
type outcome[M any] struct {
	model  M
	record *record
	diags  diag.Diagnostics
	began  bool // the cluster holds something of it, so the state must too
}

// run brings the cluster to the model: steps before, apply, steps after, wait, steps that
// belong to the wait, observe, prune. It is the same for create
// (prior and unchanged are nil) and update.
func (r *Resource[M]) run(ctx context.Context, prior *M, m M, rec *record, config tfsdk.Config, unchanged map[string]bool) outcome[M] {
	create := unchanged == nil
	out := outcome[M]{model: m, record: rec}
	meta := metaOf(&out.model)
	x := r.instanceOf(m, rec)

	if err := x.pin(ctx); err != nil {
		out.diags = x.explain("apply", nil, err, r.attribute)
		return out
	}
	if out.diags = x.checkDialects(ctx); out.diags.HasError() {
		return out
	}
	if out.diags = r.survey(ctx, x, m, false); out.diags.HasError() {
		return out
	}
	objects, revision, diags := r.appliedObjects(ctx, x, m, config)
	if out.diags.Append(diags...); out.diags.HasError() {
		return out
	}
	before, err := r.before(ctx, x, prior, m)
	if err != nil {
		r.halted(&out, x, before, err, create)
		return out
	}
	var todo []Object
	for _, o := range objects {
		if before.waited {
			x.provider.takeAbsent(x.place(o)) // what the plan did not find may have come since
		}
		if before.touched || !unchanged[identity(o)] {
			todo = append(todo, o)
		}
	}
	done, err := x.applyAll(ctx, todo)
	done.began = done.began || len(before.applied) > 0
	out.began = done.began || !create && err == nil
	if create && done.began {
		// The apply may have found a hosted cluster that was made anew in this run, where who it was before was still remembered.
		if now, err := x.cluster.Pin(ctx); err == nil {
			rec.Pin = now
		}
	}
	if done.began {
		rec.Pending = "applying"
		rec.Members = refs(objects, rec.Members)
	}
	if err != nil {
		began := done.began || create && done.sent && x.mayHaveBegun(ctx, done.stuck, err)
		if began && create && !refused(err) {
			out.diags.Append(x.resumable(done.stuck, err, r.attribute)...)
		} else {
			out.diags.Append(x.explain("apply", done.stuck, err, r.attribute)...)
		}
		if !began && create {
			return out
		}
		rec.Pending, rec.Members = "applying", refs(objects, rec.Members)
		out.began = create // an update that failed half-way keeps the prior state
		meta.Revision = types.StringValue(pendingRevision)
		r.observe(&out.model, done.live)
		return out
	}
	for i := range objects {
		if err := x.resolve(ctx, &objects[i]); err != nil {
			out.diags.Append(x.explain("apply", &objects[i], err, r.attribute)...)
			out.began, rec.Pending = create, "applying" // a state whose kind nobody serves could not be read again
			return out
		}
	}
	rec.Foreign, rec.Pending = "", ""
	if len(todo) == len(objects) {
		rec.forgetSecrets(objects)
	}
	meta.Revision = types.StringValue(revision)
	live := done.live
	if len(r.kind.Observed) > 0 {
		if rest, _, err := x.fetch(ctx, objects); err == nil {
			live = append(live, rest...)
		}
	}
	gentle := create && meta.WaitFailure.ValueString() != WaitError
	steps := func(list func(*M, M) []Step) {
		if list == nil || rec.Pending != "" {
			return
		}
		did, err := x.walk(ctx, list(prior, m))
		live = append(did.live, live...)
		if err != nil {
			rec.Pending = err.Error()
			meta.Revision = types.StringValue(pendingRevision)
			out.diags.Append(x.afterDiagnostics(did, err, gentle, create, r.attribute)...)
		}
	}
	steps(r.kind.After)
	if meta.Wait.ValueBool() && rec.Pending == "" {
		if len(todo) > 0 {
			ready, stuck := x.waitReady(ctx, objects)
			live = append(ready, live...)
			if stuck != nil {
				rec.Pending = stuck.why
				meta.Revision = types.StringValue(pendingRevision)
				out.diags.Append(x.waitDiagnostic(stuck, gentle, create))
			}
		}
		steps(r.kind.Settle)
	}
	r.observe(&out.model, live)
	if rec.Pending != "" {
		return out // what is being replaced may still need what left the composition
	}
	kept, warnings, err := x.prune(ctx, objects, r.kind.DeleteOrder)
	out.diags.Append(warnings...)
	if err != nil {
		out.diags.Append(x.explain("remove what left the composition of", nil, err, r.attribute)...)
		rec.Pending = "removing what left the composition"
		return out
	}
	rec.Members = refs(objects, kept)
	return out
}

func (r *Resource[M]) observe(m *M, live Live) {
	if r.kind.Observe != nil {
		r.kind.Observe(m, live)
	}
}

// appliedObjects composes with everything that an apply knows, and marks what it will own.
func (r *Resource[M]) appliedObjects(ctx context.Context, x *instance, m M, config tfsdk.Config) (objects []Object, revision string, diags diag.Diagnostics) {
	values, diags := writeOnlyValues(ctx, config, r.kind.WriteOnly)
	facts := Facts{writeOnly: values}
	var wanted []Generated
	if r.kind.Generated != nil {
		wanted = r.kind.Generated(m)
		var err error
		if facts.generated, err = x.generate(ctx, wanted); err != nil {
			diags.Append(x.explain("generate the secrets of", nil, err, r.attribute)...)
			return nil, "", diags
		}
	}
	objects, err := r.compose(m, facts)
	if err != nil {
		diags.AddError("Cannot compose the objects of this resource", sentence(err.Error()))
		return nil, "", diags
	}
	plain := objects
	if len(wanted) > 0 { // a plan and a read know no generated value, nor what is made of one
		if plain, err = r.compose(m, Facts{writeOnly: values}); err != nil {
			diags.AddError("Cannot compose the objects of this resource", sentence(err.Error()))
			return nil, "", diags
		}
	}
	revision = revisionOf(plain)
	markRotation(objects, wanted)
	return x.mark(objects), revision, diags
}

// save writes the state: what the plan showed as known stays so, and what it left open takes what was found.
func (r *Resource[M]) save(ctx context.Context, run outcome[M], plan tfsdk.Plan, to *tfsdk.State) diag.Diagnostics {
	diags := to.Set(ctx, &run.model)
	if diags.HasError() {
		return diags
	}
	settled, err := settleUnknown(plan.Raw, to.Raw)
	if err != nil {
		diags.AddAttributeError(path.Root("id"), "Cannot save the state", err.Error())
		return diags
	}
	to.Raw = settled
	if run.record.Pending != "" {
		diags.Append(to.SetAttribute(ctx, path.Root("revision"), pendingRevision)...)
	}
	return diags
}

// refs lists the objects of a composition, and those of before that are not among them.
func refs(objects []Object, before []Ref) []Ref {
	var out []Ref
	have := map[string]bool{}
	for _, o := range objects {
		have[identity(o)] = true
		out = append(out, Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name})
	}
	for _, ref := range before {
		if !have[identityOf(ref)] {
			out = append(out, ref)
		}
	}
	return out
}

// pin notes which cluster this is, or makes sure that it still is the one of the state.
func (x *instance) pin(ctx context.Context) error {
	if x.record.Pin != (kube.Pin{}) {
		err := x.cluster.VerifyPin(ctx, x.record.Pin)
		if err != nil {
			return err
		}
	}
	return x.persist(ctx, func() error {
		now, err := x.cluster.Pin(ctx)
		if err != nil {
			return err
		}
		if x.wantUID != "" && now.Cluster != "" && x.wantUID != now.Cluster {
			return &refusal{"Another hosted cluster than planned", fmt.Sprintf(
				"cluster.uid is %s, and the %s has UID %s by now: it was made anew since the plan, or the reference was written by hand. Nothing was changed.\n\nPlan again, or leave uid out of a reference written by hand.",
				x.wantUID, x.cluster.Describe(), now.Cluster)}
		}
		x.record.Pin = now
		return nil
	})
}
