// Package install has the functions that install a scheduler: values for the charts of a hosted control plane.
package install

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// order is behind that of GPU operators, which KAI looks for.
const order = 20

// installer is a function from options to a chart.
type installer struct {
	name, summary, description string
	options                    string // the attributes of the argument options, in words
	release                    string
	chart, version, namespace  string // defaults
	values                     func(options *tf.Reader) (map[string]any, error)
}

// Metadata names the function.
func (i *installer) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = i.name
}

// Definition says what it takes and returns.
func (i *installer) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             i.summary,
		MarkdownDescription: i.description,
		VariadicParameter: function.DynamicParameter{Name: "options", AllowNullValue: true, AllowUnknownValues: true,
			MarkdownDescription: "At most one object, every attribute of which may be left out: " + fmt.Sprintf(
				"`version` of the chart (default `%s`), `namespace` (default `%s`), `chart`, the oci:// address of a mirror (default `%s`), ", i.version, i.namespace, i.chart) +
				i.options + ", and `values`, an object of Helm values that is merged over the generated ones (lists are replaced)."},
		Return: function.ObjectReturn{CustomType: tf.ObjectTypeOf[tf.HelmValue]()},
	}
}

// Run makes the chart.
func (i *installer) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var options []types.Dynamic
	if resp.Error = req.Arguments.Get(ctx, &options); resp.Error != nil {
		return
	}
	said := map[string]any{}
	if len(options) > 1 {
		resp.Error = function.NewArgumentFuncError(1, "There is one object of options at most. Put them together into one.")
		return
	}
	if len(options) == 1 {
		plain, known, err := tf.Plain(ctx, options[0])
		if err != nil {
			resp.Error = function.NewArgumentFuncError(0, fmt.Sprintf("The options cannot be read: %s.", err))
			return
		}
		if !known {
			resp.Error = resp.Result.Set(ctx, tf.UnknownObject[tf.HelmValue]())
			return
		}
		var ok bool
		if said, ok = plain.(map[string]any); !ok && plain != nil {
			resp.Error = function.NewArgumentFuncError(0, "options must be an object, for example { version = \""+i.version+"\" }.")
			return
		}
	}
	out, err := i.make(&tf.Reader{Said: said})
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error()+".")
		return
	}
	resp.Error = resp.Result.Set(ctx, tf.ObjectOf(out))
}

func (i *installer) make(options *tf.Reader) (tf.HelmValue, error) {
	from, version, namespace, own := options.Text("chart"), options.Text("version"), options.Text("namespace"), options.Object("values")
	values, err := i.values(options)
	if err != nil {
		return tf.HelmValue{}, err
	}
	if err := options.Done("options"); err != nil {
		return tf.HelmValue{}, err
	}
	return tf.HelmValue{
		Repositories: tf.EmptyMap[tf.Object[tf.HelmRepository]](),
		Charts: tf.MapOf(map[string]tf.Object[tf.HelmChart]{
			i.release: tf.HelmChartOf(tf.TextOr(from, i.chart), tf.TextOr(version, i.version), tf.TextOr(namespace, i.namespace), order, values, own),
		}),
	}, nil
}
