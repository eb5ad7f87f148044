// Package infrastructure is the part of infrastructure.cluster.x-k8s.io/v1beta2 (k0smotron 2.1) that this provider
// writes or reads: hosts that exist already and are reached by SSH.
// +groupName=infrastructure.cluster.x-k8s.io
// +versionName=v1beta2
package infrastructure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
)

// RemoteClusterKind addresses RemoteClusters.
var RemoteClusterKind = api.Kind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "RemoteCluster", Resource: "remoteclusters", Namespaced: true}

// RemoteCluster is the infrastructure of a Cluster whose hosts exist already: there is nothing to provision.
// +kubebuilder:resource:path=remoteclusters,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=infrastructure-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
type RemoteCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Always written, empty or not, as the operator's own examples do.
	// +optional
	Spec RemoteClusterSpec `json:"spec"`
	// What the operator has seen.
	// +optional
	Status RemoteClusterStatus `json:"status,omitzero"`
}

// RemoteClusterSpec is the wanted state of a RemoteCluster.
type RemoteClusterSpec struct {
	// Where the API server is reached. Filled in by the operator when the control plane is exposed.
	ControlPlaneEndpoint *clusterapi.Endpoint `json:"controlPlaneEndpoint,omitempty"`
}

// RemoteClusterStatus is what the operator has seen of a RemoteCluster.
type RemoteClusterStatus struct {
	// Ready is the only one.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`
}

// Initialization says whether the infrastructure exists, as Cluster API asks of every provider.
// +kubebuilder:validation:MinProperties=1
type Initialization struct {
	// True as soon as the operator has seen the object.
	Provisioned bool `json:"provisioned,omitempty"`
}
