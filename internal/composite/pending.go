package composite

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// waitDiagnostic words a wait that did not end well.
func (x *instance) waitDiagnostic(u *unready, gentle, create bool) diag.Diagnostic {
	summary := u.object.String() + " is not ready"
	detail := fmt.Sprintf("The objects are applied in the %s, but the wait %s: %s.%s", x.cluster.Describe(), u.cause, u.why, u.detail)
	return pendingDiagnostic(summary, detail, gentle, create)
}

// pendingDiagnostic says what becomes of a resource whose wait did not end well.
func pendingDiagnostic(summary, detail string, gentle, create bool) diag.Diagnostic {
	switch {
	case gentle:
		return diag.NewWarningDiagnostic(summary, detail+"\n\nThe resource is saved and not tainted; its revision stays pending, and the next apply resumes the wait in place.")
	case create:
		return diag.NewErrorDiagnostic(summary, detail+"\n\nwait_failure = \"error\" marks the resource as tainted: the next apply would replace it. Keep it instead with `terraform untaint <address>`; the next apply then resumes the wait.")
	default:
		return diag.NewErrorDiagnostic(summary, detail+"\n\nThe resource is not tainted; the next apply resumes the wait in place.")
	}
}

// afterDiagnostics words steps after the apply that did not come to their end.
func (x *instance) afterDiagnostics(did stride, err error, gentle, create bool, at attributeOf) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range x.explain("apply", did.stuck, err, at) {
		out.Append(pendingDiagnostic(d.Summary(), "The objects are applied. "+d.Detail(), gentle, create))
	}
	return out
}

func orUnknown(s string) string {
	if s == "" {
		return "nothing is known of it yet"
	}
	return s
}
