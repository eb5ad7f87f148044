// Package kueue is the part of kueue.x-k8s.io/v1beta2 (Kueue 0.17) that this provider writes or reads.
// +groupName=kueue.x-k8s.io
// +versionName=v1beta2
package kueue

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// CohortKind addresses Cohorts.
var CohortKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Cohort", Resource: "cohorts"}

// ClusterQueueKind addresses ClusterQueues.
var ClusterQueueKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "ClusterQueue", Resource: "clusterqueues"}

// LocalQueueKind addresses LocalQueues.
var LocalQueueKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "LocalQueue", Resource: "localqueues", Namespaced: true}

// WorkloadKind addresses Workloads, which Kueue makes of jobs. They are only read, by their fields.
var WorkloadKind = api.Kind{Group: "kueue.x-k8s.io", Version: "v1beta2", Kind: "Workload", Resource: "workloads", Namespaced: true}

// ConditionActive says whether a ClusterQueue admits work, and why not.
const ConditionActive = "Active"

// Values of stopPolicy and of preemption.
const (
	StopNone         = "None"
	StopHoldAndDrain = "HoldAndDrain"
	PreemptAny       = "Any"
	PreemptLower     = "LowerPriority"
)

// Cohort is a group of ClusterQueues and Cohorts that lend each other what is idle. Its own quota adds to theirs.
// +kubebuilder:resource:path=cohorts,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type Cohort struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec CohortSpec `json:"spec,omitzero"`
}

// CohortSpec is what is wanted of a Cohort.
type CohortSpec struct {
	// Cohort above; one that does not exist is taken as one without limits.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	ParentName string `json:"parentName,omitempty"`
	// Quotas of its own.
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	ResourceGroups []ResourceGroup `json:"resourceGroups,omitempty"`
	// Its part of what siblings share.
	FairSharing *FairSharing `json:"fairSharing,omitempty"`
}

// ClusterQueue is a pool of quotas that LocalQueues admit work by.
// +kubebuilder:resource:path=clusterqueues,scope=Cluster,shortName=cq
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type ClusterQueue struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec ClusterQueueSpec `json:"spec,omitzero"`
	// What Kueue has seen.
	// +optional
	Status ClusterQueueStatus `json:"status,omitzero"`
}

// ClusterQueueSpec is what is wanted of a ClusterQueue.
// +kubebuilder:validation:XValidation:rule="!has(self.cohortName) && has(self.resourceGroups) ? self.resourceGroups.all(rg, rg.flavors.all(f, f.resources.all(r, !has(r.borrowingLimit)))) : true",message="borrowingLimit must be nil when cohort is empty"
type ClusterQueueSpec struct {
	// Cohort that it is in.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	CohortName string `json:"cohortName,omitempty"`
	// Quotas.
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	ResourceGroups []ResourceGroup `json:"resourceGroups,omitempty"`
	// Namespaces that may use it. None at all: no namespace may.
	NamespaceSelector *metav1.LabelSelector `json:"namespaceSelector,omitempty"`
	// What may be taken from others.
	// +kubebuilder:default={}
	Preemption *Preemption `json:"preemption,omitempty"`
	// Its part of what siblings share.
	FairSharing *FairSharing `json:"fairSharing,omitempty"`
	// None, Hold or HoldAndDrain.
	// +kubebuilder:validation:Enum=None;Hold;HoldAndDrain
	// +kubebuilder:default="None"
	StopPolicy string `json:"stopPolicy,omitempty"`
}

// Preemption says what work of a ClusterQueue may take from other work.
type Preemption struct {
	// From the same ClusterQueue.
	// +kubebuilder:validation:Enum=Never;LowerPriority;LowerOrNewerEqualPriority
	// +kubebuilder:default=Never
	WithinClusterQueue string `json:"withinClusterQueue,omitempty"`
	// From others in the Cohort that have borrowed.
	// +kubebuilder:validation:Enum=Never;LowerPriority;Any
	// +kubebuilder:default=Never
	ReclaimWithinCohort string `json:"reclaimWithinCohort,omitempty"`
}

