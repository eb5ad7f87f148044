package workload

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// NewQuantitySum is the function quantity_sum.
func NewQuantitySum() function.Function { return &quantitySum{} }

type quantitySum struct{}

// Metadata names the function.
func (*quantitySum) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "quantity_sum"
}

// Definition says what it takes and returns.
func (*quantitySum) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary:             "The sum of Kubernetes quantities",
		MarkdownDescription: "Adds Kubernetes quantities exactly, whatever their suffixes, and returns the sum as Kubernetes writes it: `quantity_sum([\"500m\", \"2\"])` is `2500m`, `quantity_sum([\"64Gi\", \"512Mi\"])` is `66048Mi`. The form, powers of 1000 or of 1024, is that of the first. The sum of none is `0`.",
		Parameters: []function.Parameter{
			function.ListParameter{Name: "quantities", ElementType: types.StringType, MarkdownDescription: "Quantities; numbers will do, too."},
		},
		Return: function.StringReturn{},
	}
}

// Run adds.
func (*quantitySum) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	var list []types.String
	if resp.Error = req.Arguments.Get(ctx, &list); resp.Error != nil {
		return
	}
	sum, err := sumOf(list)
	if err != nil {
		resp.Error = function.NewArgumentFuncError(0, err.Error()+".")
		return
	}
	resp.Error = resp.Result.Set(ctx, sum)
}

func sumOf(list []types.String) (string, error) {
	var sum resource.Quantity
	for i, text := range list {
		if text.IsNull() {
			return "", fmt.Errorf("quantities[%d] is null. Leave it out, for example with compact(), or say \"0\"", i)
		}
		q, err := tf.ParseQuantity(text.ValueString())
		if err != nil {
			return "", fmt.Errorf("quantities[%d]: %w", i, err)
		}
		if i == 0 {
			sum.Format = q.Format
		}
		sum.Add(q)
	}
	if _, err := tf.ParseQuantity(sum.String()); err != nil {
		return "", fmt.Errorf("the sum is beyond 8E, the largest quantity that Kubernetes adds up exactly")
	}
	return sum.String(), nil
}
