package composite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// Delete removes the objects in order and waits until each is gone, or releases them.
func (r *Resource[M]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m M
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	rec, diags := loadRecord(ctx, req.Private)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if r.protected(m) {
		resp.Diagnostics.Append(protection(metaOf(&m), "destroy or replace it", nil))
		return
	}
	limits, diags := r.timeouts(ctx, m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, limits.Delete)
	defer cancel()

	x := r.instanceOf(m, rec)
	x.destroying = true
	if rec.Pin != (kube.Pin{}) {
		if err := x.cluster.VerifyPin(ctx, rec.Pin); err != nil {
			if kube.AsError(err).Reason == kube.ReasonHostedGone {
				return // what was inside a cluster that is gone went with it
			}
			resp.Diagnostics.Append(x.explain("destroy", nil, err, r.attribute)...)
			return
		}
	}
	objects, err := r.compose(m, rec.facts())
	if err != nil && len(rec.Members) == 0 { // what was applied is known, also where this version would compose it no more
		resp.Diagnostics.AddError("Cannot compose the objects of this resource", sentence(err.Error()))
		return
	}
	for _, ref := range inDeleteOrder(refs(objects, rec.Members), r.kind.DeleteOrder) {
		note, err := x.remove(ctx, ref)
		if note != "" {
			resp.Diagnostics.AddWarning(note, "It was left as it is, and is no longer in this state.")
		}
		if err != nil {
			o := Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
			resp.Diagnostics.Append(x.explain("delete", &o, err, r.attribute)...)
			return
		}
	}
	if !x.release {
		notes, err := x.removeNamespaces(ctx)
		for _, note := range notes {
			resp.Diagnostics.AddWarning(note, "Everything of this resource is gone. Remove the namespace by hand, or let the provider's role list what is in it.")
		}
		if err != nil {
			resp.Diagnostics.Append(x.explain("remove the namespace of", nil, err, r.attribute)...)
		}
	}
}

// inDeleteOrder sorts objects: the kinds of order first, in that order, the rest in the reverse order of composition.
func inDeleteOrder(all []Ref, order []string) []Ref {
	rest := slices.Clone(all)
	slices.Reverse(rest)
	rank := func(r Ref) int {
		if i := slices.Index(order, r.Kind.Kind); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(rest, func(a, b Ref) int { return rank(a) - rank(b) })
	return rest
}

// remove deletes or releases one object. An object that has come to belong to someone else is left alone, with a note.
func (x *instance) remove(ctx context.Context, ref Ref) (note string, err error) {
	live, note, err := x.ours(ctx, &ref)
	if err != nil || note != "" {
		return note, err
	}
	defer x.provider.free(x.place(Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}), x.record.Owner)
	switch {
	case live == nil && (x.release || x.partial()):
		return "", nil
	case x.partial() && x.release:
		return "", x.giveUp(ctx, ref, live)
	case x.release:
		return "", x.disown(ctx, ref, live)
	}
	if step := x.lastStep(ref); step != nil { // also of what is gone: what it has left behind may not be
		if err := x.take(ctx, *step, &stride{}); err != nil {
			return "", err
		}
		if live, note, err = x.ours(ctx, &ref); err != nil || note != "" {
			return note, err
		}
	}
	if live == nil {
		return "", nil
	}
	return "", x.deleteAndWait(ctx, ref.key(), string(live.GetUID()))
}

// lastStep is what comes before the deletion of an object.
func (x *instance) lastStep(ref Ref) *Step {
	if x.leaving == nil || x.partial() {
		return nil
	}
	return x.leaving(ref)
}

// ours gets an object that is to go, or says whose it is by now. It completes the kind of ref.
func (x *instance) ours(ctx context.Context, ref *Ref) (live *unstructured.Unstructured, note string, err error) {
	o := Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
	live, err = x.find(ctx, &o)
	if err != nil || live == nil {
		return nil, "", err
	}
	ref.Kind = o.Kind
	if !x.partial() && live.GetAnnotations()[OwnerAnnotation] != x.record.Owner {
		return nil, fmt.Sprintf("%s is not this resource's any more: %s", memberName(ref.Kind.Kind, ref.Namespace, ref.Name), belongsTo(live)), nil
	}
	return live, "", nil
}

