package clusterapi

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// ClusterStatus is what Cluster API has seen of a Cluster.
// +kubebuilder:validation:MinProperties=1
type ClusterStatus struct {
	// See the Condition constants.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once and never undone.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`
	// Replicas of the control plane.
	ControlPlane *Replicas `json:"controlPlane,omitempty"`
	// Roughly where the Cluster is in its life. Provisioned comes long before the cluster can be used.
	// +kubebuilder:validation:Enum=Pending;Provisioning;Provisioned;Deleting;Failed;Unknown
	Phase string `json:"phase,omitempty"`
	// Generation of the spec that the rest of the status is about.
	// +kubebuilder:validation:Minimum=1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// Initialization says which first steps a Cluster has behind it.
// +kubebuilder:validation:MinProperties=1
type Initialization struct {
	// The infrastructure exists.
	InfrastructureProvisioned bool `json:"infrastructureProvisioned,omitempty"`
	// The API server has answered.
	ControlPlaneInitialized bool `json:"controlPlaneInitialized,omitempty"`
}

// Replicas counts the members of a control plane. Nil is not known yet.
type Replicas struct {
	// As asked for.
	DesiredReplicas *int32 `json:"desiredReplicas,omitempty"`
	// As they exist.
	Replicas *int32 `json:"replicas,omitempty"`
	// With the newest specification.
	UpToDateReplicas *int32 `json:"upToDateReplicas,omitempty"`
	// Ready.
	ReadyReplicas *int32 `json:"readyReplicas,omitempty"`
	// Ready for long enough.
	AvailableReplicas *int32 `json:"availableReplicas,omitempty"`
}
