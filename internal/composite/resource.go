package composite

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Resource serves a Kind to Terraform.
type Resource[M any] struct {
	kind     Kind[M]
	provider *Provider
	*form[M]
}

// form is the schema of a kind and how its models are read and written, which the framework wants with every call.
type form[M any] struct {
	schema schema.Schema
	model  *tf.Model[M]
}

// New returns the constructor that the provider lists for a kind.
func New[M any](kind Kind[M]) func() resource.Resource {
	made := sync.OnceValue(func() *form[M] {
		ctx := context.Background()
		s := FullSchema(ctx, kind)
		return &form[M]{schema: s, model: tf.ModelOf[M](ctx, s.Type())}
	})
	return func() resource.Resource { return &Resource[M]{kind: kind, form: made()} }
}

// FullSchema is the schema of a kind with the common attributes.
func FullSchema[M any](ctx context.Context, kind Kind[M]) schema.Schema {
	var m M
	_, namespaced := any(&m).(interface{ inNamespace() *NamespacedMeta })
	return withCommon(ctx, kind.Schema(), namespaced, kind.limits(m))
}

var (
	_ resource.ResourceWithConfigure      = (*Resource[struct{ Meta }])(nil)
	_ resource.ResourceWithValidateConfig = (*Resource[struct{ Meta }])(nil)
	_ resource.ResourceWithModifyPlan     = (*Resource[struct{ Meta }])(nil)
	_ resource.ResourceWithImportState    = (*Resource[struct{ Meta }])(nil)
	_ resource.ResourceWithIdentity       = (*Resource[struct{ Meta }])(nil)
)

// Metadata names the resource.
func (r *Resource[M]) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + r.kind.Name
}

// Schema returns the full schema.
func (r *Resource[M]) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = r.schema
}

// Configure takes what the provider block set up.
func (r *Resource[M]) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	if p, ok := req.ProviderData.(*Provider); ok {
		r.provider = p
	}
}

// ValidateConfig runs the checks, which need no network.
func (r *Resource[M]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var m M
	if resp.Diagnostics.Append(r.model.Read(ctx, req.Config.Raw, &m)...); resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(diagnostics(reservedMarks(metaOf(&m)))...)
	for _, check := range r.kind.Checks {
		resp.Diagnostics.Append(diagnostics(check(m))...)
	}
}

// reservedMarks refuses labels and annotations that the engine writes itself.
func reservedMarks(m *Meta) []Finding {
	var out []Finding
	refuse := func(attribute, key string) {
		out = append(out, Finding{Path: path.Root(attribute).AtMapKey(key), Summary: "Reserved key " + key,
			Detail: "The provider writes " + key + " itself, to know its objects again. Remove it from " + attribute + "."})
	}
	if _, ok := m.Labels.Known()[ManagedByLabel]; ok {
		refuse("labels", ManagedByLabel)
	}
	for _, key := range []string{OwnerAnnotation, OwnerNameAnnotation, RotationAnnotation, MadeAnnotation} {
		if _, ok := m.Annotations.Known()[key]; ok {
			refuse("annotations", key)
		}
	}
	return out
}

// instanceOf prepares an operation on one resource instance.
func (r *Resource[M]) instanceOf(m M, rec *record) *instance {
	meta := metaOf(&m)
	x := &instance{
		provider: r.provider, kind: r.kind.Name, record: rec, ready: r.kind.Ready, dialects: r.kind.Dialects, freeForm: r.kind.FreeForm,
		adopt: meta.Adopt.ValueBool(), release: meta.OnDestroy.ValueString() == OnDestroyRelease, wait: meta.Wait.ValueBool(),
	}
	if id := r.kind.ID(m); id.Name != "" {
		x.id = id.String()
	}
	x.cluster, x.hosted, x.wantUID = r.clusterOf(m)
	x.namespace, x.createNamespace = r.namespaceOf(m)
	if r.kind.Namespaces != nil {
		x.namespaces = r.kind.Namespaces(m)
	}
	x.labels, x.annotations = stringsOf(meta.EffectiveLabels), stringsOf(meta.Annotations)
	if r.kind.Leaving != nil {
		x.leaving = func(ref Ref) *Step { return r.kind.Leaving(m, ref) }
	}
	return x
}

func (r *Resource[M]) clusterOf(m M) (cluster *kube.Cluster, hosted bool, uid string) {
	if r.kind.Target != nil {
		if ref, ok := r.kind.Target(m).Get(); ok {
			uid = ref.UID.ValueString()
			return r.provider.Pool.Hosted(kube.Ref{Namespace: ref.Namespace.ValueString(), Name: ref.Name.ValueString(), UID: uid}), true, uid
		}
	}
	return r.provider.Pool.Management(), false, ""
}

