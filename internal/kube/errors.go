package kube

import (
	"context"
	"errors"
	"net/http"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// Reason says what kind of trouble an Error is, so that callers decide by it and never by a text.
type Reason string

// The reasons, from not getting through at all to what a cluster said.
const (
	ReasonUnknown              Reason = "Unknown"              // nothing below fits
	ReasonOffline              Reason = "Offline"              // nothing configured, arguments unknown, unreachable, DNS, TLS
	ReasonBadKubeconfig        Reason = "BadKubeconfig"        // there is a kubeconfig and it cannot be used
	ReasonHostedNotReady       Reason = "HostedNotReady"       // a hosted cluster that has no kubeconfig Secret (yet)
	ReasonHostedGone           Reason = "HostedGone"           // the management cluster says that the hosted cluster is gone or another
	ReasonWrongCluster         Reason = "WrongCluster"         // another cluster answers at the address
	ReasonUnauthorized         Reason = "Unauthorized"         // no valid credentials
	ReasonForbidden            Reason = "Forbidden"            // RBAC does not allow it
	ReasonDenied               Reason = "Denied"               // admission refuses this object
	ReasonInvalid              Reason = "Invalid"              // the object breaks its schema or validation
	ReasonConflict             Reason = "Conflict"             // another field manager holds fields of the apply
	ReasonPrecondition         Reason = "Precondition"         // the object is not the one, or not the version, that was meant
	ReasonNotFound             Reason = "NotFound"             // the object does not exist
	ReasonNoKind               Reason = "NoKind"               // the cluster does not serve the kind
	ReasonNoNamespace          Reason = "NoNamespace"          // the namespace does not exist
	ReasonNamespaceTerminating Reason = "NamespaceTerminating" // the namespace is being deleted
	ReasonAlreadyExists        Reason = "AlreadyExists"        // a create found the name taken
	ReasonDryRunUnsupported    Reason = "DryRunUnsupported"    // a webhook cannot take part in dry runs
	ReasonWebhookUnavailable   Reason = "WebhookUnavailable"   // a webhook does not answer
	ReasonUnavailable          Reason = "Unavailable"          // 5xx or 429, still after retries
	ReasonTimeout              Reason = "Timeout"              // the caller's deadline passed
	ReasonCancelled            Reason = "Cancelled"            // the caller gave up
)

// FieldError is one complaint of the API server about one field.
type FieldError = ownership.FieldError

// Conflict is one field that another manager holds.
type Conflict = ownership.Conflict

// Error is every error of this package: where it happened, why, and what to do next. Message stands on its own, names no
// cluster or object where Cluster and Object do, and never holds a secret.
type Error struct {
	Reason    Reason
	Cluster   string // Describe() of the cluster
	Object    string // String() of the Key, "" where no object was meant
	Message   string
	Fields    []FieldError
	Conflicts []Conflict
	Cause     error

	code      int  // HTTP status, 0 where no server answered
	transient bool // may pass by itself
	link      bool // no answer of an API server came at all
}

// Error is the whole message on one line.
func (e *Error) Error() string {
	switch {
	case e.Object != "" && e.Cluster != "":
		return e.Object + " in the " + e.Cluster + ": " + e.Message
	case e.Object != "":
		return e.Object + ": " + e.Message
	case e.Cluster != "":
		return e.Cluster + ": " + e.Message
	}
	return e.Message
}

// Unwrap gives the cause, where there is one that may be shown.
func (e *Error) Unwrap() error { return e.Cause }

// AsError makes an *Error of any error, nil of nil. What is one already is returned as it is.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	reason := ReasonUnknown
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		reason = ReasonTimeout
	case errors.Is(err, context.Canceled):
		reason = ReasonCancelled
	}
	return &Error{Reason: reason, Message: err.Error(), Cause: err}
}

// is tells whether err is an Error of one of the reasons.
func is(err error, reasons ...Reason) bool {
	var e *Error
	if !errors.As(err, &e) {
		return false
	}
	for _, r := range reasons {
		if e.Reason == r {
			return true
		}
	}
	return false
}

// named writes what the error is about into it.
func named(object string, err error) error {
	e := *AsError(err)
	e.Object = object
	return &e
}

// ended says in words that ctx is over; doing is what was not finished by then.
func ended(ctx context.Context, doing string) *Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Reason: ReasonTimeout, Message: "ran out of time " + doing, Cause: ctx.Err()}
	}
	return &Error{Reason: ReasonCancelled, Message: "cancelled " + doing, Cause: ctx.Err()}
}

// statusCode is the HTTP status behind err, 0 if there is none.
func statusCode(err error) int {
	if e := AsError(err); e != nil {
		return e.code
	}
	return 0
}

// expired tells that the server no longer knows the version or page that was asked for.
func expired(err error) bool { return statusCode(err) == http.StatusGone }
