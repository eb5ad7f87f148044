package tf

import (
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/types"
)

// HelmValue is what functions return for the attribute helm of a hosted control plane.
type HelmValue struct {
	Repositories Map[Object[HelmRepository]] `tfsdk:"repositories"`
	Charts       Map[Object[HelmChart]]      `tfsdk:"charts"`
}

// HelmRepository is a chart repository.
type HelmRepository struct {
	URL types.String `tfsdk:"url"`
}

// HelmChart is a release. Its types are plain, since a function has no schema that could turn them into others.
type HelmChart struct {
	Chart     types.String `tfsdk:"chart"`
	Version   types.String `tfsdk:"version"`
	Namespace types.String `tfsdk:"namespace"`
	Values    types.String `tfsdk:"values"` // JSON
	Order     types.Int64  `tfsdk:"order"`
	Timeout   types.String `tfsdk:"timeout"`
}

// HelmChartOf is one release. The values are merged under those of the user.
func HelmChartOf(chart, version, namespace string, order int64, values, own map[string]any) Object[HelmChart] {
	text, err := json.Marshal(merged(values, own))
	if err != nil {
		panic(err) // maps, slices, texts, numbers and booleans only
	}
	return ObjectOf(HelmChart{Chart: types.StringValue(chart), Version: types.StringValue(version), Namespace: types.StringValue(namespace),
		Values: types.StringValue(string(text)), Order: types.Int64Value(order)})
}

// merged lays one object over another as Helm does: maps are merged, everything else is replaced.
func merged(under, over map[string]any) map[string]any {
	out := map[string]any{}
	for k, v := range under {
		out[k] = v
	}
	for k, v := range over {
		a, okA := out[k].(map[string]any)
		b, okB := v.(map[string]any)
		if okA && okB {
			v = merged(a, b)
		}
		out[k] = v
	}
	return out
}
