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
		if now := live.object(o); now != nil {
			found = append(found, unstructuredOf(Project(want, now.Object)))
		}
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

// mergeThree takes after where it differs from before, and base elsewhere.
func mergeThree(base, before, after tftypes.Value) tftypes.Value {
	if before.Equal(after) {
		return base
	}
	if !base.Type().Is(tftypes.Object{}) || base.IsNull() || before.IsNull() || after.IsNull() || !base.IsKnown() || !after.IsKnown() {
		return after
	}
	out, was, now := roots(base), roots(before), roots(after)
	for name := range out {
		out[name] = mergeThree(out[name], was[name], now[name])
	}
	return tftypes.NewValue(base.Type(), out)
}
