package infrastructure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// RemoteMachineTemplateKind addresses RemoteMachineTemplates.
var RemoteMachineTemplateKind = api.Kind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "RemoteMachineTemplate", Resource: "remotemachinetemplates", Namespaced: true}

// RemoteMachineTemplate is what the RemoteMachines of a MachineDeployment are made from. Editing it rolls nothing.
// +kubebuilder:resource:path=remotemachinetemplates,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=infrastructure-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
type RemoteMachineTemplate struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The template.
	// +optional
	Spec RemoteMachineTemplateSpec `json:"spec,omitzero"`
}

// RemoteMachineTemplateSpec holds the template.
type RemoteMachineTemplateSpec struct {
	// The template.
	// +required
	Template RemoteMachineTemplateResource `json:"template,omitzero"`
}

// RemoteMachineTemplateResource is what a RemoteMachine starts from.
type RemoteMachineTemplateResource struct {
	// Labels and annotations.
	Metadata *api.TemplateMetadata `json:"metadata,omitempty"`
	// Specification.
	// +optional
	Spec RemoteMachineTemplateResourceSpec `json:"spec,omitzero"`
}

// RemoteMachineTemplateResourceSpec is the specification that a RemoteMachine starts from.
type RemoteMachineTemplateResourceSpec struct {
	// Pool to take hosts from.
	// +required
	Pool string `json:"pool,omitempty"`
	// A Job in place of the operator's own SSH.
	ProvisionJob *ProvisionJob `json:"provisionJob,omitempty"`
}
