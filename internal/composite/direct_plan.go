package composite

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/defaults"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// answerPlan plans a resource whose schema is plain. What it cannot read it leaves to the framework, which says why.
func (r *Resource[M]) answerPlan(ctx context.Context, p *Provider, req *tfprotov6.PlanResourceChangeRequest) *tfprotov6.PlanResourceChangeResponse {
	if r.outline == nil || req.Config == nil || req.PriorState == nil || req.ProposedNewState == nil {
		return nil
	}
	config, errConfig := req.Config.Unmarshal(r.wire)
	prior, errPrior := req.PriorState.Unmarshal(r.wire)
	rec, ok := recordOf(ctx, req.PriorPrivate)
	if errConfig != nil || errPrior != nil || !ok {
		return nil
	}
	proposed := prior
	if !bytes.Equal(req.ProposedNewState.MsgPack, req.PriorState.MsgPack) {
		var err error
		if proposed, err = req.ProposedNewState.Unmarshal(r.wire); err != nil {
			return nil
		}
	}
	identity := req.PriorIdentity
	if identity == nil {
		null, err := tfprotov6.NewDynamicValue(r.identity.Wire(), tftypes.NewValue(r.identity.Wire(), nil))
		if err != nil {
			return nil
		}
		identity = &tfprotov6.ResourceIdentityData{IdentityData: &null}
	}

	asked := resource.ModifyPlanRequest{
		Config: tfsdk.Config{Schema: r.schema, Raw: config},
		State:  tfsdk.State{Schema: r.schema, Raw: prior},
		Plan:   tfsdk.Plan{Schema: r.schema, Raw: r.outline.complete(config, prior, proposed)},
	}
	planned := resource.ModifyPlanResponse{Plan: asked.Plan}
	r.with(p).modifyPlan(ctx, asked, rec, &planned)

	out := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: req.PriorState, PlannedPrivate: req.PriorPrivate, PlannedIdentity: identity,
		RequiresReplace: replacesOnWire(planned.RequiresReplace), Diagnostics: onWire(planned.Diagnostics),
	}
	if !planned.Plan.Raw.Equal(prior) {
		packed, err := tfprotov6.NewDynamicValue(r.wire, planned.Plan.Raw)
		if err != nil {
			return nil
		}
		out.PlannedState = &packed
	}
	return out
}

func replacesOnWire(paths path.Paths) []*tftypes.AttributePath {
	byName := map[string]path.Path{}
	for _, p := range paths {
		byName[p.String()] = p
	}
	var out []*tftypes.AttributePath
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		out = append(out, pathOnWire(byName[name]))
	}
	return out
}

// outline is what the framework's part in a plan goes by, where only whole attributes have defaults or are computed.
type outline struct {
	wire       tftypes.Type
	attributes []attributeOutline
}

type attributeOutline struct {
	name      string
	unset     *tftypes.Value // default
	computed  bool
	writeOnly bool
}

// complete does to a proposed state what the framework does before it asks a resource: it sets defaults, takes write-only
// values out, and, if there is a change at all, leaves open what is computed.
func (o *outline) complete(config, prior, proposed tftypes.Value) tftypes.Value {
	if proposed.IsNull() {
		return proposed
	}
	declared, values := roots(config), maps.Clone(roots(proposed)) // which may be the prior state itself
	for _, a := range o.attributes {
		if a.unset != nil && declared[a.name].IsNull() {
			values[a.name] = *a.unset
		}
		if v := values[a.name]; a.writeOnly && !v.IsNull() {
			values[a.name] = tftypes.NewValue(v.Type(), nil)
		}
	}
	plan := tftypes.NewValue(o.wire, values)
	if plan.Equal(prior) {
		return plan
	}
	for _, a := range o.attributes {
		if v := values[a.name]; a.computed && a.unset == nil && declared[a.name].IsNull() {
			values[a.name] = tftypes.NewValue(v.Type(), tftypes.UnknownValue)
		}
	}
	return tftypes.NewValue(o.wire, values)
}

// outlineOf is nil where the framework has more to do: plan modifiers, or inside of an attribute that is set anything that is
// computed, has a default or is write-only.
func outlineOf(ctx context.Context, s schema.Schema) *outline {
	o := &outline{wire: s.Type().TerraformType(ctx)}
	for name, a := range s.Attributes {
		out := attributeOutline{name: name, computed: a.IsComputed(), writeOnly: a.IsWriteOnly()}
		switch unset, known := defaultOf(ctx, a); {
		case !known || has(a, "PlanModifiers"):
			return nil
		case unset != nil:
			out.unset = unset
		}
		if !plainInside(inside(a), a.IsOptional() || a.IsRequired()) {
			return nil
		}
		o.attributes = append(o.attributes, out)
	}
	for _, b := range s.Blocks {
		block, single := b.(schema.SingleNestedBlock)
		if !single || !plainInside(block.Attributes, true) {
			return nil
		}
	}
	return o
}

// plainInside judges the attributes inside of another. Where that is only computed, so are they, and nobody can leave them out.
func plainInside(attributes map[string]schema.Attribute, settable bool) bool {
	for _, a := range attributes {
		if has(a, "PlanModifiers") || has(a, "Default") || a.IsWriteOnly() || a.IsComputed() && settable || !plainInside(inside(a), settable) {
			return false
		}
	}
	return true
}

func inside(a schema.Attribute) map[string]schema.Attribute {
	switch a := a.(type) {
	case schema.SingleNestedAttribute:
		return a.Attributes
	case schema.ListNestedAttribute:
		return a.NestedObject.Attributes
	case schema.MapNestedAttribute:
		return a.NestedObject.Attributes
	case schema.SetNestedAttribute:
		return a.NestedObject.Attributes
	}
	return nil
}

// defaultOf is the default of an attribute, nil for none. It is not known where it is of a kind that no resource has.
func defaultOf(ctx context.Context, a schema.Attribute) (unset *tftypes.Value, known bool) {
	if !has(a, "Default") {
		return nil, true
	}
	var v tftypes.Value
	var err error
	switch a := a.(type) {
	case schema.BoolAttribute:
		var resp defaults.BoolResponse
		a.Default.DefaultBool(ctx, defaults.BoolRequest{}, &resp)
		v, err = resp.PlanValue.ToTerraformValue(ctx)
	case schema.StringAttribute:
		var resp defaults.StringResponse
		a.Default.DefaultString(ctx, defaults.StringRequest{}, &resp)
		v, err = resp.PlanValue.ToTerraformValue(ctx)
	case schema.Int64Attribute:
		var resp defaults.Int64Response
		a.Default.DefaultInt64(ctx, defaults.Int64Request{}, &resp)
		v, err = resp.PlanValue.ToTerraformValue(ctx)
	default:
		return nil, false
	}
	return &v, err == nil
}

// has tells whether an attribute, or the object that it holds, has something in a field of this name.
func has(a schema.Attribute, field string) bool {
	v := reflect.ValueOf(a)
	set := func(f reflect.Value) bool {
		return f.IsValid() && !f.IsZero() && (f.Kind() != reflect.Slice || f.Len() > 0)
	}
	nested := v.FieldByName("NestedObject")
	return set(v.FieldByName(field)) || nested.IsValid() && set(nested.FieldByName(field))
}
