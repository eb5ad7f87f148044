package api

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"
)

// Quantity is a Kubernetes quantity in the spelling of whoever wrote it: custom resources are stored as they were
// sent, and rewriting "1000m" to "1" would look like a change. The zero value is none.
//
// The type below it is for controller-gen, which can express "a string or a number" for this one only. The text is in
// StrVal, numbers too: they may be too large for IntVal.
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:Pattern=`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`
type Quantity intstr.IntOrString

// NewQuantity makes a quantity of a text, which is not checked here.
func NewQuantity(text string) Quantity {
	if text == "" {
		return Quantity{}
	}
	return Quantity{Type: intstr.String, StrVal: text}
}

// String returns the text.
func (q Quantity) String() string { return q.StrVal }

// IsZero makes omitzero leave out what was not set.
func (q Quantity) IsZero() bool { return q.StrVal == "" }

// MarshalJSON writes the text.
func (q Quantity) MarshalJSON() ([]byte, error) { return json.Marshal(q.StrVal) }

// UnmarshalJSON accepts a bare number too, since the API allows "cpu: 2".
func (q *Quantity) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*q = NewQuantity(text)
		return nil
	}
	var number json.Number
	if err := json.Unmarshal(data, &number); err != nil {
		return fmt.Errorf("a quantity is a string or a number, got %s", data)
	}
	*q = NewQuantity(number.String())
	return nil
}
