// Package bootstrap is the part of bootstrap.cluster.x-k8s.io/v1beta2 (k0smotron 2.1) that this provider writes or
// reads: how a host becomes a worker.
// +groupName=bootstrap.cluster.x-k8s.io
// +versionName=v1beta2
package bootstrap

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// K0sWorkerConfigKind addresses K0sWorkerConfigs.
var K0sWorkerConfigKind = api.Kind{Group: "bootstrap.cluster.x-k8s.io", Version: "v1beta2", Kind: "K0sWorkerConfig", Resource: "k0sworkerconfigs", Namespaced: true}

// K0sWorkerConfigTemplateKind addresses K0sWorkerConfigTemplates.
var K0sWorkerConfigTemplateKind = api.Kind{Group: "bootstrap.cluster.x-k8s.io", Version: "v1beta2", Kind: "K0sWorkerConfigTemplate", Resource: "k0sworkerconfigtemplates", Namespaced: true}

// Conditions of a K0sWorkerConfig.
const (
	ConditionReady               = "Ready"
	ConditionDataSecretAvailable = "DataSecretAvailable"
)

// K0sWorkerConfig is how one Machine becomes a worker.
// +kubebuilder:resource:path=k0sworkerconfigs,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=bootstrap-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
type K0sWorkerConfig struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is wanted.
	// +optional
	Spec K0sWorkerConfigSpec `json:"spec,omitzero"`
	// What the operator has done.
	// +optional
	Status K0sWorkerConfigStatus `json:"status,omitzero"`
}

// K0sWorkerConfigStatus is what the operator has done about a K0sWorkerConfig.
type K0sWorkerConfigStatus struct {
	// See the Condition constants.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once.
	// +optional
	Initialization Initialization `json:"initialization,omitzero"`
	// The Secret that has the commands for the host, named as the K0sWorkerConfig.
	DataSecretName *string `json:"dataSecretName,omitempty"`
}

// Initialization says whether the commands exist, as Cluster API asks of every provider.
type Initialization struct {
	// True when the Secret exists.
	DataSecretCreated bool `json:"dataSecretCreated,omitempty"`
}

// K0sWorkerConfigTemplate is what the K0sWorkerConfigs of a MachineDeployment are made from. Editing it rolls nothing.
// +kubebuilder:resource:path=k0sworkerconfigtemplates,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=bootstrap-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
type K0sWorkerConfigTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The template.
	// +optional
	Spec K0sWorkerConfigTemplateSpec `json:"spec,omitzero"`
}

// K0sWorkerConfigTemplateSpec holds the template.
type K0sWorkerConfigTemplateSpec struct {
	// The template.
	// +optional
	Template K0sWorkerConfigTemplateResource `json:"template,omitzero"`
}

// K0sWorkerConfigTemplateResource is what a K0sWorkerConfig starts from.
type K0sWorkerConfigTemplateResource struct {
	// Labels and annotations.
	Metadata *api.TemplateMetadata `json:"metadata,omitempty"`
	// Specification.
	// +optional
	Spec K0sWorkerConfigSpec `json:"spec,omitzero"`
}
