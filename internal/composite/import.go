package composite

import (
	"context"
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// ImportState starts an import from an id or an identity. The read that follows completes it.
func (r *Resource[M]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	m := r.null(ctx)
	probe := m
	anyKind := r.kind.SetID(&probe, ID{APIVersion: "v1", Kind: "ConfigMap", Namespace: "probe", Name: "probe"}) == nil && r.kind.ID(probe).Kind != ""
	var id ID
	if req.ID != "" {
		var err error
		if id, err = ParseID(req.ID, anyKind); err != nil {
			resp.Diagnostics.AddError("Unusable import id", err.Error()+".")
			return
		}
	} else if req.Identity != nil {
		var in identityModel
		if resp.Diagnostics.Append(req.Identity.Get(ctx, &in)...); resp.Diagnostics.HasError() {
			return
		}
		id = in.id()
		if anyKind && (id.APIVersion == "" || id.Kind == "") || (id.ClusterName == "") != (id.ClusterNamespace == "") {
			resp.Diagnostics.AddError("Incomplete identity", "This resource stands for objects of any kind: its identity needs api_version and kind beside the name, and cluster_name only together with cluster_namespace.")
			return
		}
	}
	if err := r.kind.SetID(&m, id); err != nil {
		resp.Diagnostics.AddAttributeError(path.Root("id"), "Unusable import id", sentence(err.Error()))
		return
	}
	r.defaults(ctx, &m)
	metaOf(&m).ID = types.StringValue(id.String())
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	resp.Diagnostics.Append(identify(ctx, resp.Identity, id)...)
	rec := newRecord()
	rec.Imported = true
	resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
}

// readImported completes an import: it looks the objects up, reads every attribute from them, and finds out whose they
// are. What this provider made comes in as if it had never been away.
func (r *Resource[M]) readImported(ctx context.Context, x *instance, m M, resp *resource.ReadResponse) {
	live, diags := x.follow(ctx, func(found Live) []Query {
		out := named(r.kind.Locate(m, found))
		if r.kind.LocateQueries != nil {
			out = append(out, r.kind.LocateQueries(m, found)...)
		}
		return out
	})
	if resp.Diagnostics.Append(diags...); diags.HasError() {
		return
	}
	if len(live) == 0 {
		resp.Diagnostics.AddError("Nothing to import", fmt.Sprintf("%s does not exist in the %s.\n\nCheck the name and the namespace; the id is written as %s.",
			metaOf(&m).ID.ValueString(), x.cluster.Describe(), "[<cluster namespace>/<cluster name>:][<apiVersion>/<kind>:][<namespace>/]<name>"))
		return
	}
	rec, main := x.record, live[0]
	if owner := main.GetAnnotations()[OwnerAnnotation]; owner != "" {
		rec.Owner = owner
	} else {
		rec.Foreign = belongsTo(main)
		if resp.Diagnostics.Append(x.toolOwned(main)...); resp.Diagnostics.HasError() {
			return
		}
	}
	var err error
	if rec.Pin, err = x.cluster.Pin(ctx); err != nil {
		resp.Diagnostics.Append(x.explain("import", nil, err, r.attribute)...)
		return
	}
	decompose := r.kind.Import
	if decompose == nil {
		decompose = r.kind.Decompose
	}
	m = decompose(r.unmarked(x.importable(live)), m)
	r.readMarks(x, &m, main)
	r.derive(&m, nil)
	objects, err := r.compose(m, rec.facts())
	if err != nil {
		resp.Diagnostics.AddError("Cannot import "+metaOf(&m).ID.ValueString(), "What is live cannot be expressed by this resource: "+sentence(err.Error()))
		return
	}
	if rec.Foreign != "" {
		for _, o := range objects {
			if resp.Diagnostics.Append(x.toolOwned(live.object(o))...); resp.Diagnostics.HasError() {
				return
			}
		}
	}
	if o, other := misnamed(objects, live); other != "" {
		resp.Diagnostics.AddError("Cannot import "+metaOf(&m).ID.ValueString(), fmt.Sprintf(
			"Its %s in the %s is called %q, and this resource calls it %q. An apply would make a second one and leave the first behind, so nothing is imported.\n\nManage it with the tool that made it, or by k0smos_manifest with adopt = true.",
			o.Kind.Kind, x.cluster.Describe(), other, o.Name))
		return
	}
	meta := metaOf(&m)
	meta.Objects = members(objects)
	plain := revisionOf(objects)
	x.mark(objects)
	if rec.Foreign != "" {
		for _, o := range objects {
			if live.object(o) != nil {
				x.adopted(o)
			}
		}
	}
	if rec.Foreign == "" {
		x.settle(ctx, x.compare(objects, live))
	}
	meta.Drift = x.driftList(x.compare(objects, live))
	meta.Revision = types.StringValue(pendingRevision)
	rec.Pending = "imported"
	if rec.Foreign == "" && len(meta.Drift.Known()) == 0 {
		meta.Revision, rec.Pending = types.StringValue(plain), ""
	}
	if rec.Foreign != "" { // that our marks are missing goes without saying; what the apply would change does not
		meta.Drift = x.driftList(slices.DeleteFunc(x.compare(objects, live), isOwnMark))
	}
	rec.Imported, rec.Members = false, refs(objects, nil)
	r.observe(&m, live)
	r.refreshManifests(&m, objects)
	resp.Diagnostics.Append(resp.State.Set(ctx, &m)...)
	nullLeftovers(&resp.State)
	resp.Diagnostics.Append(rec.save(ctx, resp.Private)...)
}

// toolOwned refuses to import what a tool of another kind keeps as it is.
func (x *instance) toolOwned(found *unstructured.Unstructured) diag.Diagnostics {
	if found == nil {
		return nil
	}
	tool, detail, ok := ownership.KnownTool(found)
	if !ok {
		return nil
	}
	return diag.Diagnostics{diag.NewErrorDiagnostic(fmt.Sprintf("%s is owned by %s", memberName(found.GetKind(), found.GetNamespace(), found.GetName()), tool), fmt.Sprintf(
		"It belongs to %s (%s) in the %s, which would undo every change. It is never taken over, so nothing is imported.\n\nChange it there, or remove it there first and let this resource make its own.", tool, detail, x.cluster.Describe()))}
}

// isOwnMark tells a difference in what the provider writes on what it owns.
func isOwnMark(d difference) bool {
	switch d.Path {
	case ownerField, "metadata.annotations[" + OwnerNameAnnotation + "]", "metadata.labels[" + ManagedByLabel + "]":
		return true
	default:
		return false
	}
}

// misnamed finds an object of a composition that is live under another name.
func misnamed(objects []Object, live Live) (object Object, other string) {
	for _, o := range objects {
		if live.object(o) != nil {
			continue
		}
		for _, found := range live {
			if found.GetKind() == o.Kind.Kind && found.GroupVersionKind().Group == o.Kind.Group {
				return o, found.GetName()
			}
		}
	}
	return Object{}, ""
}

// nullLeftovers leaves nothing unknown in a state.
func nullLeftovers(state *tfsdk.State) {
	if known, err := nullUnknown(state.Raw); err == nil {
		state.Raw = known
	}
}

// readMarks takes the user's labels and annotations from the main object: those that our manager holds and that neither
// the provider nor the composition puts there.
func (r *Resource[M]) readMarks(x *instance, m *M, main *unstructured.Unstructured) {
	composed, err := r.kind.Compose(*m, Facts{})
	if err != nil || len(composed) == 0 {
		return
	}
	owned, _ := ownership.Owned(main, x.manager())["metadata"].(map[string]any)
	same := func(o Object) bool { return o.Kind.Kind == main.GetKind() && o.Name == main.GetName() }
	theirs, _ := composed[max(slices.IndexFunc(composed, same), 0)].Content["metadata"].(map[string]any)
	left := func(field string) tf.Map[types.String] {
		out := map[string]types.String{}
		mine, _ := owned[field].(map[string]any)
		other, _ := theirs[field].(map[string]any)
		for k, v := range mine {
			if _, taken := other[k]; taken || r.isMark(field, k, v) {
				continue
			}
			if s, ok := v.(string); ok {
				out[k] = types.StringValue(s)
			}
		}
		if len(out) == 0 {
			return tf.NullMap[types.String]()
		}
		return tf.MapOf(out)
	}
	meta := metaOf(m)
	meta.Labels, meta.Annotations = left("labels"), left("annotations")
}

// isMark tells the provider's own labels and annotations from the user's.
func (r *Resource[M]) isMark(field, key string, value any) bool {
	switch key {
	case ManagedByLabel:
		return value == ManagedBy
	case OwnerAnnotation, OwnerNameAnnotation, RotationAnnotation:
		return true
	}
	standard, ok := r.provider.DefaultLabels[key]
	return field == "labels" && ok && standard == value
}

// unmarked copies live objects without the provider's own labels and annotations.
func (r *Resource[M]) unmarked(live Live) Live {
	out := make(Live, 0, len(live))
	for _, o := range live {
		o = o.DeepCopy()
		for _, field := range []string{"labels", "annotations"} {
			marks, _, _ := unstructured.NestedStringMap(o.Object, "metadata", field)
			for k, v := range marks {
				if r.isMark(field, k, v) {
					unstructured.RemoveNestedField(o.Object, "metadata", field, k)
				}
			}
			if left, _, _ := unstructured.NestedMap(o.Object, "metadata", field); len(left) == 0 {
				unstructured.RemoveNestedField(o.Object, "metadata", field)
			}
		}
		out = append(out, o)
	}
	return out
}

// null is a model with nothing in it.
func (r *Resource[M]) null(ctx context.Context) M {
	return tf.NullOf[M](ctx, r.schema.Type())
}

// defaults fills the static defaults of the schema, which an import has no plan to fill.
func (r *Resource[M]) defaults(ctx context.Context, m *M) {
	state := tfsdk.State{Schema: r.schema}
	if state.Set(ctx, m).HasError() {
		return
	}
	for name, a := range r.schema.Attributes {
		at := path.Root(name)
		switch a := a.(type) {
		case schema.BoolAttribute:
			if a.Default != nil {
				var resp defaults.BoolResponse
				a.Default.DefaultBool(ctx, defaults.BoolRequest{Path: at}, &resp)
				state.SetAttribute(ctx, at, resp.PlanValue)
			}
		case schema.StringAttribute:
			if a.Default != nil {
				var resp defaults.StringResponse
				a.Default.DefaultString(ctx, defaults.StringRequest{Path: at}, &resp)
				state.SetAttribute(ctx, at, resp.PlanValue)
			}
		case schema.Int64Attribute:
			if a.Default != nil {
				var resp defaults.Int64Response
				a.Default.DefaultInt64(ctx, defaults.Int64Request{Path: at}, &resp)
				state.SetAttribute(ctx, at, resp.PlanValue)
			}
		}
	}
	state.Get(ctx, m)
}
