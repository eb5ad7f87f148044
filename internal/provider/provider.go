// Package provider is the provider block and the list of what the provider serves.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/kubeconfig"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/management"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/manifest"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/nodepool"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/department"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/install"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/pool"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/queue"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/quota"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/usage"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling/workload"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/site"
)

type k0smos struct{ version string }

var (
	_ provider.ProviderWithFunctions          = (*k0smos)(nil)
	_ provider.ProviderWithEphemeralResources = (*k0smos)(nil)
)

// New returns the constructor of the provider.
func New(version string) func() provider.Provider {
	return func() provider.Provider { return &k0smos{version: version} }
}

// Metadata names the provider.
func (p *k0smos) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName, resp.Version = "k0smos", p.version
}

// Schema describes the provider block.
func (p *k0smos) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = blockSchema()
}

// Resources lists the resources, one line per noun.
func (p *k0smos) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		composite.New(controlplane.Kind),
		composite.New(manifest.Kind),
		composite.New(site.Kind),
		composite.New(nodepool.Kind),
		composite.New(pool.Kind),
		composite.New(department.Kind),
		composite.New(queue.Kind),
		composite.New(quota.Kind),
	}
}

// DataSources lists the data sources.
func (p *k0smos) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		composite.NewSource(controlplane.Source),
		composite.NewSource(management.Source),
		composite.NewSource(nodepool.Source),
		composite.NewSource(nodepool.InventorySource),
		composite.NewSource(usage.Source),
	}
}

// EphemeralResources lists the ephemeral resources.
func (p *k0smos) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		composite.NewEphemeral(kubeconfig.Kind),
	}
}

// Functions lists the functions.
func (p *k0smos) Functions(context.Context) []func() function.Function {
	return []func() function.Function{
		nodepool.NewNVIDIAOperator,
		nodepool.NewAMDOperator,
		install.NewKAI,
		install.NewKueue,
		workload.NewQueueLabels,
		workload.NewQuantitySum,
	}
}
