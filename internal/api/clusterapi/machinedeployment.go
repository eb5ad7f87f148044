package clusterapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// MachineDeploymentKind addresses MachineDeployments.
var MachineDeploymentKind = api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "MachineDeployment", Resource: "machinedeployments", Namespaced: true}

// DeploymentNameLabel is on everything that belongs to a MachineDeployment, with its name as the value.
const DeploymentNameLabel = "cluster.x-k8s.io/deployment-name"

// Annotations of a MachineDeployment that a cluster autoscaler keeps to.
const (
	MinSizeAnnotation = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size"
	MaxSizeAnnotation = "cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size"
)

// Conditions of a MachineDeployment, beside Available, Deleting and Paused.
const (
	ConditionMachinesReady    = "MachinesReady"
	ConditionMachinesUpToDate = "MachinesUpToDate"
	ConditionRollingOut       = "RollingOut"
	ConditionScalingUp        = "ScalingUp"
	ConditionScalingDown      = "ScalingDown"
	ConditionRemediating      = "Remediating"
)

// MachineDeployment keeps a number of Machines alike and replaces them when what they are made from changes.
// +kubebuilder:resource:path=machinedeployments,scope=Namespaced,shortName=md,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.clusterName`
// +kubebuilder:printcolumn:name="Desired",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.template.spec.version`
type MachineDeployment struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +required
	Spec MachineDeploymentSpec `json:"spec"`
	// What Cluster API has seen.
	// +optional
	Status MachineDeploymentStatus `json:"status,omitzero"`
}

// MachineDeploymentSpec is the wanted state of a MachineDeployment.
type MachineDeploymentSpec struct {
	// Cluster that the Machines belong to. It cannot be changed.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ClusterName string `json:"clusterName,omitempty"`
	// Number of Machines. Nil leaves it to an autoscaler.
	Replicas *int32 `json:"replicas,omitempty"`
	// When and how Machines are replaced.
	Rollout *Rollout `json:"rollout,omitempty"`
	// Labels by which the Machines are found; the template must have them.
	// +required
	Selector api.LabelSelector `json:"selector"`
	// What Machines are made from.
	// +required
	Template MachineTemplateSpec `json:"template,omitzero"`
	// Stops rollouts and scaling while true.
	Paused *bool `json:"paused,omitempty"`
}

// Rollout says when and how Machines are replaced.
// +kubebuilder:validation:MinProperties=1
type Rollout struct {
	// How Machines are replaced.
	Strategy *RolloutStrategy `json:"strategy,omitempty"`
}

// Strategies of a rollout.
const (
	RollingUpdate = "RollingUpdate"
	OnDelete      = "OnDelete"
)

// RolloutStrategy says how Machines are replaced.
// +kubebuilder:validation:MinProperties=1
type RolloutStrategy struct {
	// RollingUpdate replaces them by itself, OnDelete when somebody deletes one.
	// +required
	// +kubebuilder:validation:Enum=RollingUpdate;OnDelete
	Type string `json:"type,omitempty"`
	// How many at a time.
	RollingUpdate *RollingUpdateLimits `json:"rollingUpdate,omitempty"`
}

// RollingUpdateLimits says how many Machines are replaced at a time. Both being 0 is refused.
// +kubebuilder:validation:MinProperties=1
type RollingUpdateLimits struct {
	// How many fewer than wanted there may be.
	MaxUnavailable *intstr.IntOrString `json:"maxUnavailable,omitempty"`
	// How many more than wanted there may be.
	MaxSurge *intstr.IntOrString `json:"maxSurge,omitempty"`
}

// MachineDeploymentStatus is what Cluster API has seen of a MachineDeployment.
// +kubebuilder:validation:MinProperties=1
type MachineDeploymentStatus struct {
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
	// Machines that were ready for long enough.
	AvailableReplicas *int32 `json:"availableReplicas,omitempty"`
	// Machines made from the newest template.
	UpToDateReplicas *int32 `json:"upToDateReplicas,omitempty"`
	// Roughly what goes on.
	// +kubebuilder:validation:Enum=ScalingUp;ScalingDown;Running;Failed;Unknown
	Phase string `json:"phase,omitempty"`
}
