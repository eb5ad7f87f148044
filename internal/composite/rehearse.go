package composite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// A plan does not wait long for a cluster: without one it goes on from the configuration.
const planTime = 8 * time.Second

// reachable tells whether a plan knows which cluster to ask. A hosted cluster whose UID is unknown is made, or made anew,
// in the same run: there is nobody to ask yet.
func (r *Resource[M]) reachable(m M) bool {
	if r.kind.Target == nil {
		return true
	}
	target := r.kind.Target(m)
	if target.IsUnknown() {
		return false
	}
	ref, ok := target.Get()
	return !ok || !ref.Name.IsUnknown() && !ref.Namespace.IsUnknown() && !ref.UID.IsUnknown()
}

// rehearse asks the API server, by a dry run of each changed object, what it would say to the apply. What it says about
// the objects themselves (schema, admission, conflicts) fails the plan; anything that merely keeps it from answering is
// one warning per cluster, and the plan goes on from the configuration.
func (r *Resource[M]) rehearse(ctx context.Context, m M, prior *M, rec *record, objects []Object, resp *resource.ModifyPlanResponse) {
	x := r.instanceOf(m, rec)
	todo := objects
	if prior != nil {
		before, err := r.compose(*prior, rec.facts())
		drifted := len(metaOf(prior).Drift.Known()) > 0
		if err == nil && !drifted && !metaOf(&m).Revision.IsUnknown() {
			todo = changed(before, objects)
		}
	}
	if len(todo) == 0 || r.provider.isSilent(x.cluster) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, planTime)
	defer cancel()
	if prior != nil {
		x.mark(todo)
		if d := x.otherOwner(metaOf(prior).Drift.Known()); d != nil {
			resp.Diagnostics.Append(d)
			return
		}
	}
	if diags := x.checkDialects(ctx); diags.HasError() {
		resp.Diagnostics.Append(diags...)
		return
	}
	for _, o := range todo {
		diags, goOn := x.rehearseOne(ctx, o, prior == nil, r.attribute)
		resp.Diagnostics.Append(diags...)
		if !goOn {
			break
		}
	}
	if r.kind.Survey != nil && !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.survey(ctx, x, m, true)...)
	}
}

func (x *instance) rehearseOne(ctx context.Context, o Object, create bool, at attributeOf) (diag.Diagnostics, bool) {
	var out diag.Diagnostics
	options := kube.ApplyOptions{Manager: x.manager(), Force: x.provider.ForceConflicts, DryRun: true}
	if create && !x.adopt {
		options.Manager += ":plan" // a manager that holds nothing, so that the answer shows whose the object is
	}
	body := o.render(toDryRun)
	var created bool
	err := x.resolve(ctx, &o)
	if r, ok := err.(*refusal); ok { //nolint:errorlint // made by this package and never wrapped
		return diag.Diagnostics{located(&o, "metadata.namespace", at, r.summary, r.detail)}, true
	}
	if err == nil {
		_, created, err = x.send(ctx, o, body, options)
	}
	if e := kube.AsError(err); e != nil {
		switch e.Reason {
		case kube.ReasonConflict:
			if !byHandOnly(err) {
				if create {
					if found, refused := x.existsAlready(ctx, o); refused || !x.adopt {
						return found, true
					}
				}
				return x.explain("plan", &o, err, at), true
			}
			if !create {
				for _, c := range e.Conflicts {
					out.Append(warnAt(o, c.Path, at, fmt.Sprintf("Takes back %s", fieldOf(&o, c.Path)),
						fmt.Sprintf("%s changed %s of %s in the %s since the last apply. The apply sets it to the declared value again, and touches no other field.", quoted(c.Manager), c.Path, o, x.cluster.Describe())))
				}
			}
			options.Force = true
			_, created, err = x.send(ctx, o, body, options)
			err = o.withoutWithheld(err)
		case kube.ReasonInvalid, kube.ReasonDenied:
			if err = o.withoutWithheld(err); err == nil {
				return out, true
			}
			return x.explain("plan", &o, err, at), true
		}
	}
	switch e := kube.AsError(err); {
	case e == nil:
	case e.Reason == kube.ReasonNoNamespace && x.createNamespace:
		return out, false // it is made by the apply, as the user asked
	case e.Reason == kube.ReasonNoNamespace && slices.Contains(x.namespaces, o.Namespace):
		return out, true // likewise, and other objects are in other namespaces
	case e.Reason == kube.ReasonInvalid || e.Reason == kube.ReasonDenied || e.Reason == kube.ReasonConflict:
		out.Append(x.explain("plan", &o, err, at)...)
		return out, true
	default:
		out.Append(x.unrehearsed(e)...)
		return out, false
	}
	if created {
		x.provider.noteAbsent(x.place(o))
		if x.partial() {
			out.AddWarning("Nothing to adopt: "+o.String(), fmt.Sprintf(
				"%s does not exist in the %s, so the apply makes it, with no more than the declared fields. With on_destroy = %q a destroy takes these back and leaves the rest of the object.\n\nUse adopt = false for an object that this resource should make.",
				o, x.cluster.Describe(), OnDestroyRelease))
		}
	} else if create {
		found, _ := x.existsAlready(ctx, o)
		out.Append(found...)
	}
	return out, true
}

