package clusterapi

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// MachineHealthCheckKind addresses MachineHealthChecks.
var MachineHealthCheckKind = api.Kind{Group: "cluster.x-k8s.io", Version: "v1beta2", Kind: "MachineHealthCheck", Resource: "machinehealthchecks", Namespaced: true}

// MachineHealthCheck replaces Machines whose nodes are not well.
// +kubebuilder:resource:path=machinehealthchecks,scope=Namespaced,shortName=mhc;mhcs,categories=cluster-api
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name="Cluster",type=string,JSONPath=`.spec.clusterName`
type MachineHealthCheck struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +required
	Spec MachineHealthCheckSpec `json:"spec"`
	// What Cluster API has seen.
	// +optional
	Status MachineHealthCheckStatus `json:"status,omitzero"`
}

// MachineHealthCheckSpec is the wanted state of a MachineHealthCheck.
type MachineHealthCheckSpec struct {
	// Cluster that the Machines belong to.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	ClusterName string `json:"clusterName,omitempty"`
	// Labels by which the Machines are found.
	// +required
	Selector api.LabelSelector `json:"selector"`
	// When a Machine is unhealthy.
	// +optional
	Checks HealthChecks `json:"checks,omitempty,omitzero"`
	// What is done about it.
	// +optional
	Remediation Remediation `json:"remediation,omitempty,omitzero"`
}

// HealthChecks say when a Machine is unhealthy.
// +kubebuilder:validation:MinProperties=1
type HealthChecks struct {
	// Seconds until a new Machine must have a node. 0 is for ever.
	// +kubebuilder:validation:Minimum=0
	NodeStartupTimeoutSeconds *int32 `json:"nodeStartupTimeoutSeconds,omitempty"`
	// States of the Node that make its Machine unhealthy, any of them.
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=100
	UnhealthyNodeConditions []UnhealthyNodeCondition `json:"unhealthyNodeConditions,omitempty"`
}

// UnhealthyNodeCondition is a state of a Node that makes its Machine unhealthy when it lasts.
type UnhealthyNodeCondition struct {
	// Condition of the Node.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	Type string `json:"type,omitempty"`
	// Status that it must have.
	// +required
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:MinLength=1
	Status string `json:"status,omitempty"`
	// Seconds that it must last.
	// +required
	// +kubebuilder:validation:Minimum=0
	TimeoutSeconds *int32 `json:"timeoutSeconds,omitempty"`
}

// Remediation says what is done about unhealthy Machines.
// +kubebuilder:validation:MinProperties=1
type Remediation struct {
	// When anything is done at all.
	// +optional
	TriggerIf RemediationTrigger `json:"triggerIf,omitempty,omitzero"`
}

// RemediationTrigger keeps a trouble of the whole site from costing every Machine.
// +kubebuilder:validation:MinProperties=1
type RemediationTrigger struct {
	// Number or share of unhealthy Machines up to which they are replaced.
	UnhealthyLessThanOrEqualTo *intstr.IntOrString `json:"unhealthyLessThanOrEqualTo,omitempty"`
}

// MachineHealthCheckStatus is what Cluster API has seen of a MachineHealthCheck.
// +kubebuilder:validation:MinProperties=1
type MachineHealthCheckStatus struct {
	// See the Condition constants.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Machines that are looked at.
	// +kubebuilder:validation:Minimum=0
	ExpectedMachines *int32 `json:"expectedMachines,omitempty"`
	// Those that are healthy.
	// +kubebuilder:validation:Minimum=0
	CurrentHealthy *int32 `json:"currentHealthy,omitempty"`
	// How many may be replaced now.
	// +kubebuilder:validation:Minimum=0
	RemediationsAllowed *int32 `json:"remediationsAllowed,omitempty"`
	// Generation of the spec that the rest of the status is about.
	// +kubebuilder:validation:Minimum=1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
