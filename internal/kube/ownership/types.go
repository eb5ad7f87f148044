// Package ownership answers, from an object as the API server returned it, whose each field is: what differs from what we
// want, who holds it, which tool the object belongs to, and how to give our part up. Pure functions, no I/O.
//
// Paths are written as people read them: spec.parentQueue, spec.rules[name=http].port, metadata.finalizers[=k0smos.io/x],
// metadata.annotations[k0smos.io/owner]. ParsePath and FormatPath define the syntax, Canonical turns the API server's into it.
package ownership

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FieldError is one complaint of the API server about one field.
type FieldError struct {
	// Path is the field, "" where the server named none.
	Path string
	// Message is what is wrong with it, in the server's words without the path.
	Message string
}

// Conflict is one field that a server-side apply may not change without force.
type Conflict struct {
	Path    string
	Manager string
	// Apply is true where the other manager declares the field by server-side apply, false where it once wrote it by an update.
	Apply bool
	// Subresource is where the other manager wrote, "scale" for example. Mostly empty.
	Subresource string
	// Time is when the other manager wrote, zero where the server does not say: servers of today never do, see Managers for it.
	Time time.Time
}

// Difference is one field whose live value is not the wanted one.
type Difference struct {
	Path string
	Want any
	Live any
	// Missing is true where the live object lacks the field.
	Missing bool
	// Manager is who holds the field instead of us, "" where nobody is known to.
	Manager string
	// Apply is true where Manager declares the field by server-side apply.
	Apply bool
	// Time is when Manager last wrote, zero where that is not recorded.
	Time time.Time
}

// Manager is one entry of an object's managedFields.
type Manager struct {
	Name        string
	Operation   metav1.ManagedFieldsOperationType
	Subresource string
	APIVersion  string
	Time        time.Time
}