func (r *Resource[M]) namespaceOf(m M) (string, bool) {
	if r.kind.Namespace != nil {
		return r.kind.Namespace(m)
	}
	if in, ok := any(&m).(interface{ inNamespace() *NamespacedMeta }); ok {
		n := in.inNamespace()
		return n.Namespace.ValueString(), n.CreateNamespace.ValueBool()
	}
	return "", false
}

// compose returns the marked objects of a model, with the user's labels and annotations.
func (r *Resource[M]) compose(m M, facts Facts) ([]Object, error) {
	objects, err := r.kind.Compose(m, facts)
	if err != nil {
		return nil, err
	}
	meta := metaOf(&m)
	dresser := &instance{labels: stringsOf(meta.EffectiveLabels), annotations: stringsOf(meta.Annotations)}
	return dresser.dress(objects), nil
}

// derive fills every attribute that follows from the configuration alone.
func (r *Resource[M]) derive(m, prior *M) {
	meta := metaOf(m)
	if r.kind.Derive != nil {
		r.kind.Derive(m, prior)
	}
	if id := r.kind.ID(*m); id.Name == "" {
		meta.ID = types.StringUnknown()
	} else {
		meta.ID = types.StringValue(id.String())
	}
	meta.Drift = tf.ListOf[tf.Object[Drift]]()
	if meta.OnDestroy.IsNull() {
		switch {
		case meta.Adopt.IsUnknown():
			meta.OnDestroy = types.StringUnknown()
		case meta.Adopt.ValueBool():
			meta.OnDestroy = types.StringValue(OnDestroyRelease)
		default:
			meta.OnDestroy = types.StringValue(OnDestroyDelete)
		}
	}
	meta.EffectiveLabels = r.effectiveLabels(meta)
}

// addsOnly tells whether a create adds fields to objects of others, to give just these up again.
func addsOnly(meta *Meta) bool {
	return meta.Adopt.ValueBool() && meta.OnDestroy.ValueString() == OnDestroyRelease
}

func (r *Resource[M]) effectiveLabels(meta *Meta) tf.Map[types.String] {
	if meta.Labels.IsUnknown() || r.provider.LabelsUnknown {
		return tf.UnknownMap[types.String]()
	}
	out := map[string]types.String{}
	for k, v := range r.provider.labels(nil) {
		out[k] = types.StringValue(v)
	}
	for k, v := range meta.Labels.Known() {
		out[k] = v
	}
	return tf.MapOf(out)
}

func stringsOf(m tf.Map[types.String]) map[string]string {
	out := map[string]string{}
	for k, v := range m.Known() {
		if !v.IsNull() && !v.IsUnknown() {
			out[k] = v.ValueString()
		}
	}
	return out
}

// members lists the objects for the objects attribute.
func members(objects []Object) tf.List[tf.Object[Member]] {
	out := make([]tf.Object[Member], 0, len(objects))
	for _, o := range objects {
		namespace := types.StringNull()
		if o.Namespace != "" {
			namespace = types.StringValue(o.Namespace)
		}
		out = append(out, tf.ObjectOf(Member{Group: types.StringValue(o.Kind.Group), Kind: types.StringValue(o.Kind.Kind), Namespace: namespace, Name: types.StringValue(o.Name)}))
	}
	return tf.ListOf(out...)
}

// attribute maps a field to an attribute path.
func (r *Resource[M]) attribute(kind, field string) path.Path {
	if r.kind.Attribute == nil {
		return path.Empty()
	}
	return r.kind.Attribute(kind, field)
}

// limits are the default limits of the operations.
func (k Kind[M]) limits(m M) Timeouts {
	if k.Timeouts != nil {
		return k.Timeouts(m)
	}
	return Timeouts{Create: defaultTimeout, Update: defaultTimeout, Delete: defaultTimeout}
}

// timeouts are the limits of the operations, the user's or the kind's.
func (r *Resource[M]) timeouts(ctx context.Context, m M) (Timeouts, diag.Diagnostics) {
	limits := r.kind.limits(m)
	set := metaOf(&m).Timeouts
	var all, diags diag.Diagnostics
	limits.Create, diags = set.Create(ctx, limits.Create)
	all.Append(diags...)
	limits.Update, diags = set.Update(ctx, limits.Update)
	all.Append(diags...)
	limits.Delete, diags = set.Delete(ctx, limits.Delete)
	all.Append(diags...)
	return limits, all
}
