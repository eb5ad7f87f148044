// Package shard is the part of kai.scheduler/v1 (KAI 0.17) that this provider writes or reads: the schedulers of node pools.
// +groupName=kai.scheduler
// +versionName=v1
package shard

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// Kind addresses SchedulingShards.
var Kind = api.Kind{Group: "kai.scheduler", Version: "v1", Kind: "SchedulingShard", Resource: "schedulingshards"}

// ConditionReady is true when the scheduler of a SchedulingShard runs as it is declared.
const ConditionReady = "Ready"

// SchedulingShard is a scheduler of its own for the nodes, queues and work of one node pool.
// +kubebuilder:resource:path=schedulingshards,scope=Cluster
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
type SchedulingShard struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec Spec `json:"spec,omitzero"`
	// What the operator has seen.
	// +optional
	Status Status `json:"status,omitzero"`
}

// Spec is what is wanted of a SchedulingShard.
type Spec struct {
	// Value of the node label that makes the pool. None means the nodes that do not have the label at all.
	PartitionLabelValue string `json:"partitionLabelValue,omitempty"`
	// Where work is put.
	PlacementStrategy *PlacementStrategy `json:"placementStrategy,omitempty"`
	// Flags of the scheduler; those that it does not know are dropped in silence.
	Args map[string]string `json:"args,omitempty"`
	// How long work runs before it can be taken down, where its queue does not say.
	MinRuntime *MinRuntime `json:"minRuntime,omitempty"`
	// How much past use counts; 1 where it is not set.
	KValue *float64 `json:"kValue,omitempty"`
	// Where past use is read.
	UsageDBConfig *UsageDBConfig `json:"usageDBConfig,omitempty"`
}

// PlacementStrategy is binpack or spread, by resource. Anything else is accepted, too.
type PlacementStrategy struct {
	// Of work with GPUs.
	GPU string `json:"gpu,omitempty"`
	// Of work without.
	CPU string `json:"cpu,omitempty"`
}

// MinRuntime has Go durations. Any text is accepted.
type MinRuntime struct {
	// Before work of the same queue can take over.
	PreemptMinRuntime string `json:"preemptMinRuntime,omitempty"`
	// Before other queues can take back what is theirs.
	ReclaimMinRuntime string `json:"reclaimMinRuntime,omitempty"`
}

// UsageDBConfig says where past use is read.
type UsageDBConfig struct {
	// Kind of database; prometheus.
	ClientType string `json:"clientType"`
	// Address; that of the Prometheus of KAI's own installation where it is not set.
	ConnectionString string `json:"connectionString,omitempty"`
	// How it is read.
	UsageParams *UsageParams `json:"usageParams,omitempty"`
}

// UsageParams say how past use is weighed.
type UsageParams struct {
	// Time after which use counts half; none means that it counts in full.
	HalfLifePeriod string `json:"halfLifePeriod,omitempty"`
	// How far back use counts: 1w where it is not set. Years, weeks and days are known here.
	// +kubebuilder:validation:Pattern=`^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?(([0-9]+)ms)?)$`
	WindowSize string `json:"windowSize,omitempty"`
	// Whether the window slides or starts anew.
	WindowType string `json:"windowType,omitempty"`
}

// Status is what the operator has seen of a SchedulingShard.
type Status struct {
	// See ConditionReady.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
