package clusterapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// MachineKind addresses Machines.
var MachineKind = api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Machine", Resource: "machines", Namespaced: true}

// DeleteMachineAnnotation on a Machine lets it be the one that goes when the size is lowered.
const DeleteMachineAnnotation = "cluster.x-k8s.io/delete-machine"

// Conditions of a Machine, beside Available, InfrastructureReady, Deleting and Paused.
const (
	ConditionReady                = "Ready"
	ConditionUpToDate             = "UpToDate"
	ConditionBootstrapConfigReady = "BootstrapConfigReady"
	ConditionNodeHealthy          = "NodeHealthy"
	ConditionNodeReady            = "NodeReady"
)

// Machine is one worker: a configuration, a host, and the node that comes of them.
// +kubebuilder:resource:path=machines,scope=Namespaced,shortName=ma,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.clusterName`
// +kubebuilder:printcolumn:name="Node Name",type=string,JSONPath=`.status.nodeRef.name`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
type Machine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +required
	Spec MachineSpec `json:"spec"`
	// What Cluster API has seen.
	// +optional
	Status MachineStatus `json:"status,omitzero"`
}

// MachineSpec is the wanted state of a Machine.
type MachineSpec struct {
	// Cluster that it belongs to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ClusterName string `json:"clusterName,omitempty"`
	// How it becomes a worker.
	// +required
	Bootstrap Bootstrap `json:"bootstrap,omitempty,omitzero"`
	// Its host, or the template of hosts.
	// +required
	InfrastructureRef Reference `json:"infrastructureRef,omitempty,omitzero"`
	// Version of Kubernetes, with a leading v.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Version string `json:"version,omitempty"`
	// Identity that Machine and Node share. Filled in from the infrastructure.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	ProviderID string `json:"providerID,omitempty"`
	// Failure domain.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	FailureDomain string `json:"failureDomain,omitempty"`
	// Seconds that the node must be ready for before it counts as available.
	// +kubebuilder:validation:Minimum=0
	MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
	// How long the steps of its deletion may take.
	// +optional
	Deletion MachineDeletion `json:"deletion,omitempty,omitzero"`
}

// Bootstrap says how a Machine becomes a worker.
type Bootstrap struct {
	// The configuration, or the template of configurations.
	ConfigRef *Reference `json:"configRef,omitempty"`
	// The Secret with the commands. Filled in by Cluster API from the configuration.
	// +kubebuilder:validation:MinLength=0
	// +kubebuilder:validation:MaxLength=253
	DataSecretName *string `json:"dataSecretName,omitempty"`
}

// MachineDeletion says how long the steps of a deletion may take, in seconds. 0 is for ever.
// +kubebuilder:validation:MinProperties=1
type MachineDeletion struct {
	// Moving the pods elsewhere.
	// +kubebuilder:validation:Minimum=0
	NodeDrainTimeoutSeconds *int32 `json:"nodeDrainTimeoutSeconds,omitempty"`
	// Detaching the volumes.
	// +kubebuilder:validation:Minimum=0
	NodeVolumeDetachTimeoutSeconds *int32 `json:"nodeVolumeDetachTimeoutSeconds,omitempty"`
	// Deleting the Node.
	// +kubebuilder:validation:Minimum=0
	NodeDeletionTimeoutSeconds *int32 `json:"nodeDeletionTimeoutSeconds,omitempty"`
}

// MachineTemplateSpec is what Machines are made from.
type MachineTemplateSpec struct {
	// Labels and annotations of the Machines. A change reaches those that exist.
	// +optional
	ObjectMeta TemplateMetadata `json:"metadata,omitempty,omitzero"`
	// Specification of the Machines.
	// +required
	Spec MachineSpec `json:"spec,omitempty,omitzero"`
}

// TemplateMetadata is what Machines get as metadata.
// +kubebuilder:validation:MinProperties=1
type TemplateMetadata struct {
	// Labels.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations.
	Annotations map[string]string `json:"annotations,omitempty"`
}
