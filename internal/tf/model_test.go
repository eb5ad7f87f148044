package tf

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// The models below have every shape that resources use, nested as deep as they do.

type meta struct {
	Name   types.String      `tfsdk:"name"`
	Labels Map[types.String] `tfsdk:"labels"`
}

type embeddedMore struct {
	meta
	Namespace types.String `tfsdk:"namespace"`
}

type taint struct {
	Value  types.String `tfsdk:"value"`
	Effect types.String `tfsdk:"effect"`
}

type drain struct {
	Timeout Duration `tfsdk:"timeout"`
}

type host struct {
	Address types.String         `tfsdk:"address"`
	Port    types.Int64          `tfsdk:"port"`
	Memory  Quantity             `tfsdk:"memory"`
	Taints  Map[Object[taint]]   `tfsdk:"taints"`
	Drain   Object[drain]        `tfsdk:"drain"`
	Args    List[types.String]   `tfsdk:"args"`
	Shares  Map[List[Quantity]]  `tfsdk:"shares"`
	Ranges  List[IPPrefix]       `tfsdk:"ranges"`
	Ratios  Map[types.Float64]   `tfsdk:"ratios"`
	Enabled types.Bool           `tfsdk:"enabled"`
	Options JSON                 `tfsdk:"options"`
	Nested  Map[Map[types.Bool]] `tfsdk:"nested"`
}

type pool struct {
	embeddedMore
	Version  Version            `tfsdk:"version"`
	CPU      Quantity           `tfsdk:"cpu"`
	GPUs     Map[types.Int64]   `tfsdk:"gpus"`
	Sizes    Map[Quantity]      `tfsdk:"sizes"`
	Drain    Object[drain]      `tfsdk:"drain"`
	Hosts    Map[Object[host]]  `tfsdk:"hosts"`
	Order    List[Object[host]] `tfsdk:"order"`
	Manifest Manifest           `tfsdk:"manifest"`
	Secret   types.String       `tfsdk:"secret"`
	ignored  bool               // Fields that are not exported are no attributes.
}

func drainAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"timeout": schema.StringAttribute{Optional: true, CustomType: DurationType{}, Validators: []validator.String{PositiveDuration()}},
	}
}

func hostAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"address": schema.StringAttribute{Optional: true, Validators: []validator.String{HostOrIP()}},
		"port":    schema.Int64Attribute{Optional: true, Validators: []validator.Int64{Port()}},
		"memory":  schema.StringAttribute{Optional: true, CustomType: QuantityType{}, Validators: []validator.String{PositiveQuantity()}},
		"taints": schema.MapNestedAttribute{Optional: true, CustomType: MapTypeOf[Object[taint]](), NestedObject: schema.NestedAttributeObject{
			CustomType: ObjectTypeOf[taint](),
			Attributes: map[string]schema.Attribute{
				"value":  schema.StringAttribute{Optional: true},
				"effect": schema.StringAttribute{Optional: true},
			},
		}},
		"drain":   schema.SingleNestedAttribute{Optional: true, CustomType: ObjectTypeOf[drain](), Attributes: drainAttributes()},
		"args":    schema.ListAttribute{Optional: true, CustomType: ListTypeOf[types.String]()},
		"shares":  schema.MapAttribute{Optional: true, CustomType: MapTypeOf[List[Quantity]]()},
		"ranges":  schema.ListAttribute{Optional: true, CustomType: ListTypeOf[IPPrefix]()},
		"ratios":  schema.MapAttribute{Optional: true, CustomType: MapTypeOf[types.Float64]()},
		"enabled": schema.BoolAttribute{Optional: true},
		"options": schema.StringAttribute{Optional: true, CustomType: JSONType{}},
		"nested":  schema.MapAttribute{Optional: true, CustomType: MapTypeOf[Map[types.Bool]]()},
	}
}

func poolSchema() schema.Schema {
	nestedHost := schema.NestedAttributeObject{CustomType: ObjectTypeOf[host](), Attributes: hostAttributes()}
	return schema.Schema{Attributes: map[string]schema.Attribute{
		"name":      schema.StringAttribute{Optional: true, Validators: []validator.String{DNSLabel(40)}},
		"labels":    schema.MapAttribute{Optional: true, CustomType: MapTypeOf[types.String](), Validators: []validator.Map{Labels()}},
		"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{DNSSubdomain()}},
		"version":   schema.StringAttribute{Optional: true, CustomType: VersionType{}},
		"cpu":       schema.StringAttribute{Optional: true, CustomType: QuantityType{}, Validators: []validator.String{NonNegativeQuantity()}},
		"gpus":      schema.MapAttribute{Optional: true, CustomType: MapTypeOf[types.Int64]()},
		"sizes":     schema.MapAttribute{Optional: true, CustomType: MapTypeOf[Quantity]()},
		"drain":     schema.SingleNestedAttribute{Optional: true, CustomType: ObjectTypeOf[drain](), Attributes: drainAttributes()},
		"hosts":     schema.MapNestedAttribute{Optional: true, CustomType: MapTypeOf[Object[host]](), NestedObject: nestedHost},
		"order":     schema.ListNestedAttribute{Optional: true, CustomType: ListTypeOf[Object[host]](), NestedObject: nestedHost},
		"manifest":  schema.DynamicAttribute{Optional: true, CustomType: ManifestType{}},
		"secret":    schema.StringAttribute{Optional: true, Sensitive: true, Validators: []validator.String{DNSLabel(10)}},
	}}
}
