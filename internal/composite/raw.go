package composite

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// keepSpelling puts the prior value back wherever the planned one means the same, so that another spelling of a quantity
// or a manifest is no change. It does so for whole attributes: core takes a mixture of prior and configured entries of one
// map for neither.
func keepSpelling(ctx context.Context, s schema.Schema, prior, plan tftypes.Value) tftypes.Value {
	if plan.Equal(prior) {
		return plan
	}
	out, err := tftypes.Transform(plan, func(at *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if len(at.Steps()) == 0 || !v.IsKnown() || v.IsNull() {
			return v, nil
		}
		a, err := s.AttributeAtTerraformPath(ctx, at)
		if err != nil {
			return v, nil //nolint:nilerr // a block, an element of an attribute, or below a dynamic one
		}
		t := a.GetType()
		was, _, err := tftypes.WalkAttributePath(prior, at)
		before, ok := was.(tftypes.Value)
		if err != nil || !ok || before.IsNull() || !before.IsKnown() || before.Equal(v) {
			return v, nil //nolint:nilerr // nothing was there before
		}
		if sameMeaning(ctx, t, before, v) {
			return before, nil
		}
		return v, nil
	})
	if err != nil {
		return plan
	}
	return out
}

func sameMeaning(ctx context.Context, t attr.Type, before, after tftypes.Value) bool {
	if of, ok := t.(attr.TypeWithElementType); ok {
		return sameEntries(ctx, of.ElementType(), before, after)
	}
	a, err := t.ValueFromTerraform(ctx, before)
	if err != nil {
		return false
	}
	b, err := t.ValueFromTerraform(ctx, after)
	if err != nil {
		return false
	}
	switch a := a.(type) {
	case basetypes.StringValuableWithSemanticEquals:
		if b, ok := b.(basetypes.StringValuable); ok {
			same, diags := a.StringSemanticEquals(ctx, b)
			return same && !diags.HasError()
		}
	case basetypes.DynamicValuableWithSemanticEquals:
		if b, ok := b.(basetypes.DynamicValuable); ok {
			same, diags := a.DynamicSemanticEquals(ctx, b)
			return same && !diags.HasError()
		}
	}
	return false
}

// sameEntries compares two maps or lists entry by entry. Sets have no entries that could be told apart.
func sameEntries(ctx context.Context, of attr.Type, before, after tftypes.Value) bool {
	var was, now []tftypes.Value
	switch {
	case before.Type().Is(tftypes.Map{}):
		a, b := roots(before), roots(after)
		for key, v := range a {
			w, ok := b[key]
			if !ok {
				return false
			}
			was, now = append(was, v), append(now, w)
		}
		if len(a) != len(b) {
			return false
		}
	case !before.Type().Is(tftypes.List{}) || before.As(&was) != nil || after.As(&now) != nil || len(was) != len(now):
		return false
	}
	for i := range was {
		if !was[i].Equal(now[i]) && (was[i].IsNull() || now[i].IsNull() || !now[i].IsKnown() || !sameMeaning(ctx, of, was[i], now[i])) {
			return false
		}
	}
	return true
}

// settleUnknown fills what the plan left open with what the apply found. Everything that the plan showed as known stays
// as it was shown, whatever the cluster says by now: the next read shows that.
func settleUnknown(plan, found tftypes.Value) (tftypes.Value, error) {
	switch {
	case !plan.IsKnown():
		if !found.IsKnown() {
			return tftypes.NewValue(found.Type(), nil), nil
		}
		return nullUnknown(found)
	case plan.IsNull() || plan.IsFullyKnown():
		return plan, nil
	}
	switch {
	case plan.Type().Is(tftypes.Object{}) || plan.Type().Is(tftypes.Map{}):
		var planned, got map[string]tftypes.Value
		if err := plan.As(&planned); err != nil {
			return plan, err
		}
		if err := found.As(&got); err != nil {
			return plan, err
		}
		for k, v := range planned {
			g, ok := got[k]
			if !ok {
				g = tftypes.NewValue(v.Type(), nil)
			}
			filled, err := settleUnknown(v, g)
			if err != nil {
				return plan, err
			}
			planned[k] = filled
		}
		return tftypes.NewValue(plan.Type(), planned), nil
	default:
		return nullUnknown(found)
	}
}

func nullUnknown(v tftypes.Value) (tftypes.Value, error) {
	return tftypes.Transform(v, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if !v.IsKnown() {
			return tftypes.NewValue(v.Type(), nil), nil
		}
		return v, nil
	})
}

// openNulls leaves open what a state could not say yet: the UID of an object whose create stopped half-way.
func openNulls(v tftypes.Value) tftypes.Value {
	out, err := tftypes.Transform(v, func(_ *tftypes.AttributePath, v tftypes.Value) (tftypes.Value, error) {
		if v.IsNull() {
			return tftypes.NewValue(v.Type(), tftypes.UnknownValue), nil
		}
		return v, nil
	})
	if err != nil {
		return tftypes.NewValue(v.Type(), tftypes.UnknownValue)
	}
	return out
}

// roots splits the value of a resource into its attributes.
func roots(v tftypes.Value) map[string]tftypes.Value {
	out := map[string]tftypes.Value{}
	if v.IsNull() || !v.IsKnown() {
		return out
	}
	if err := v.As(&out); err != nil {
		return map[string]tftypes.Value{}
	}
	return out
}

// inputsKnown tells whether a configuration is known as far as a composition needs it. The UID of a hosted cluster that
// is made in the same run is not needed, nor is anything write-only.
func inputsKnown(config tftypes.Value, writeOnly []string) bool {
	skip := map[string]bool{"timeouts": true}
	for _, name := range writeOnly {
		skip[name] = true
	}
	for name, v := range roots(config) {
		switch {
		case name == "cluster" && v.IsKnown() && !v.IsNull():
			ref := roots(v)
			if !ref["name"].IsKnown() || !ref["namespace"].IsKnown() {
				return false
			}
		case !knownBut(v, name, skip):
			return false
		}
	}
	return true
}

// knownBut tells whether a value is known, apart from the attributes in it that are to be skipped.
func knownBut(v tftypes.Value, at string, skip map[string]bool) bool {
	if skip[at] || v.IsFullyKnown() {
		return true
	}
	if !v.IsKnown() || !v.Type().Is(tftypes.Object{}) {
		return false
	}
	for name, inner := range roots(v) {
		if !knownBut(inner, at+"."+name, skip) {
			return false
		}
	}
	return true
}

// attributeIn finds an attribute, which may be inside of an object: "ssh.private_key_wo_version".
func attributeIn(v tftypes.Value, attribute string) tftypes.Value {
	for step := range strings.SplitSeq(attribute, ".") {
		v = roots(v)[step]
	}
	return v
}
