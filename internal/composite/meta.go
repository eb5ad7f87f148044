package composite

import (
	"context"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Meta is what every resource has. Embed it by value and untagged.
type Meta struct {
	ID              types.String               `tfsdk:"id"`
	Labels          tf.Map[types.String]       `tfsdk:"labels"`
	Annotations     tf.Map[types.String]       `tfsdk:"annotations"`
	Wait            types.Bool                 `tfsdk:"wait"`
	WaitFailure     types.String               `tfsdk:"wait_failure"`
	Adopt           types.Bool                 `tfsdk:"adopt"`
	OnDestroy       types.String               `tfsdk:"on_destroy"`
	Timeouts        timeouts.Value             `tfsdk:"timeouts"`
	Objects         tf.List[tf.Object[Member]] `tfsdk:"objects"`
	EffectiveLabels tf.Map[types.String]       `tfsdk:"effective_labels"`
	Revision        types.String               `tfsdk:"revision"`
	Drift           tf.List[tf.Object[Drift]]  `tfsdk:"drift"`
	Manifests       tf.Map[types.String]       `tfsdk:"manifests"`
}

// NamespacedMeta is what every resource in a namespace has. Embed it by value and untagged.
type NamespacedMeta struct {
	Meta
	Namespace       types.String `tfsdk:"namespace"`
	CreateNamespace types.Bool   `tfsdk:"create_namespace"`
}

// Member is one object of a composite, as the objects attribute lists it.
type Member struct {
	Group     types.String `tfsdk:"group"`
	Kind      types.String `tfsdk:"kind"`
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// Drift is one owned field whose live value is not the declared one.
type Drift struct {
	Object  types.String `tfsdk:"object"`
	Field   types.String `tfsdk:"field"`
	Wanted  types.String `tfsdk:"wanted"`
	Live    types.String `tfsdk:"live"`
	Manager types.String `tfsdk:"manager"`
}

// ClusterRef addresses a hosted cluster by the Cluster API Cluster that stands for it in the management cluster.
type ClusterRef struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	UID       types.String `tfsdk:"uid"`
}

func (m *Meta) common() *Meta                          { return m }
func (m *NamespacedMeta) inNamespace() *NamespacedMeta { return m }

// metaOf finds the embedded Meta of a model.
func metaOf[M any](m *M) *Meta {
	holder, ok := any(m).(interface{ common() *Meta })
	if !ok {
		panic("composite: a model must embed Meta or NamespacedMeta")
	}
	return holder.common()
}

// Values of wait_failure and on_destroy.
const (
	WaitWarning      = "warning"
	WaitError        = "error"
	OnDestroyDelete  = "delete"
	OnDestroyRelease = "release"
)

// withCommon adds the attributes of Meta, and of NamespacedMeta where the model has it, to a resource's own schema.
func withCommon(ctx context.Context, s schema.Schema, namespaced bool, limits Timeouts) schema.Schema {
	add := func(name string, a schema.Attribute) {
		if _, own := s.Attributes[name]; !own {
			s.Attributes[name] = a
		}
	}
	if s.Attributes == nil {
		s.Attributes = map[string]schema.Attribute{}
	}
	add("id", schema.StringAttribute{Computed: true, MarkdownDescription: tf.Text.ID})
	add("labels", schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.Map{tf.Labels()}, MarkdownDescription: tf.Text.Labels})
	add("annotations", schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.Map{tf.Annotations()}, MarkdownDescription: tf.Text.Annotations})
	add("wait", schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true), MarkdownDescription: tf.Text.Wait})
	add("wait_failure", schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString(WaitWarning),
		Validators: []validator.String{stringvalidator.OneOf(WaitWarning, WaitError)}, MarkdownDescription: tf.Text.WaitFailure})
	add("adopt", schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false), MarkdownDescription: tf.Text.Adopt})
	add("on_destroy", schema.StringAttribute{Optional: true, Computed: true,
		Validators: []validator.String{stringvalidator.OneOf(OnDestroyDelete, OnDestroyRelease)}, MarkdownDescription: tf.Text.OnDestroy})
	add("objects", schema.ListNestedAttribute{Computed: true, CustomType: tf.ListTypeOf[tf.Object[Member]](), MarkdownDescription: tf.Text.Objects,
		NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Member](), Attributes: map[string]schema.Attribute{
			"group":     computedString(tf.Text.ObjectGroup),
			"kind":      computedString(tf.Text.ObjectKind),
			"namespace": computedString(tf.Text.ObjectNamespace),
			"name":      computedString(tf.Text.ObjectName),
		}}})
	add("effective_labels", schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, MarkdownDescription: tf.Text.EffectiveLabels})
	add("revision", schema.StringAttribute{Computed: true, MarkdownDescription: tf.Text.Revision})
	add("drift", schema.ListNestedAttribute{Computed: true, CustomType: tf.ListTypeOf[tf.Object[Drift]](), MarkdownDescription: tf.Text.Drift,
		NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Drift](), Attributes: map[string]schema.Attribute{
			"object":  computedString(tf.Text.DriftObject),
			"field":   computedString(tf.Text.DriftField),
			"wanted":  computedString(tf.Text.DriftWanted),
			"live":    computedString(tf.Text.DriftLive),
			"manager": computedString(tf.Text.DriftManager),
		}}})
	add("manifests", schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, MarkdownDescription: tf.Text.Manifests})
	if namespaced {
		add("namespace", schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: tf.Text.Namespace})
		add("create_namespace", schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false), MarkdownDescription: tf.Default(tf.Text.CreateNamespace, false)})
	}
	if s.Blocks == nil {
		s.Blocks = map[string]schema.Block{}
	}
	s.Blocks["timeouts"] = timeouts.Block(ctx, timeouts.Opts{
		Create: true, CreateDescription: tf.Timeout("create", spelled(limits.Create)),
		Update: true, UpdateDescription: tf.Timeout("update", spelled(limits.Update)),
		Delete: true, DeleteDescription: tf.Timeout("destroy", spelled(limits.Delete)),
	})
	return s
}

// spelled is a duration as people write it: 10m, not 10m0s.
func spelled(d time.Duration) string { return strings.TrimSuffix(d.String(), "0s") }

func computedString(text string) schema.StringAttribute {
	return schema.StringAttribute{Computed: true, MarkdownDescription: text}
}

// ClusterAttribute is the schema of an attribute that addresses a hosted cluster.
func ClusterAttribute(required bool) schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{
		Required: required, Optional: !required,
		CustomType:          tf.ObjectTypeOf[ClusterRef](),
		MarkdownDescription: tf.Text.Cluster,
		Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Required: true, MarkdownDescription: tf.Text.ClusterName},
			"namespace": schema.StringAttribute{Required: true, MarkdownDescription: tf.Text.ClusterNamespace},
			"uid":       schema.StringAttribute{Optional: true, MarkdownDescription: tf.Text.ClusterUID},
		},
	}
}
