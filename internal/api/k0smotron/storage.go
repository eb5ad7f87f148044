package k0smotron

import "github.com/k0smos/terraform-provider-k0smos/internal/api"

// StorageType is a database for the control plane.
// +kubebuilder:validation:Enum=etcd;kine;nats
type StorageType string

// The databases that this provider offers.
const (
	StorageEtcd StorageType = "etcd"
	StorageKine StorageType = "kine"
)

// Storage says where a control plane keeps its objects. The type cannot be changed later: data does not move.
type Storage struct {
	// Which database. Always write it: an absent one was guessed differently by older operators.
	// +kubebuilder:default=etcd
	Type StorageType `json:"type,omitempty"`
	// The etcd that the operator runs.
	// +kubebuilder:default={image:"quay.io/k0sproject/etcd:v3.7.1",persistence:{}}
	Etcd *Etcd `json:"etcd,omitempty"`
	// A database elsewhere.
	Kine *Kine `json:"kine,omitempty"`
}

// Etcd is the etcd that the operator runs for one control plane. Its members never become fewer.
type Etcd struct {
	// Image with tag.
	// +required
	// +kubebuilder:default="quay.io/k0sproject/etcd:v3.7.1"
	Image string `json:"image,omitempty"`
	// Flags of etcd.
	Args []string `json:"args,omitempty"`
	// Volume of each member.
	Persistence *EtcdPersistence `json:"persistence,omitempty"`
	// Whether the volume claims, and with them the data, go with the cluster.
	// +kubebuilder:default=false
	AutoDeletePVCs *bool `json:"autoDeletePVCs,omitempty"`
	// Defragmentation by schedule.
	DefragJob *DefragJob `json:"defragJob,omitempty"`
	// Resources of each member.
	Resources *api.Resources `json:"resources,omitempty"`
}

// EtcdPersistence is the volume of an etcd member.
type EtcdPersistence struct {
	// Storage class; the cluster's default where empty.
	StorageClass string `json:"storageClass,omitempty"`
	// Size. It may grow where the storage class allows it, and never shrink.
	// +kubebuilder:default="1Gi"
	Size api.Quantity `json:"size,omitzero"`
}

// DefragJob defragments etcd by schedule, where the rule holds.
type DefragJob struct {
	// Whether it runs.
	// +kubebuilder:default=false
	Enabled bool `json:"enabled"`
	// Cron schedule.
	// +required
	// +kubebuilder:default="0 12 * * *"
	Schedule string `json:"schedule,omitempty"`
	// When a run does anything.
	// +required
	// +kubebuilder:default="dbQuotaUsage > 0.8 || dbSize - dbSizeInUse > 200*1024*1024"
	Rule string `json:"rule,omitempty"`
	// Image with tag.
	// +required
	// +kubebuilder:default="ghcr.io/ahrtr/etcd-defrag:v0.16.0"
	Image string `json:"image,omitempty"`
}

// Kine is a database elsewhere, given by its address or by a Secret in the same namespace that has it under
// K0SMOTRON_KINE_DATASOURCE_URL.
type Kine struct {
	// Address with credentials: prefer the Secret. The operator writes a placeholder here when a Secret is given.
	DataSourceURL string `json:"dataSourceURL,omitempty"`
	// Name of the Secret.
	DataSourceSecretName string `json:"dataSourceSecretName,omitempty"`
}
