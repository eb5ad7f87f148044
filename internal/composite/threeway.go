package composite

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// ThreeWay is a Decompose made of a parse that reads every attribute: an attribute changes only if parse reads something
// else from the live objects than from what prior composes to. Whatever did not change, down to single fields of nested
// attributes, keeps the user's spelling, left-out defaults included.
func ThreeWay[M any](kind Kind[M], live Live, prior M, parse func(Live, M) M) M {
	objects, err := kind.Compose(prior, Facts{})
	if err != nil {
		return prior
	}
	var declared, found Live
	for _, o := range objects {
		want := o.render(toDryRun)
		declared = append(declared, unstructuredOf(want))
		now := want // an object that is missing is drift as a whole, and changes no attribute
		if there := live.object(o); there != nil {
			now = Project(want, there.Object)
		}
		found = append(found, unstructuredOf(now))
	}
	ctx := context.Background()
	schema := FullSchema(ctx, kind)
	raw := func(m M) (tftypes.Value, bool) {
		s := tfsdk.State{Schema: schema}
		ok := !s.Set(ctx, &m).HasError()
		return s.Raw, ok
	}
	base, okBase := raw(prior)
	before, okBefore := raw(parse(declared, prior))
	after, okAfter := raw(parse(found, prior))
	if !okBase || !okBefore || !okAfter {
		return prior
	}
	merged := mergeThree(base, before, after)
	out := prior
	if (&tfsdk.State{Schema: schema, Raw: merged}).Get(ctx, &out).HasError() {
		return prior
	}
	return out
}

// mergeThree takes after where it differs from before, and base elsewhere. Objects and maps are merged entry by entry; an
// object that base leaves out is one whose attributes it all leaves out.
func mergeThree(base, before, after tftypes.Value) tftypes.Value {
	object, isMap := base.Type().Is(tftypes.Object{}), base.Type().Is(tftypes.Map{})
	switch {
	case before.Equal(after):
		return base
	case !object && !isMap, before.IsNull(), after.IsNull(), !base.IsKnown(), !before.IsKnown(), !after.IsKnown():
		return after
	}
	out, was, now := roots(base), roots(before), roots(after)
	for name, v := range now {
		old, had := was[name]
		mine, have := out[name]
		switch {
		case had && old.Equal(v) && (have || isMap):
		case had && have:
			out[name] = mergeThree(mine, old, v)
		case had && object:
			out[name] = mergeThree(tftypes.NewValue(v.Type(), nil), old, v)
		default:
			out[name] = v
		}
	}
	for name := range was {
		if _, stays := now[name]; !stays {
			delete(out, name)
		}
	}
	return tftypes.NewValue(base.Type(), out)
}
