package nodepool

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// operator is a function from pools to the charts of a GPU operator.
type operator struct {
	name        string
	vendor      string
	summary     string
	description string
	options     string // the attributes of the argument options, in words
	helm        func(pools []pooled, options *tf.Reader) (tf.HelmValue, error)
}

// Metadata names the function.
func (o *operator) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = o.name
}

// Definition says what it takes and returns.
func (o *operator) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             o.summary,
		MarkdownDescription: o.description,
		Parameters: []function.Parameter{function.DynamicParameter{Name: "pools", AllowNullValue: true, AllowUnknownValues: true,
			MarkdownDescription: "Map (or list) of the pools of the cluster by any name, each the value of its attribute `gpu`, or an object that has one under `gpu`. Pools without GPUs and those of the other vendor are passed over. " +
				"Keep these values in `locals` and use them for the pools, too: an attribute of a `k0smos_node_pool` would make a cycle, since pools need the control plane."}},
		VariadicParameter: function.DynamicParameter{Name: "options", AllowNullValue: true, AllowUnknownValues: true,
			MarkdownDescription: "At most one object, every attribute of which may be left out: " + o.options},
		Return: function.ObjectReturn{CustomType: tf.ObjectTypeOf[tf.HelmValue]()},
	}
}

// Run makes the charts.
func (o *operator) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var pools types.Dynamic
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &pools, &options); resp.Error != nil {
		return
	}
	if len(options) > 1 {
		resp.Error = function.NewArgumentFuncError(2, "There is one object of options at most. Put them together into one.")
		return
	}
	said := map[string]any{}
	plain, known, err := tf.Plain(ctx, pools)
	if err == nil && len(options) == 1 {
		var value any
		var all bool
		value, all, err = tf.Plain(ctx, options[0])
		known = known && all
		var ok bool
		if said, ok = value.(map[string]any); !ok && all && value != nil {
			resp.Error = function.NewArgumentFuncError(1, "options must be an object, for example { version = \"v1.2.3\" }.")
			return
		}
	}
	if err != nil {
		resp.Error = function.NewFuncError(fmt.Sprintf("The arguments cannot be read: %s.", err))
		return
	}
	if !known {
		resp.Error = resp.Result.Set(ctx, tf.UnknownObject[tf.HelmValue]())
		return
	}
	of, err := poolsOf(plain, o.vendor)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error()+".")
		return
	}
	helm, err := o.helm(of, &tf.Reader{Said: said})
	if err != nil {
		resp.Error = function.NewFuncError(err.Error() + ".")
		return
	}
	resp.Error = resp.Result.Set(ctx, tf.ObjectOf(helm))
}

func repositoriesOf(urls map[string]string) tf.Map[tf.Object[tf.HelmRepository]] {
	out := map[string]tf.Object[tf.HelmRepository]{}
	for name, url := range urls {
		out[name] = tf.ObjectOf(tf.HelmRepository{URL: types.StringValue(url)})
	}
	return tf.MapOf(out)
}
