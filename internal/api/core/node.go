package core

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// NodeKind addresses Nodes.
var NodeKind = api.Kind{Version: "v1", Kind: "Node", Resource: "nodes"}

// ConditionReady is true when the kubelet of a Node takes pods.
const ConditionReady = "Ready"

// Node is a worker, as its cluster sees it.
type Node struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   NodeSpec   `json:"spec,omitzero"`
	Status NodeStatus `json:"status,omitzero"`
}

// NodeSpec says which pods a Node takes.
type NodeSpec struct {
	ProviderID    string  `json:"providerID,omitempty"`
	Unschedulable bool    `json:"unschedulable,omitempty"`
	Taints        []Taint `json:"taints,omitempty"`
}

// Taint keeps pods off a Node that do not tolerate it.
type Taint struct {
	Key       string       `json:"key"`
	Value     string       `json:"value,omitempty"`
	Effect    string       `json:"effect"` // NoSchedule, PreferNoSchedule or NoExecute.
	TimeAdded *metav1.Time `json:"timeAdded,omitempty"`
}

// NodeStatus is what the kubelet says of its Node.
type NodeStatus struct {
	Capacity    api.ResourceList `json:"capacity,omitempty"`
	Allocatable api.ResourceList `json:"allocatable,omitempty"`
	Conditions  []NodeCondition  `json:"conditions,omitempty"`
	Addresses   []NodeAddress    `json:"addresses,omitempty"`
	NodeInfo    NodeSystemInfo   `json:"nodeInfo,omitzero"`
}

// NodeCondition is one aspect of a Node.
type NodeCondition struct {
	Type               string      `json:"type"`
	Status             string      `json:"status"` // True, False or Unknown.
	Reason             string      `json:"reason,omitempty"`
	Message            string      `json:"message,omitempty"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime,omitzero"`
}

// NodeAddress is an address of a Node.
type NodeAddress struct {
	Type    string `json:"type"` // InternalIP, Hostname and others.
	Address string `json:"address"`
}

// NodeSystemInfo is what runs on a Node.
type NodeSystemInfo struct {
	KubeletVersion string `json:"kubeletVersion,omitempty"`
}
