// Package topology is the part of kai.scheduler/v1alpha1 (KAI 0.17) that this provider writes or reads: the levels of a network.
// +groupName=kai.scheduler
// +versionName=v1alpha1
package topology

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// Kind addresses Topologies of KAI. Kueue has a kind of the same name in another group.
var Kind = api.Kind{Group: "kai.scheduler", Version: "v1alpha1", Kind: "Topology", Resource: "topologies"}

// Topology is how near to each other nodes are.
// +kubebuilder:resource:path=topologies,scope=Cluster
// +kubebuilder:storageversion
type Topology struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	Spec Spec `json:"spec"`
}

// Spec is what is wanted of a Topology.
type Spec struct {
	// Levels, the widest first. Their labels cannot be changed.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self.map(l, l.nodeLabel) == oldSelf.map(l, l.nodeLabel)",message="nodeLabel structure is immutable; only aliases may be edited"
	// +kubebuilder:validation:XValidation:rule="size(self.filter(i, size(self.filter(j, j.nodeLabel == i.nodeLabel)) > 1)) == 0",message="nodeLabel must be unique"
	// +kubebuilder:validation:XValidation:rule="size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",message="the kubernetes.io/hostname label can only be used at the lowest level of topology"
	Levels []Level `json:"levels"`
}

// Level is one of the levels.
type Level struct {
	// Label of nodes whose value tells where a node is.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
	NodeLabel string `json:"nodeLabel"`
}
