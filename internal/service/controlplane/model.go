package controlplane

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.NamespacedMeta
	Name               types.String         `tfsdk:"name"`
	Version            tf.Version           `tfsdk:"version"`
	Replicas           types.Int64          `tfsdk:"replicas"`
	Expose             tf.Object[Expose]    `tfsdk:"expose"`
	Storage            tf.Object[Storage]   `tfsdk:"storage"`
	Network            tf.Object[Network]   `tfsdk:"network"`
	Placement          tf.Object[Placement] `tfsdk:"placement"`
	Resources          tf.Object[Resources] `tfsdk:"resources"`
	Helm               tf.Object[Helm]      `tfsdk:"helm"`
	K0sConfig          tf.JSON              `tfsdk:"k0s_config"`
	DeletionProtection types.Bool           `tfsdk:"deletion_protection"`

	CiliumVersion    types.String                    `tfsdk:"cilium_version"`
	Cluster          tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Endpoint         types.String                    `tfsdk:"endpoint"`
	KubeconfigSecret tf.Object[SecretKey]            `tfsdk:"kubeconfig_secret"`
}

// Expose says under which address the API server is reached.
type Expose struct {
	Type             types.String         `tfsdk:"type"`
	ExternalAddress  types.String         `tfsdk:"external_address"`
	APIPort          types.Int64          `tfsdk:"api_port"`
	KonnectivityPort types.Int64          `tfsdk:"konnectivity_port"`
	Annotations      tf.Map[types.String] `tfsdk:"annotations"`
	Ingress          tf.Object[Ingress]   `tfsdk:"ingress"`
}

// Ingress is the exposure by an ingress controller that passes TLS through.
type Ingress struct {
	APIHost          types.String         `tfsdk:"api_host"`
	KonnectivityHost types.String         `tfsdk:"konnectivity_host"`
	ClassName        types.String         `tfsdk:"class_name"`
	Port             types.Int64          `tfsdk:"port"`
	Annotations      tf.Map[types.String] `tfsdk:"annotations"`
}

// Storage is where the control plane keeps its objects.
type Storage struct {
	Type types.String    `tfsdk:"type"`
	Etcd tf.Object[Etcd] `tfsdk:"etcd"`
	Kine tf.Object[Kine] `tfsdk:"kine"`
}

// Etcd is the database that k0smotron runs.
type Etcd struct {
	Size         tf.Quantity       `tfsdk:"size"`
	StorageClass types.String      `tfsdk:"storage_class"`
	AutoDelete   types.Bool        `tfsdk:"auto_delete"`
	Defrag       tf.Object[Defrag] `tfsdk:"defrag"`
}

// Defrag is a scheduled defragmentation.
type Defrag struct {
	Schedule types.String `tfsdk:"schedule"`
}

// Kine is a database elsewhere.
type Kine struct {
	Secret types.String `tfsdk:"secret"`
}

// Network is the network inside the hosted cluster.
type Network struct {
	Provider      types.String      `tfsdk:"provider"`
	PodCIDR       tf.IPPrefix       `tfsdk:"pod_cidr"`
	ServiceCIDR   tf.IPPrefix       `tfsdk:"service_cidr"`
	ClusterDomain types.String      `tfsdk:"cluster_domain"`
	Cilium        tf.Object[Cilium] `tfsdk:"cilium"`
}

// Cilium are the settings of the network provider cilium.
type Cilium struct {
	Version    types.String `tfsdk:"version"`
	Encryption types.String `tfsdk:"encryption"`
	MTU        types.Int64  `tfsdk:"mtu"`
	Values     tf.JSON      `tfsdk:"values"`
}

// Placement says on which nodes of the management cluster the control plane runs.
type Placement struct {
	NodeSelector   tf.Map[types.String]          `tfsdk:"node_selector"`
	Tolerations    tf.Map[tf.Object[Toleration]] `tfsdk:"tolerations"`
	TopologySpread tf.Map[tf.Object[Spread]]     `tfsdk:"topology_spread"`
}

// Toleration lets the control plane run on tainted nodes.
type Toleration struct {
	Key      types.String `tfsdk:"key"`
	Operator types.String `tfsdk:"operator"`
	Value    types.String `tfsdk:"value"`
	Effect   types.String `tfsdk:"effect"`
}

// Spread spreads the members over the values of a node label.
type Spread struct {
	MaxSkew           types.Int64  `tfsdk:"max_skew"`
	WhenUnsatisfiable types.String `tfsdk:"when_unsatisfiable"`
}

// Resources are those of each member.
type Resources struct {
	Requests tf.Map[tf.Quantity] `tfsdk:"requests"`
	Limits   tf.Map[tf.Quantity] `tfsdk:"limits"`
}

// Helm is what k0s installs in the hosted cluster.
type Helm struct {
	Repositories tf.Map[tf.Object[Repository]] `tfsdk:"repositories"`
	Charts       tf.Map[tf.Object[Chart]]      `tfsdk:"charts"`
}

// Repository is a chart repository.
type Repository struct {
	URL types.String `tfsdk:"url"`
}

// Chart is a Helm release.
type Chart struct {
	Chart     types.String `tfsdk:"chart"`
	Version   types.String `tfsdk:"version"`
	Namespace types.String `tfsdk:"namespace"`
	Values    tf.JSON      `tfsdk:"values"`
	Order     types.Int64  `tfsdk:"order"`
	Timeout   tf.Duration  `tfsdk:"timeout"`
}

// SecretKey is a key of a Secret.
type SecretKey struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Key       types.String `tfsdk:"key"`
}
