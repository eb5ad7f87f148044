package composite

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// applied is the outcome of applying a composition.
type applied struct {
	live  Live
	began bool    // at least one object is in the cluster
	stuck *Object // the object that failed
	sent  bool    // the apply of stuck was sent, whatever became of it
}

// applyAll makes the objects what we declare, in order, after asking for each whether it may be touched.
func (x *instance) applyAll(ctx context.Context, objects []Object) (applied, error) {
	var out applied
	for i, o := range objects {
		var live *unstructured.Unstructured
		out.sent = false
		err := x.persist(ctx, func() error {
			if err := x.resolve(ctx, &o); err != nil {
				return err
			}
			if err := x.ensureNamespaces(ctx); err != nil {
				return err
			}
			if err := x.claim(ctx, o); err != nil {
				return err
			}
			var err error
			out.sent = true
			live, err = x.applyOne(ctx, o)
			return err
		})
		if err != nil {
			x.provider.free(x.place(o), x.record.Owner)
			out.stuck = &o
			return out, err
		}
		out.began, objects[i] = true, o
		out.live = append(out.live, live)
		x.remember(o, live)
	}
	return out, nil
}

// applyOne applies an object. Fields that someone changed by hand are taken back: when every conflict is with a manager
// that merely updated a field, the apply is repeated with force, which then moves exactly those fields. A manager that
// declares a field by apply is another tool's, and stays an error.
func (x *instance) applyOne(ctx context.Context, o Object) (*unstructured.Unstructured, error) {
	wctx, cancel, err := writing(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	options := kube.ApplyOptions{Manager: x.manager(), Force: x.provider.ForceConflicts}
	body := o.render(toApply)
	live, _, err := x.send(wctx, o, body, options)
	if byHandOnly(err) {
		options.Force = true
		live, _, err = x.send(wctx, o, body, options)
	}
	return live, err
}

// send applies an object, in earnest or as a dry run. Emptying a map takes two more attempts: server-side apply makes null of a
// map whose last key its only owner gives up, and schemas refuse that. Left out altogether, the map goes away; then it can be
// declared empty.
func (x *instance) send(ctx context.Context, o Object, body map[string]any, options kube.ApplyOptions) (*unstructured.Unstructured, bool, error) {
	live, created, err := x.cluster.Apply(ctx, o.key(), body, options)
	e := kube.AsError(err)
	if e == nil || e.Reason != kube.ReasonInvalid {
		return live, created, err
	}
	var emptied []string
	for _, f := range e.Fields {
		v, _ := ownership.Lookup(body, f.Path)
		if m, isMap := v.(map[string]any); isMap && len(m) == 0 && ownership.Remove(body, f.Path) {
			emptied = append(emptied, f.Path)
		}
	}
	if len(emptied) == 0 {
		return live, created, err
	}
	live, created, err = x.cluster.Apply(ctx, o.key(), body, options)
	if err != nil || options.DryRun {
		return live, created, err
	}
	for _, at := range emptied {
		_ = ownership.Set(body, at, map[string]any{}) // the path was in this body before
	}
	return x.cluster.Apply(ctx, o.key(), body, options)
}

// byHandOnly tells whether a conflict is with updates only, not with what another tool declares.
func byHandOnly(err error) bool {
	e := kube.AsError(err)
	if e == nil || e.Reason != kube.ReasonConflict || len(e.Conflicts) == 0 {
		return false
	}
	for _, c := range e.Conflicts {
		if c.Apply {
			return false
		}
	}
	return true
}

// claim makes sure that an object is ours to apply: it does not exist, or it is ours already, or the user said that it
// may be taken over. An object that is being deleted is waited for.
func (x *instance) claim(ctx context.Context, o Object) error {
	if !x.partial() {
		if other := x.provider.hold(x.place(o), x.record.Owner); other != "" {
			return &refusal{fmt.Sprintf("%s is declared twice", o), fmt.Sprintf(
				"Another resource of this configuration (owner id %s) has applied %s in the %s in this very run. Two resources would take the object from each other for ever. Nothing was changed.\n\nDeclare it once, or give one of them another name.",
				other, o, x.cluster.Describe())}
		}
	}
	if x.provider.takeAbsent(x.place(o)) {
		return nil
	}
	live, err := x.cluster.Get(ctx, o.key())
	if kube.AsError(err) != nil {
		if kube.AsError(err).Reason == kube.ReasonNotFound {
			return nil
		}
		return err
	}
	if live.GetDeletionTimestamp() != nil {
		_, err = x.cluster.Wait(ctx, o.key(), gone)
		return err
	}
	if err := x.mayTouch(o, live); err != nil {
		return err
	}
	if live.GetAnnotations()[OwnerAnnotation] != x.record.Owner {
		x.adopted(o)
	}
	return nil
}

func (x *instance) place(o Object) place { return place{x.cluster, identity(o)} }

// gone waits for an object to be deleted and says what holds it.
func gone(live *unstructured.Unstructured) (bool, string, error) {
	if live == nil {
		return true, "", nil
	}
	return false, "it is being deleted" + holders(live.Object), nil
}

// mayTouch judges an object that exists.
func (x *instance) mayTouch(o Object, live *unstructured.Unstructured) error {
	owner := live.GetAnnotations()[OwnerAnnotation]
	if owner == x.record.Owner || ownership.AppliedBy(live, x.manager()) && x.partial() {
		return nil
	}
	if tool, detail, ok := ownership.KnownTool(live); ok {
		return &refusal{fmt.Sprintf("%s is owned by %s", o, tool), fmt.Sprintf(
			"%s in the %s belongs to %s (%s), which would undo every change. It is never taken over.\n\nChange it there, or remove it there first and let this resource make its own.", o, x.cluster.Describe(), tool, detail)}
	}
	if x.adopt || x.record.Foreign != "" {
		return nil
	}
	return &refusal{fmt.Sprintf("%s exists already", o), fmt.Sprintf(
		"%s in the %s was not made by this resource: %s. Nothing was changed.\n\nTake it into this state with\n\n  terraform import <address> %q\n\nor set adopt = true to take it over, or give this resource another name.",
		o, x.cluster.Describe(), belongsTo(live), x.importID(o))}
}

// importID is what the import command wants for the resource whose object o is.
func (x *instance) importID(o Object) string {
	if x.id != "" {
		return x.id
	}
	return o.Namespace + "/" + o.Name
}

// belongsTo says whose an object is, as far as it can be seen.
func belongsTo(live *unstructured.Unstructured) string {
	if owner := live.GetAnnotations()[OwnerAnnotation]; owner != "" {
		by := "another resource or state of this provider (owner id " + owner
		if name := live.GetAnnotations()[OwnerNameAnnotation]; name != "" {
			by += ", owner " + quoted(name)
		}
		return by + ")"
	}
	var names []string
	for _, m := range ownership.Managers(live) {
		if m.Subresource == "" && len(names) < 3 {
			names = append(names, quoted(m.Name))
		}
	}
	if len(names) == 0 {
		return "it carries no owner id and no field manager"
	}
	return "its fields are managed by " + strings.Join(names, ", ")
}

// remember notes what the API server made of our fields as soon as they were applied, and the fingerprints of secrets.
func (x *instance) remember(o Object, live *unstructured.Unstructured) {
	delete(x.record.Accepted, o.String())
	for _, d := range ownership.Diff(o.render(toDryRun), live) {
		x.record.accept(o.String(), d.Path, d.Live)
	}
	for _, s := range o.secrets() {
		x.record.rememberSecret(s, liveAt(live.Object, s.path))
	}
}

// forgetSecrets drops the fingerprints of secrets that are no longer composed: nobody misses them any more.
func (r *record) forgetSecrets(objects []Object) {
	composed := map[string]bool{}
	for _, o := range objects {
		for place := range o.secrets() {
			composed[place] = true
		}
	}
	for attribute, keys := range r.WriteOnly {
		for key := range keys {
			if !composed[secretPlace(attribute, key)] {
				delete(keys, key)
			}
		}
		if len(keys) == 0 {
			delete(r.WriteOnly, attribute)
		}
	}
}

func (r *record) rememberSecret(s secretAt, live any) {
	if r.WriteOnly == nil {
		r.WriteOnly = map[string]map[string]string{}
	}
	if r.WriteOnly[s.Attribute] == nil {
		r.WriteOnly[s.Attribute] = map[string]string{}
	}
	r.WriteOnly[s.Attribute][s.Key] = r.hash(live)
}

func liveAt(v any, at []string) any {
	for _, step := range at {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[step]
	}
	return v
}
