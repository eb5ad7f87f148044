package kubeconfig

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Bounds of expiration are those of the API server.
const (
	defaultLifetime  = time.Hour
	shortestLifetime = 10 * time.Minute
	longestLifetime  = (1 << 32) * time.Second
)

// Model is what the user writes, and what is handed out.
type Model struct {
	composite.EphemeralMeta
	Cluster        tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	ServiceAccount tf.Object[ServiceAccount]       `tfsdk:"service_account"`

	Kubeconfig           types.String `tfsdk:"kubeconfig"`
	Host                 types.String `tfsdk:"host"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	Token                types.String `tfsdk:"token"`
	ExpiresAt            types.String `tfsdk:"expires_at"`
}

// ServiceAccount is an account in the hosted cluster, and the token that it is to get.
type ServiceAccount struct {
	Name       types.String          `tfsdk:"name"`
	Namespace  types.String          `tfsdk:"namespace"`
	Audiences  tf.List[types.String] `tfsdk:"audiences"`
	Expiration tf.Duration           `tfsdk:"expiration"`
}
