package core

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// ResourceQuotaKind addresses ResourceQuotas.
var ResourceQuotaKind = api.Kind{Version: "v1", Kind: "ResourceQuota", Resource: "resourcequotas", Namespaced: true}

// LimitRangeKind addresses LimitRanges.
var LimitRangeKind = api.Kind{Version: "v1", Kind: "LimitRange", Resource: "limitranges", Namespaced: true}

// LimitTypeContainer is the type of limits that are those of a container.
const LimitTypeContainer = "Container"

// ResourceQuota caps what all of a namespace uses.
type ResourceQuota struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ResourceQuotaSpec   `json:"spec,omitzero"`
	Status ResourceQuotaStatus `json:"status,omitzero"`
}

// ResourceQuotaSpec has the caps.
type ResourceQuotaSpec struct {
	Hard api.ResourceList `json:"hard,omitempty"`
}

// ResourceQuotaStatus is what is in use.
type ResourceQuotaStatus struct {
	Hard api.ResourceList `json:"hard,omitempty"`
	Used api.ResourceList `json:"used,omitempty"`
}

// LimitRange fills in and bounds what single containers ask for.
type LimitRange struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec LimitRangeSpec `json:"spec,omitzero"`
}

// LimitRangeSpec has one item for each kind of thing that is bounded.
type LimitRangeSpec struct {
	Limits []LimitRangeItem `json:"limits"`
}

// LimitRangeItem are the defaults and bounds of one kind of thing.
type LimitRangeItem struct {
	Type           string           `json:"type"`
	Default        api.ResourceList `json:"default,omitempty"`        // limits of containers that have none
	DefaultRequest api.ResourceList `json:"defaultRequest,omitempty"` // requests of containers that have none
}
