package provider

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// address is the provider's name in the registries.
const address = "registry.terraform.io/k0smos/k0smos"

// Serve serves the provider until the command line ends it, or debugging, which prints how to reattach, until it is
// interrupted.
func Serve(version string, debugging bool) error {
	var options []tf6server.ServeOpt
	if debugging {
		options = append(options, tf6server.WithManagedDebug())
	} else if err := LogAsAsked(); err != nil {
		return err
	}
	tuneMemory()
	framework := providerserver.NewProtocol6(New(version)())
	return tf6server.Serve(address, func() tfprotov6.ProviderServer { return forgetful{framework()} }, options...)
}

// tuneMemory lets the heap grow to four times what is in use, unless the user said otherwise. The framework makes megabytes
// of garbage per resource out of little that lives, so this saves much work and costs little memory.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(300)
	}
}

// forgetful lends the framework the contexts of the calls that come once or more per resource. The framework keeps the
// context of every call until the process ends, and with it all that hangs on it: 20 kB per resource and run.
// (List resources, actions and state stores, should there be any, have interfaces of their own to be passed on here.)
type forgetful struct{ tfprotov6.ProviderServer }

func (f forgetful) ValidateResourceConfig(ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.ValidateResourceConfig(ctx, r)
}

func (f forgetful) UpgradeResourceState(ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.UpgradeResourceState(ctx, r)
}

func (f forgetful) UpgradeResourceIdentity(ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.UpgradeResourceIdentity(ctx, r)
}

func (f forgetful) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.ReadResource(ctx, r)
}

func (f forgetful) PlanResourceChange(ctx context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.PlanResourceChange(ctx, r)
}

func (f forgetful) ApplyResourceChange(ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	ctx, end := lend(ctx)
	defer end()
	return f.ProviderServer.ApplyResourceChange(ctx, r)
}