// withoutWithheld takes out of a refusal what is said about secrets, which a dry run leaves out: that a TLS Secret has no key
// says nothing about the apply. Nil is left where there was nothing else.
func (o Object) withoutWithheld(err error) error {
	if err == nil || kube.AsError(err).Reason != kube.ReasonInvalid || len(kube.AsError(err).Fields) == 0 {
		return err
	}
	e := *kube.AsError(err)
	withheld := map[string]bool{}
	for _, s := range o.secrets() {
		withheld[s.path[0]] = true
	}
	e.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f kube.FieldError) bool {
		top, _, _ := strings.Cut(f.Path, ".")
		top, _, _ = strings.Cut(top, "[")
		return withheld[top]
	})
	if len(e.Fields) == 0 {
		return nil
	}
	return &e
}

// existsAlready looks at an object that a create would meet, and tells whether the create would be refused.
func (x *instance) existsAlready(ctx context.Context, o Object) (found diag.Diagnostics, refused bool) {
	live, err := x.cluster.Get(ctx, o.key())
	if err != nil || x.provider.isLeaving(live.GetAnnotations()[OwnerAnnotation]) {
		return nil, false
	}
	return x.judgeExisting(o, x.mayTouch(o, live), belongsTo(live))
}

// judgeExisting words what a plan says of an object that exists: a warning, because it may be gone by the time of the
// apply, which judges again.
func (x *instance) judgeExisting(o Object, err error, whose string) (found diag.Diagnostics, refused bool) {
	if r, ok := err.(*refusal); ok { //nolint:errorlint // made by this package and never wrapped
		return diag.Diagnostics{diag.NewWarningDiagnostic(r.summary, r.detail+"\n\nThe apply will refuse it unless that changes.")}, true
	}
	if !x.adopt {
		return nil, false
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Adopts "+o.String(), fmt.Sprintf("%s in the %s exists: %s. With adopt = true the apply takes over the declared fields.", o, x.cluster.Describe(), whose))}, false
}

func warnAt(o Object, field string, at attributeOf, summary, detail string) diag.Diagnostic {
	if p := at(o.Kind.Kind, field); len(p.Steps()) > 0 {
		return diag.NewAttributeWarningDiagnostic(p, summary, detail)
	}
	return diag.NewWarningDiagnostic(summary, detail)
}

// unrehearsed explains, once per cluster, that the plan was made without asking it.
func (x *instance) unrehearsed(e *kube.Error) diag.Diagnostics {
	where := x.cluster.Describe()
	switch e.Reason {
	case kube.ReasonOffline, kube.ReasonTimeout, kube.ReasonUnauthorized, kube.ReasonHostedGone, kube.ReasonHostedNotReady:
		x.provider.silence(x.cluster)
	}
	if !x.provider.explainOnce(x.cluster) {
		return nil
	}
	return diag.Diagnostics{diag.NewWarningDiagnostic("Planned without the "+where,
		fmt.Sprintf("The plan was made from the configuration alone, since the cluster could not be asked what it would say: %s\n\n"+
			"This is normal while the cluster, a namespace or a kind does not exist yet, or with read-only credentials. The apply asks again. Further resources of the same cluster are planned likewise without another warning.", sentence(strings.TrimSpace(e.Error()))))}
}

// checkDialects says clearly when the operator serves only API versions that this provider does not write. A group that
// is not served at all may still be installed.
func (x *instance) checkDialects(ctx context.Context) diag.Diagnostics {
	for _, d := range x.dialects {
		served, err := x.cluster.Serves(ctx, d.Group, d.Version)
		if err != nil || served {
			continue
		}
		versions, err := x.cluster.GroupVersions(ctx, d.Group)
		if err != nil || len(versions) == 0 {
			continue
		}
		return diag.Diagnostics{diag.NewErrorDiagnostic("Unsupported version of "+d.Operator,
			fmt.Sprintf("The %s serves %s only in %s; this provider writes %s, which takes %s.\n\nUpgrade the operator, then run the same command again.",
				x.cluster.Describe(), d.Group, strings.Join(versions, ", "), d.Version, d.Operator))}
	}
	return nil
}

// otherOwner refuses an update of objects that another state has taken over since.
func (x *instance) otherOwner(drift []tf.Object[Drift]) diag.Diagnostic {
	if x.adopt {
		return nil
	}
	for _, d := range drift {
		entry, ok := d.Get()
		if !ok || entry.Field.ValueString() != ownerField || entry.Live.IsNull() {
			continue
		}
		return diag.NewErrorDiagnostic(entry.Object.ValueString()+" belongs to another state now",
			fmt.Sprintf("Its owner id in the %s is %s and ours is %s: another resource or state took it over, or it was deleted and made again elsewhere.\n\n"+
				"Keep it in one state: remove it from the other, then set adopt = true here; or remove it here with `terraform state rm`, which leaves the object as it is.",
				x.cluster.Describe(), entry.Live.ValueString(), x.record.Owner))
	}
	return nil
}

// ownerField is where drift shows another owner.
const ownerField = "metadata.annotations[" + OwnerAnnotation + "]"

const ownerNameField = "metadata.annotations[" + OwnerNameAnnotation + "]"

// survey judges what the cluster holds beside our own objects: warnings in a plan, errors in an apply.
func (r *Resource[M]) survey(ctx context.Context, x *instance, m M, planning bool) diag.Diagnostics {
	if r.kind.Survey == nil {
		return nil
	}
	var related Live
	asked := map[Ref]bool{}
	for refs := r.relatedRefs(m, nil); len(refs) > 0; refs = r.relatedRefs(m, related) {
		refs = slices.DeleteFunc(refs, func(ref Ref) bool { return asked[ref] })
		if len(refs) == 0 {
			break
		}
		for _, ref := range refs {
			asked[ref] = true
			found, err := x.cluster.Read(ctx, ref.key())
			switch e := kube.AsError(err); {
			case e == nil:
				related = append(related, found)
			case e.Reason == kube.ReasonNotFound || e.Reason == kube.ReasonNoNamespace || e.Reason == kube.ReasonNoKind:
			case planning:
				return nil // what cannot be seen cannot be judged, and the apply judges again
			default:
				return x.explain("look at "+memberName(ref.Kind.Kind, ref.Namespace, ref.Name)+" for", nil, err, r.attribute)
			}
		}
	}
	var queries []Query
	if r.kind.RelatedQueries != nil {
		queries = r.kind.RelatedQueries(m)
	}
	for _, q := range queries {
		found, err := x.shared(ctx, q)
		switch e := kube.AsError(err); {
		case e == nil:
			related = append(related, found...)
		case e.Reason == kube.ReasonNoKind || e.Reason == kube.ReasonHostedNotReady && q.Hosted != nil: // then there is none
		case planning:
			return nil
		default:
			return x.explain("look at "+q.what()+" for", nil, err, r.attribute)
		}
	}
	findings := r.kind.Survey(m, related)
	if planning {
		for i := range findings {
			findings[i].Warning = true
		}
	}
	return diagnostics(findings)
}

// relatedRefs lists what a survey wants to see, by what it has seen so far.
func (r *Resource[M]) relatedRefs(m M, found Live) []Ref {
	var out []Ref
	if r.kind.Related != nil {
		out = r.kind.Related(m)
	}
	if r.kind.RelatedFurther != nil {
		out = append(out, r.kind.RelatedFurther(m, found)...)
	}
	return out
}
