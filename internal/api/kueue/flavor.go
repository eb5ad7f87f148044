package kueue

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// ResourceFlavorKind addresses ResourceFlavors.
var ResourceFlavorKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "ResourceFlavor", Resource: "resourceflavors"}

// TopologyKind addresses Topologies of Kueue. KAI has a kind of the same name in another group.
var TopologyKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Topology", Resource: "topologies"}

// ResourceFlavor is a class of nodes that quotas are given of.
// +kubebuilder:resource:path=resourceflavors,scope=Cluster,shortName={flavor,flavors,rf}
// +kubebuilder:storageversion
type ResourceFlavor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec ResourceFlavorSpec `json:"spec,omitzero"`
}

// ResourceFlavorSpec is what is wanted of a ResourceFlavor. With a topology, neither the topology nor the labels can be changed.
// +kubebuilder:validation:XValidation:rule="!has(self.topologyName) || self.nodeLabels.size() >= 1",message="at least one nodeLabel is required when topology is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.topologyName) || (has(self.nodeLabels) == has(oldSelf.nodeLabels) && (!has(self.nodeLabels) || self.nodeLabels == oldSelf.nodeLabels))",message="nodeLabels are immutable when topologyName is set"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.topologyName) || (has(self.topologyName) && self.topologyName == oldSelf.topologyName)",message="topologyName is immutable when topologyName is set"
type ResourceFlavorSpec struct {
	// Labels of the nodes; pods that are admitted get them as their node selector.
	// +kubebuilder:validation:MaxProperties=8
	// +mapType=atomic
	NodeLabels map[string]string `json:"nodeLabels,omitempty"`
	// Topology of the nodes.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	TopologyName string `json:"topologyName,omitempty"`
}

// Topology is how near to each other nodes are.
// +kubebuilder:resource:path=topologies,scope=Cluster
// +kubebuilder:storageversion
type Topology struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec TopologySpec `json:"spec,omitzero"`
}

// TopologySpec is what is wanted of a Topology.
type TopologySpec struct {
	// Levels, the widest first. They cannot be changed.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable"
	// +kubebuilder:validation:XValidation:rule="size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0",message="must be unique"
	// +kubebuilder:validation:XValidation:rule="size(self.filter(i, i.nodeLabel == 'kubernetes.io/hostname')) == 0 || self[size(self) - 1].nodeLabel == 'kubernetes.io/hostname'",message="the kubernetes.io/hostname label can only be used at the lowest level of topology"
	Levels []TopologyLevel `json:"levels"`
}

// TopologyLevel is one of the levels.
type TopologyLevel struct {
	// Label of nodes whose value tells where a node is.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=316
	// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
	NodeLabel string `json:"nodeLabel"`
}
