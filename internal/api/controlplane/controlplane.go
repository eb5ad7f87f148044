// Package controlplane is the part of controlplane.cluster.x-k8s.io/v1beta2 (k0smotron 2.1) that this provider writes
// or reads.
// +groupName=controlplane.cluster.x-k8s.io
// +versionName=v1beta2
package controlplane

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
)

// K0smotronControlPlaneKind addresses K0smotronControlPlanes.
var K0smotronControlPlaneKind = api.Kind{Group: "controlplane.cluster.x-k8s.io", Version: "v1beta2", Kind: "K0smotronControlPlane", Resource: "k0smotroncontrolplanes", Namespaced: true}

// ConditionAvailable is true when the API server of the hosted cluster has been reached.
const ConditionAvailable = "Available"

// K0smotronControlPlane is a control plane that runs as pods, for a Cluster of Cluster API.
// +kubebuilder:resource:path=k0smotroncontrolplanes,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=control-plane-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Available",type=integer,JSONPath=`.status.availableReplicas`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type K0smotronControlPlane struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec k0smotron.ClusterSpec `json:"spec,omitzero"`
	// What the operator has seen.
	// +optional
	// +kubebuilder:default={version:"",initialization:{controlPlaneInitialized:false},conditions:{{type:"Available",status:"Unknown",reason:"ControlPlaneDoesNotExist",message:"Waiting for cluster topology to be reconciled",lastTransitionTime:"1970-01-01T00:00:00Z"}}}
	Status K0smotronControlPlaneStatus `json:"status,omitzero"`
}

// K0smotronControlPlaneStatus is what the operator has seen. There is no observed generation: after a change, wait
// for the counters and the version. They are complete long before the API server answers the first time.
type K0smotronControlPlaneStatus struct {
	// Available is the only one.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once and never undone.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`
	// True: the members are not Machines.
	ExternalManagedControlPlane bool `json:"externalManagedControlPlane,omitempty"`
	// Version that all members run.
	Version string `json:"version,omitempty"`
	// Members that exist.
	Replicas *int32 `json:"replicas,omitempty"`
	// Members that are ready.
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`
	// Members with the newest specification.
	UpToDateReplicas *int32 `json:"upToDateReplicas,omitempty"`
	// Members that can serve.
	AvailableReplicas *int32 `json:"availableReplicas,omitempty"`
	// Label selector of the pods, for the scale subresource.
	Selector string `json:"selector,omitempty"`
}

// Initialization says whether the control plane has ever answered, as Cluster API asks of every provider.
// +kubebuilder:validation:MinProperties=1
type Initialization struct {
	// The API server has answered.
	ControlPlaneInitialized bool `json:"controlPlaneInitialized,omitempty"`
}
