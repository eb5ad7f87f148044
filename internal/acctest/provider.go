package acctest

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/k0smos/terraform-provider-k0smos/internal/provider"
)

// Providers is the provider under test, as the test framework takes it.
func Providers() map[string]func() (tfprotov6.ProviderServer, error) {
	return map[string]func() (tfprotov6.ProviderServer, error){
		"k0smos": providerserver.NewProtocol6WithError(provider.New("test")()),
	}
}

// ProviderBlock is the provider's configuration for this cluster; more are lines to add, such as `force_conflicts = true`.
func (a *API) ProviderBlock(more ...string) string {
	return ProviderBlock(append([]string{fmt.Sprintf("config_path = %q", a.Kubeconfig)}, more...)...)
}

// ProviderBlock is a provider block with the given lines and no cluster of its own.
func ProviderBlock(lines ...string) string {
	return "provider \"k0smos\" {\n  " + strings.Join(lines, "\n  ") + "\n}\n"
}
