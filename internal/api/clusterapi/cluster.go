// Package clusterapi is the part of cluster.x-k8s.io/v1beta2 (Cluster API 1.12) that this provider writes or reads.
// +groupName=cluster.x-k8s.io
// +versionName=v1beta2
package clusterapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// ClusterKind addresses Clusters.
var ClusterKind = api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "Cluster", Resource: "clusters", Namespaced: true}

// ClusterNameLabel is on everything that belongs to a Cluster, with its name as the value.
const ClusterNameLabel = "cluster.x-k8s.io/cluster-name"

// Conditions of a Cluster.
const (
	ConditionAvailable               = "Available"
	ConditionInfrastructureReady     = "InfrastructureReady"
	ConditionControlPlaneInitialized = "ControlPlaneInitialized"
	ConditionControlPlaneAvailable   = "ControlPlaneAvailable"
	ConditionRemoteConnectionProbe   = "RemoteConnectionProbe"
	ConditionDeleting                = "Deleting"
	ConditionPaused                  = "Paused"
)

// Cluster ties a control plane and an infrastructure together, and owns both: deleting it deletes them.
// +kubebuilder:resource:path=clusters,scope=Namespaced,shortName=cl,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +required
	Spec ClusterSpec `json:"spec"`
	// What Cluster API has seen.
	// +optional
	Status ClusterStatus `json:"status,omitzero"`
}

// ClusterSpec is the wanted state of a Cluster.
// +kubebuilder:validation:MinProperties=1
type ClusterSpec struct {
	// Stops all controllers of the Cluster while true.
	Paused *bool `json:"paused,omitempty"`
	// Address ranges inside the hosted cluster.
	ClusterNetwork *ClusterNetwork `json:"clusterNetwork,omitempty"`
	// Where the API server is reached. Filled in by Cluster API from the infrastructure.
	ControlPlaneEndpoint *Endpoint `json:"controlPlaneEndpoint,omitempty"`
	// The object that runs the control plane.
	ControlPlaneRef *Reference `json:"controlPlaneRef,omitempty"`
	// The object that stands for the infrastructure.
	InfrastructureRef *Reference `json:"infrastructureRef,omitempty"`
}

// ClusterNetwork holds the address ranges inside a hosted cluster.
// +kubebuilder:validation:MinProperties=1
type ClusterNetwork struct {
	// Addresses of services.
	Services *NetworkRanges `json:"services,omitempty"`
	// Addresses of pods.
	Pods *NetworkRanges `json:"pods,omitempty"`
	// DNS domain of services.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	ServiceDomain string `json:"serviceDomain,omitempty"`
}

// NetworkRanges is a list of address ranges.
type NetworkRanges struct {
	// Ranges in CIDR notation.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=43
	CIDRBlocks []string `json:"cidrBlocks,omitempty"`
}

// Endpoint is the address of an API server.
// +kubebuilder:validation:MinProperties=1
type Endpoint struct {
	// Host name or address.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Host string `json:"host,omitempty"`
	// TCP port.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port int32 `json:"port,omitempty"`
}

// Reference names an object of another provider in the same namespace. It has no version: Cluster API finds the
// version by the contract label of the CRD.
type Reference struct {
	// Kind of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$`
	Kind string `json:"kind"`
	// Name of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
	// API group of the object.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	APIGroup string `json:"apiGroup"`
}
