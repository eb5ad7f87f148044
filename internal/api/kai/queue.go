// Package kai is the part of scheduling.run.ai/v2 (KAI 0.17) that this provider writes or reads: queues.
// +groupName=scheduling.run.ai
// +versionName=v2
package kai

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// QueueKind addresses Queues. Kueue and Volcano have kinds with the same plural; the group tells them apart.
var QueueKind = api.Kind{Group: "scheduling.run.ai", Version: "v2", Kind: "Queue", Resource: "queues"}

// PodGroupKind addresses PodGroups, which KAI makes of workloads. They are only read, by their fields.
var PodGroupKind = api.Kind{Group: "scheduling.run.ai", Version: "v2alpha2", Kind: "PodGroup", Resource: "podgroups", Namespaced: true}

// Queue is a node in the tree of quotas of one node pool.
// +kubebuilder:resource:path=queues,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type Queue struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec QueueSpec `json:"spec,omitzero"`
	// What the controllers have seen.
	// +optional
	Status QueueStatus `json:"status,omitzero"`
}

// QueueSpec is what is wanted of a Queue.
type QueueSpec struct {
	// Replaces the name in messages and metrics of the scheduler.
	DisplayName string `json:"displayName,omitempty"`
	// Queue above; none makes it a root. A parent that does not exist is not noticed at admission.
	// +optional
	ParentQueue string `json:"parentQueue"`
	// Among siblings; 100 where it is not set.
	Priority *int `json:"priority,omitempty"`
	// Go duration; any text is accepted, and then the controllers cannot read the Queue.
	PreemptMinRuntime string `json:"preemptMinRuntime,omitempty"`
	// Go duration; any text is accepted, and then the controllers cannot read the Queue.
	ReclaimMinRuntime string `json:"reclaimMinRuntime,omitempty"`
	// Required by the webhook.
	Resources *QueueResources `json:"resources,omitempty"`
}

// QueueResources are the shares of a Queue.
type QueueResources struct {
	// Whole GPUs; 0.5 is half of one.
	// +optional
	GPU QueueResource `json:"gpu"`
	// Millicores.
	// +optional
	CPU QueueResource `json:"cpu"`
	// Megabytes of 10^6 bytes.
	// +optional
	Memory QueueResource `json:"memory"`
}

// QueueResource is the share of one resource. Every number is always written, since to the scheduler one that is left out is 0,
// and with a limit of 0 nothing runs. -1 is unlimited.
type QueueResource struct {
	// Guaranteed.
	// +optional
	Quota float64 `json:"quota"`
	// Most that may be used.
	// +optional
	Limit float64 `json:"limit"`
	// Weight among siblings of the same priority in what is left over.
	// +optional
	OverQuotaWeight float64 `json:"overQuotaWeight"`
}

// QueueStatus is what the controllers have seen of a Queue. There is no condition that tells when it is ready.
type QueueStatus struct {
	// Queues that name this one as their parent.
	ChildQueues []string `json:"childQueues,omitempty"`
	// What running work has, as ordinary quantities.
	Allocated api.ResourceList `json:"allocated,omitempty"`
	// What running work has that must not be preempted.
	AllocatedNonPreemptible api.ResourceList `json:"allocatedNonPreemptible,omitempty"`
	// What running and waiting work wants.
	Requested api.ResourceList `json:"requested,omitempty"`
}