// find gets an object that is to go; nil where it is gone already. A version of its API that is not served any more is no
// proof of that: the object may be there in another version of the group. Only where none of them has the kind are all
// objects of it gone with it.
func (x *instance) find(ctx context.Context, o *Object) (*unstructured.Unstructured, error) {
	live, err := x.lookAt(ctx, o)
	if e := kube.AsError(err); e == nil || e.Reason != kube.ReasonNoKind {
		return live, err
	}
	versions, err := x.cluster.GroupVersions(ctx, o.Kind.Group)
	if err != nil {
		return nil, err
	}
	for _, version := range versions {
		other := *o
		other.Kind = api.Kind{Group: o.Kind.Group, Version: version, Kind: o.Kind.Kind}
		live, err := x.lookAt(ctx, &other)
		if e := kube.AsError(err); e == nil || e.Reason != kube.ReasonNoKind {
			*o = other
			return live, err
		}
	}
	return nil, nil
}

// lookAt gets an object, or nil where it does not exist.
func (x *instance) lookAt(ctx context.Context, o *Object) (*unstructured.Unstructured, error) {
	if err := x.resolve(ctx, o); err != nil {
		return nil, err
	}
	live, err := x.cluster.Get(ctx, o.key())
	if e := kube.AsError(err); e != nil && (e.Reason == kube.ReasonNotFound || e.Reason == kube.ReasonNoNamespace) {
		return nil, nil
	}
	return live, err
}

// giveUp withdraws the fields that were added to an object of others. Fields that others hold too stay.
func (x *instance) giveUp(ctx context.Context, ref Ref, live *unstructured.Unstructured) error {
	wctx, cancel, err := writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	empty := RawObject(ref.Kind, ref.Namespace, ref.Name, map[string]any{"metadata": map[string]any{
		"uid": string(live.GetUID()), // or an object that went meanwhile would be made again, with nothing in it
	}})
	_, _, err = x.cluster.Apply(wctx, ref.key(), empty.Content, kube.ApplyOptions{Manager: x.manager()})
	switch e := kube.AsError(err); {
	case e == nil:
		return nil
	case e.Reason == kube.ReasonInvalid || e.Reason == kube.ReasonDenied:
		return x.disown(ctx, ref, live) // the object cannot live without them: leave the values, give up the ownership
	case e.Reason == kube.ReasonPrecondition || e.Reason == kube.ReasonNotFound:
		if now, err := x.lookAt(wctx, &Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}); err == nil && (now == nil || now.GetUID() != live.GetUID()) {
			return nil // it went by itself, and our fields with it
		}
	}
	return err
}

// disown removes the marks of ownership and leaves every value as it is. What others write meanwhile is no reason to fail.
func (x *instance) disown(ctx context.Context, ref Ref, live *unstructured.Unstructured) error {
	wctx, cancel, err := writing(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	o, uid := Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}, live.GetUID()
	for attempt := 0; live != nil && live.GetUID() == uid; attempt++ {
		patch := ownership.StripPatch(live, x.manager())
		if patch == nil {
			return nil
		}
		err := x.cluster.Patch(wctx, ref.key(), patch)
		if e := kube.AsError(err); e == nil || e.Reason != kube.ReasonPrecondition && e.Reason != kube.ReasonNotFound || attempt == 10 {
			return err
		}
		if live, err = x.lookAt(wctx, &o); err != nil {
			return err
		}
	}
	return nil
}

// prune removes the objects of the last apply that are not in the composition any more. on_destroy speaks of the resource, not
// of an object that it has come to do without: that one is deleted, unless it is somebody else's with fields of ours. What
// cannot go yet is returned, with a warning each.
func (x *instance) prune(ctx context.Context, objects []Object, order []string) (kept []Ref, diags diag.Diagnostics, err error) {
	pruning := *x
	pruning.release, pruning.pruning = x.partial(), true
	keep := map[string]bool{}
	for _, o := range objects {
		keep[identity(o)] = true
	}
	for _, ref := range inDeleteOrder(x.record.Members, order) {
		if keep[identityOf(ref)] {
			continue
		}
		_, err := pruning.remove(ctx, ref)
		if p := (*postponed)(nil); errors.As(err, &p) {
			kept = append(kept, ref)
			diags.AddWarning(memberName(ref.Kind.Kind, ref.Namespace, ref.Name)+" stays for now", fmt.Sprintf(
				"It is not part of this resource any more, but cannot be deleted yet: %s\n\nThe next update or destroy of this resource removes it. There is nothing else to do, and plans stay empty.", sentence(orUnknown(p.why))))
			continue
		}
		if err != nil {
			return kept, diags, err
		}
	}
	return kept, diags, nil
}
