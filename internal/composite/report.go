package composite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// refusal is an object that the engine will not touch. It is worded when it arises.
type refusal struct{ summary, detail string }

func (r *refusal) Error() string { return r.summary + ": " + r.detail }

// attributeOf maps a field of an object to an attribute path, or to no path.
type attributeOf func(kind, field string) path.Path

// Findings turns the verdicts of checks into diagnostics.
func diagnostics(findings []Finding) diag.Diagnostics {
	var out diag.Diagnostics
	for _, f := range findings {
		switch at := len(f.Path.Steps()) > 0; {
		case at && f.Warning:
			out.AddAttributeWarning(f.Path, f.Summary, f.Detail)
		case at:
			out.AddAttributeError(f.Path, f.Summary, f.Detail)
		case f.Warning:
			out.AddWarning(f.Summary, f.Detail)
		default:
			out.AddError(f.Summary, f.Detail)
		}
	}
	return out
}

// explain words a failure of one object: what was tried, where, why, and what to do next. A failure that names fields
// becomes one diagnostic per field, at the attribute the field came from.
func (x *instance) explain(doing string, o *Object, err error, at attributeOf) diag.Diagnostics {
	if r, ok := err.(*refusal); ok { //nolint:errorlint // made by this package and never wrapped
		return diag.Diagnostics{diag.NewErrorDiagnostic(r.summary, r.detail)}
	}
	if h := (*halt)(nil); errors.As(err, &h) {
		return diag.Diagnostics{h.diagnostic(x.cluster.Describe())}
	}
	e := kube.AsError(err)
	what, where := doing, x.cluster.Describe()
	if o != nil {
		what = doing + " " + o.String()
	}
	var out diag.Diagnostics
	switch e.Reason {
	case kube.ReasonConflict:
		for _, c := range e.Conflicts {
			out.Append(located(o, c.Path, at, "Field is managed by "+quoted(c.Manager),
				fmt.Sprintf("%s in the %s declares %s by server-side apply, with another value. Two tools that declare one field take it from each other for ever.\n\n"+
					"Ways out: leave the field out here; give it up in %s; or set force_conflicts = true in the provider block to take every such field.",
					quoted(c.Manager), where, fieldOf(o, c.Path), quoted(c.Manager))))
		}
	case kube.ReasonInvalid:
		for _, f := range e.Fields {
			out.Append(located(o, f.Path, at, "The API server refuses "+orObject(f.Path, o),
				fmt.Sprintf("%s: %s.\n\nThis was the answer of the %s to %s. The object was not changed.", fieldOf(o, f.Path), strings.TrimSuffix(f.Message, "."), where, what)))
		}
	case kube.ReasonDenied:
		for _, f := range e.Fields {
			out.Append(located(o, f.Path, at, "Admission denied "+orObject(f.Path, o), fmt.Sprintf("%s: %s\n\nAn admission webhook or policy of the %s refused %s.", fieldOf(o, f.Path), f.Message, where, what)))
		}
		if len(out) == 0 {
			out.Append(located(o, deniedField(e.Message), at, "Admission denied "+orObject("", o), fmt.Sprintf("%s\n\nAn admission webhook or policy of the %s refused %s. The object was not changed.", e.Message, where, what)))
		}
	}
	if len(out) == 0 {
		out.AddError("Cannot "+what, fmt.Sprintf("%s\n\n%s", sentence(e.Error()), nextStep(e.Reason, where)))
	}
	return out
}

// deniedField guesses which field a denial is about from the words that upstream webhooks use: k0smotron's speak of
// versions and minors.
func deniedField(message string) string {
	if strings.Contains(message, "minor version") {
		return "spec.version"
	}
	return ""
}

func located(o *Object, field string, at attributeOf, summary, detail string) diag.Diagnostic {
	if o != nil && at != nil {
		if p := at(o.Kind.Kind, field); len(p.Steps()) > 0 {
			return diag.NewAttributeErrorDiagnostic(p, summary, detail)
		}
	}
	return diag.NewErrorDiagnostic(summary, detail)
}

func fieldOf(o *Object, field string) string {
	switch {
	case o == nil:
		return field
	case field == "":
		return o.String()
	default:
		return field + " of " + o.String()
	}
}

func orObject(field string, o *Object) string {
	if field == "" && o != nil {
		return o.String()
	}
	return field
}

func quoted(s string) string { return fmt.Sprintf("%q", s) }

func sentence(s string) string {
	s = strings.TrimSpace(s)
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// nextStep says what to do about a failure whose message alone does not.
func nextStep(reason kube.Reason, where string) string {
	switch reason {
	case kube.ReasonOffline, kube.ReasonUnavailable:
		return "Check that the " + where + " is up and reachable from here, then run the same command again."
	case kube.ReasonUnauthorized:
		return "Renew the credentials in the provider block, its environment variables or the kubeconfig, then run the same command again."
	case kube.ReasonForbidden:
		return "Give the provider's user this permission; examples/rbac holds the least that the provider needs."
	case kube.ReasonNoKind:
		return "Install the operator or CRD that serves this kind, or declare it in the same run."
	case kube.ReasonNoNamespace:
		return "Create the namespace first, or set create_namespace = true."
	case kube.ReasonNamespaceTerminating:
		return "The namespace is being deleted. See what holds it with `kubectl get namespace -o yaml`, its conditions name what is left, and run the same command again."
	case kube.ReasonHostedNotReady:
		return "The hosted cluster's kubeconfig Secret does not exist yet. Wait for its control plane, then run the same command again."
	case kube.ReasonWebhookUnavailable:
		return "The operator that serves this webhook is not answering. Look at its pods, then run the same command again."
	case kube.ReasonWrongCluster:
		return "Point the provider at the cluster that the state was made with, or move the resource out of the state with `terraform state rm`."
	default:
		return "Run the same command again once this is mended."
	}
}
