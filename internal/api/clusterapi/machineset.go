package clusterapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// MachineSetKind addresses MachineSets.
var MachineSetKind = api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "MachineSet", Resource: "machinesets", Namespaced: true}

// MachineSet is the Machines of one template of a MachineDeployment.
// +kubebuilder:resource:path=machinesets,scope=Namespaced,shortName=ms,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:storageversion
type MachineSet struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted, as the MachineDeployment writes it.
	// +required
	Spec MachineSetSpec `json:"spec"`
	// What Cluster API has seen.
	// +optional
	Status MachineSetStatus `json:"status,omitzero"`
}

// MachineSetSpec is the wanted state of a MachineSet.
type MachineSetSpec struct {
	// Cluster that the Machines belong to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ClusterName string `json:"clusterName,omitempty"`
	// Number of Machines.
	Replicas *int32 `json:"replicas,omitempty"`
	// Labels by which the Machines are found.
	// +required
	Selector api.LabelSelector `json:"selector"`
	// What Machines are made from.
	// +required
	Template MachineTemplateSpec `json:"template,omitzero"`
}

// MachineSetStatus is what Cluster API has seen of a MachineSet.
// +kubebuilder:validation:MinProperties=1
type MachineSetStatus struct {
	// See the Condition constants.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Generation of the spec that the rest of the status is about.
	// +kubebuilder:validation:Minimum=1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Label selector of the Machines, for the scale subresource.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Selector string `json:"selector,omitempty"`
	// Machines that exist.
	Replicas *int32 `json:"replicas,omitempty"`
	// Machines that are ready.
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`
}
