// Package admission is the part of admissionregistration.k8s.io/v1 that this provider writes or reads.
// Its kinds are built in, so no definition is generated for them.
// +kubebuilder:skip
package admission

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// ValidatingAdmissionPolicyKind addresses ValidatingAdmissionPolicies.
var ValidatingAdmissionPolicyKind = api.Kind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicy", Resource: "validatingadmissionpolicies"}

// ValidatingAdmissionPolicyBindingKind addresses ValidatingAdmissionPolicyBindings.
var ValidatingAdmissionPolicyBindingKind = api.Kind{Group: "admissionregistration.k8s.io", Version: "v1", Kind: "ValidatingAdmissionPolicyBinding", Resource: "validatingadmissionpolicybindings"}

// ValidatingAdmissionPolicy is a rule that the API server judges writes by.
type ValidatingAdmissionPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec PolicySpec `json:"spec,omitzero"`
}

// PolicySpec is a rule: which writes it looks at, and what must be true of them.
type PolicySpec struct {
	FailurePolicy    string            `json:"failurePolicy,omitempty"`
	MatchConstraints *MatchConstraints `json:"matchConstraints,omitempty"`
	MatchConditions  []MatchCondition  `json:"matchConditions,omitempty"`
	Variables        []Variable        `json:"variables,omitempty"`
	Validations      []Validation      `json:"validations,omitempty"`
}

// MatchConstraints say which writes a rule looks at.
type MatchConstraints struct {
	ResourceRules []ResourceRule `json:"resourceRules,omitempty"`
}

// ResourceRule selects writes by what is written.
type ResourceRule struct {
	APIGroups   []string `json:"apiGroups,omitempty"`
	APIVersions []string `json:"apiVersions,omitempty"`
	Operations  []string `json:"operations,omitempty"`
	Resources   []string `json:"resources,omitempty"`
	Scope       string   `json:"scope,omitempty"`
}

// MatchCondition is a CEL expression that must be true for a rule to look at a write.
type MatchCondition struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// Variable is a CEL expression with a name.
type Variable struct {
	Name       string `json:"name"`
	Expression string `json:"expression"`
}

// Validation is a CEL expression that must be true of a write, and what is said where it is not.
type Validation struct {
	Expression        string `json:"expression"`
	Message           string `json:"message,omitempty"`
	MessageExpression string `json:"messageExpression,omitempty"`
	Reason            string `json:"reason,omitempty"`
}

// ValidatingAdmissionPolicyBinding puts a rule into force.
type ValidatingAdmissionPolicyBinding struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec BindingSpec `json:"spec,omitzero"`
}

// BindingSpec says which rule is in force, and what happens where it is broken.
type BindingSpec struct {
	PolicyName        string   `json:"policyName,omitempty"`
	ValidationActions []string `json:"validationActions,omitempty"`
}
