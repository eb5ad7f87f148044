// Package core is the part of Kubernetes' own v1 that this provider writes or reads.
// They are built in, so no definition is generated for them.
// +kubebuilder:skip
package core

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// NamespaceKind addresses Namespaces.
var NamespaceKind = api.Kind{Version: "v1", Kind: "Namespace", Resource: "namespaces"}

// SecretKind addresses Secrets.
var SecretKind = api.Kind{Version: "v1", Kind: "Secret", Resource: "secrets", Namespaced: true}

// ConfigMapKind addresses ConfigMaps.
var ConfigMapKind = api.Kind{Version: "v1", Kind: "ConfigMap", Resource: "configmaps", Namespaced: true}

// Namespace holds objects apart from those of others.
type Namespace struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Status NamespaceStatus `json:"status,omitzero"`
}

// NamespaceStatus says whether a Namespace is on its way out.
type NamespaceStatus struct {
	Phase string `json:"phase,omitempty"` // Active or Terminating.
}

// Secret holds what must not be seen. Its values are base64 in JSON.
type Secret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Type string            `json:"type,omitempty"`
	Data map[string][]byte `json:"data,omitempty"`
}

// ConfigMap holds text.
type ConfigMap struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Data map[string]string `json:"data,omitempty"`
}
