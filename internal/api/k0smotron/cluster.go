// Package k0smotron is the part of k0smotron.io/v1beta2 (k0smotron 2.1) that this provider and its test equipment
// write or read. A K0smotronControlPlane has the same specification as the Cluster that the operator derives from it.
// +groupName=k0smotron.io
// +versionName=v1beta2
package k0smotron

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// ClusterKind addresses the Clusters of k0smotron, which are not those of Cluster API.
var ClusterKind = api.Kind{Group: "k0smotron.io", Version: "v1beta2", Kind: "Cluster", Resource: "clusters", Namespaced: true}

// Cluster is the control plane as k0smotron runs it. The operator makes it from a K0smotronControlPlane; never write
// it as well.
// +kubebuilder:resource:path=clusters,scope=Namespaced,shortName=kmc
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:storageversion
type Cluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	// +kubebuilder:default={service:{type:NodePort}}
	Spec ClusterSpec `json:"spec,omitzero"`
	// What the operator has seen.
	// +optional
	Status ClusterStatus `json:"status,omitzero"`
}

// ClusterStatus is what the operator has seen of a Cluster.
type ClusterStatus struct {
	// Available sums up the others.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Members that exist.
	Replicas *int32 `json:"replicas,omitempty"`
	// Members that are ready.
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`
	// Members with the newest specification.
	UpdatedReplicas *int32 `json:"updatedReplicas,omitempty"`
	// Label selector of the pods, for the scale subresource.
	Selector string `json:"selector,omitempty"`
	// What older clients look at.
	Deprecated *Deprecated `json:"deprecated,omitempty"`
}

// Deprecated holds status fields of the version before.
type Deprecated struct {
	// Fields of v1beta1.
	V1Beta1 *DeprecatedV1Beta1 `json:"v1beta1,omitempty"`
}

// DeprecatedV1Beta1 is the status that v1beta1 had.
type DeprecatedV1Beta1 struct {
	// True once ready, and never reset.
	Ready bool `json:"ready,omitempty"`
	// Result of the last pass in words.
	ReconciliationStatus string `json:"reconciliationStatus,omitempty"`
}
