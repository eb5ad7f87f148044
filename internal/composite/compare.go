package composite

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// difference is one owned field whose live value is not what was declared, or an object that is missing (no path).
type difference struct {
	object Object
	ownership.Difference
	secret bool
}

// fetch reads the objects. Those that do not exist are left out; any other failure is returned, since nothing may be
// concluded from it.
func (x *instance) fetch(ctx context.Context, objects []Object) (Live, *Object, error) {
	var live Live
	for _, o := range objects {
		if err := x.resolve(ctx, &o); err != nil {
			return nil, &o, err
		}
		found, err := x.cluster.Read(ctx, o.key())
		if e := kube.AsError(err); e != nil {
			if e.Reason == kube.ReasonNotFound || e.Reason == kube.ReasonNoNamespace {
				continue
			}
			return nil, &o, err
		}
		live = append(live, found)
	}
	return live, nil, nil
}

// compare lists where live objects differ from the composition in the fields that it declares.
func (x *instance) compare(objects []Object, live Live) []difference {
	var out []difference
	for _, o := range objects {
		found := live.object(o)
		if found == nil {
			out = append(out, difference{object: o})
			continue
		}
		for _, d := range ownership.DiffFor(o.render(toDryRun), found, x.manager()) {
			if d.Path == ownerNameField || x.record.accepts(o.String(), d.Path, d.Live) {
				continue // the owner's name is for people: two who apply by turns must not undo each other
			}
			out = append(out, difference{object: o, Difference: d})
		}
		for _, s := range o.secrets() {
			want, known := x.record.WriteOnly[s.Attribute][s.Key]
			now := liveAt(found.Object, s.path)
			if known && want != x.record.hash(now) {
				out = append(out, difference{object: o, secret: true, Difference: ownership.Difference{Path: joinPath(s.path), Live: now}})
			}
		}
	}
	return out
}

func (l Live) object(o Object) *unstructured.Unstructured {
	for _, found := range l {
		if found.GetKind() == o.Kind.Kind && found.GroupVersionKind().Group == o.Kind.Group && found.GetName() == o.Name && found.GetNamespace() == o.Namespace {
			return found
		}
	}
	return nil
}

func joinPath(steps []string) string {
	out := ""
	for i, s := range steps {
		if i > 0 {
			out += "."
		}
		out += s
	}
	return out
}

// settle asks the API server what it would make of our declaration and accepts the differences that it would make
// itself, such as a quantity in canonical spelling. It is asked once, at import, where no apply of ours has shown it.
func (x *instance) settle(ctx context.Context, differences []difference) {
	done := map[string]bool{}
	for _, d := range differences {
		if d.Path == "" || d.secret || done[identity(d.object)] {
			continue
		}
		done[identity(d.object)] = true
		o := d.object
		if x.resolve(ctx, &o) != nil {
			continue
		}
		would, _, err := x.cluster.Apply(ctx, o.key(), o.render(toDryRun), kube.ApplyOptions{Manager: x.manager(), Force: true, DryRun: true})
		if err != nil {
			continue // it then shows as drift, which is safe
		}
		for _, made := range ownership.Diff(d.object.render(toDryRun), would) {
			x.record.accept(d.object.String(), made.Path, made.Live)
		}
	}
}

// driftList words differences for the drift attribute. Values appear in clear only where they are scalars of typed
// attributes: what is free-form may hold a secret that the user marked sensitive, and here the mark would be lost.
func (x *instance) driftList(differences []difference) tf.List[tf.Object[Drift]] {
	entries := make([]tf.Object[Drift], 0, len(differences))
	for _, d := range differences {
		entry := Drift{
			Object: types.StringValue(d.object.String()), Field: types.StringValue(d.Path),
			Wanted: types.StringValue(x.shown(d, d.Want)), Live: types.StringValue(x.shown(d, d.Live)), Manager: types.StringValue(d.Manager),
		}
		switch {
		case d.Path == "":
			entry.Wanted, entry.Live = types.StringValue("present"), types.StringValue("absent")
		case d.Missing:
			entry.Live = types.StringNull()
		}
		if d.secret {
			entry.Wanted = types.StringValue("(sensitive)")
		}
		entries = append(entries, tf.ObjectOf(entry))
	}
	return tf.ListOf(entries...)
}

func (x *instance) shown(d difference, v any) string {
	switch v.(type) {
	case string, bool, int64, float64, int:
		if !d.secret && (d.Path == ownerField || x.freeForm == nil || !x.freeForm(d.object.Kind.Kind, d.Path)) {
			return fmt.Sprint(v)
		}
	}
	return "hash:" + x.record.hash(v)
}

// show renders a composition for the manifests attribute.
func show(objects []Object) map[string]string {
	out := make(map[string]string, len(objects))
	for _, o := range objects {
		body := o.render(toShow)
		if o.Kind.Group == "" && o.Kind.Kind == secretKind.Kind {
			for _, field := range []string{"data", "stringData"} {
				for key := range asMap(body[field]) {
					asMap(body[field])[key] = "(sensitive)"
				}
			}
		}
		raw, err := yaml.Marshal(body)
		if err != nil { // plain data always encodes
			continue
		}
		out[o.String()] = string(raw)
	}
	return out
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}

// asDeclared copies live objects with our own spelling put back wherever the server only spells a value its way, so that
// reading them back moves no attribute that did not change.
func (x *instance) asDeclared(objects []Object, live Live) Live {
	out := make(Live, 0, len(live))
	for _, found := range live {
		found = found.DeepCopy()
		for _, o := range objects {
			if (Live{found}).object(o) == nil {
				continue
			}
			for _, d := range ownership.Diff(o.render(toDryRun), found) {
				if x.record.accepts(o.String(), d.Path, d.Live) {
					_ = ownership.Set(found.Object, d.Path, d.Want) // the path comes from walking this very object
				}
			}
		}
		out = append(out, found)
	}
	return out
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// importable reduces what this provider applied to what it applied, and foreign objects to what a person would declare.
func (x *instance) importable(live Live) Live {
	out := make(Live, 0, len(live))
	for _, found := range live {
		if ownership.AppliedBy(found, x.manager()) {
			out = append(out, &unstructured.Unstructured{Object: ownership.Owned(found, x.manager())})
			continue
		}
		found = found.DeepCopy()
		unstructured.RemoveNestedField(found.Object, "status")
		for _, system := range []string{"managedFields", "resourceVersion", "uid", "creationTimestamp", "generation", "selfLink", "ownerReferences", "finalizers"} {
			unstructured.RemoveNestedField(found.Object, "metadata", system)
		}
		// kubectl keeps a copy of the whole object there, of a Secret with its data.
		unstructured.RemoveNestedField(found.Object, "metadata", "annotations", lastApplied)
		if left, _, _ := unstructured.NestedMap(found.Object, "metadata", "annotations"); len(left) == 0 {
			unstructured.RemoveNestedField(found.Object, "metadata", "annotations")
		}
		out = append(out, found)
	}
	return out
}

// Project returns want with the live value of every field that differs: what a declaration would say if it described what
// is there. A null declares nothing and stays.
func Project(want, live map[string]any) map[string]any {
	out := (&unstructured.Unstructured{Object: want}).DeepCopy().Object
	for _, d := range ownership.Diff(want, &unstructured.Unstructured{Object: live}) {
		switch {
		case d.Want == nil:
		case d.Missing:
			ownership.Remove(out, d.Path)
		default:
			_ = ownership.Set(out, d.Path, d.Live) // the path comes from walking this very object
		}
	}
	return out
}