// FairSharing counts only where the configuration of Kueue switches it on.
type FairSharing struct {
	// Weight among siblings.
	// +optional
	// +kubebuilder:default=1
	Weight api.Quantity `json:"weight,omitzero"`
}

// ResourceGroup is a set of resources that one flavor is chosen for together.
// +kubebuilder:validation:XValidation:rule="self.flavors.all(x, size(x.resources) == size(self.coveredResources))",message="flavors must have the same number of resources as the coveredResources"
type ResourceGroup struct {
	// Resources.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=atomic
	CoveredResources []string `json:"coveredResources"`
	// Flavors, in the order in which they are tried; each has all of the resources, in their order.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Flavors []FlavorQuotas `json:"flavors"`
}

// FlavorQuotas are the quotas in one flavor.
type FlavorQuotas struct {
	// ResourceFlavor.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
	// Quota of each resource.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Resources []ResourceQuota `json:"resources"`
}

// ResourceQuota is the quota of one resource in one flavor.
type ResourceQuota struct {
	// Resource.
	Name string `json:"name"`
	// What is guaranteed.
	NominalQuota api.Quantity `json:"nominalQuota"`
	// Most that may be borrowed on top; none is no limit.
	// +optional
	BorrowingLimit api.Quantity `json:"borrowingLimit,omitzero"`
}

// ClusterQueueStatus is what Kueue has seen of a ClusterQueue.
type ClusterQueueStatus struct {
	// See ConditionActive.
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// What admitted work uses.
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	FlavorsUsage []FlavorUsage `json:"flavorsUsage,omitempty"`
	// Work that waits.
	PendingWorkloads int32 `json:"pendingWorkloads,omitempty"`
	// Work that has its quota.
	ReservingWorkloads int32 `json:"reservingWorkloads,omitempty"`
	// Work that runs.
	AdmittedWorkloads int32 `json:"admittedWorkloads,omitempty"`
	// Its share of what is borrowed, where fair sharing is on.
	FairSharing *FairSharingStatus `json:"fairSharing,omitempty"`
}

// FairSharingStatus is the share that a queue has of what is lent.
type FairSharingStatus struct {
	// In thousandths, over its weight; 0 is within the quota.
	WeightedShare int64 `json:"weightedShare"`
}

// FlavorUsage is what is used of one flavor.
type FlavorUsage struct {
	// ResourceFlavor.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name"`
	// Use of each resource.
	// +kubebuilder:validation:MaxItems=64
	// +listType=map
	// +listMapKey=name
	Resources []ResourceUsage `json:"resources"`
}

// ResourceUsage is what is used of one resource.
type ResourceUsage struct {
	// Resource.
	Name string `json:"name"`
	// All that is used.
	// +optional
	Total api.Quantity `json:"total,omitzero"`
	// The part of it that is borrowed.
	// +optional
	Borrowed api.Quantity `json:"borrowed,omitzero"`
}

// LocalQueue is how the workloads of a namespace name a ClusterQueue.
// +kubebuilder:resource:path=localqueues,scope=Namespaced,shortName={queue,queues,lq}
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type LocalQueue struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec LocalQueueSpec `json:"spec,omitzero"`
	// What Kueue has seen.
	// +optional
	Status LocalQueueStatus `json:"status,omitzero"`
}

// LocalQueueSpec is what is wanted of a LocalQueue.
type LocalQueueSpec struct {
	// ClusterQueue; it cannot be changed.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="field is immutable"
	ClusterQueue string `json:"clusterQueue,omitempty"`
	// None, Hold or HoldAndDrain.
	// +kubebuilder:validation:Enum=None;Hold;HoldAndDrain
	// +kubebuilder:default="None"
	StopPolicy string `json:"stopPolicy,omitempty"`
}

// LocalQueueStatus is what Kueue has seen of a LocalQueue.
type LocalQueueStatus struct {
	// See ConditionActive.
	// +kubebuilder:validation:MaxItems=16
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Work that waits.
	PendingWorkloads int32 `json:"pendingWorkloads,omitempty"`
	// Work that has its quota.
	ReservingWorkloads int32 `json:"reservingWorkloads,omitempty"`
	// Work that runs.
	AdmittedWorkloads int32 `json:"admittedWorkloads,omitempty"`
}
