package composite

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// halt is a step that did not get done: it failed, or time ran out.
type halt struct {
	step       string
	why        string      // what was missing last
	missed     string      // the last write that did not fit what was there
	seen       Live        // what it looked at last
	over       *kube.Error // the end of time; nil where the step says itself that it failed
	destroying bool
}

func (h *halt) Error() string { return h.step + ": " + orUnknown(h.why) }

// diagnostic says which step, what is missing, what is in the way, and where to look.
func (h *halt) diagnostic(where string) diag.Diagnostic {
	next := "apply"
	if h.destroying {
		next = "destroy"
	}
	if h.over == nil {
		return diag.NewErrorDiagnostic("Cannot "+h.step, fmt.Sprintf("%s%s\n\nWaiting does not help. What was done so far in the %s stays; once this is mended, the next %s goes on from there.",
			sentence(orUnknown(h.why)), h.surroundings(), where, next))
	}
	wait := "ran out of time"
	if h.over.Reason == kube.ReasonCancelled {
		wait = "was cancelled"
	}
	return diag.NewErrorDiagnostic("Not finished: "+h.step, fmt.Sprintf("The wait in the %s %s: %s%s\n\nWhat was done so far stays; the next %s goes on from there.",
		where, wait, sentence(h.missing()), h.surroundings(), next))
}

// missing is what a wait was for, and what was in its way.
func (h *halt) missing() string {
	out := h.why
	if _, gap, ok := strings.Cut(h.over.Message, "; "); ok {
		out = joinSentences(out, gap)
	}
	if h.missed != "" {
		out = joinSentences(out, "the last change was not made: "+h.missed)
	}
	return orUnknown(out)
}

func joinSentences(a, b string) string {
	if a == "" {
		return b
	}
	return strings.TrimSuffix(a, ".") + "; " + b
}

// surroundings lists what is being deleted and what holds it, and the command that shows more.
func (h *halt) surroundings() string {
	const most = 10
	var b strings.Builder
	var first *unstructured.Unstructured
	deleting := 0
	for _, o := range h.seen {
		if o.GetDeletionTimestamp() == nil {
			continue
		}
		if deleting++; deleting == 1 {
			first = o
		}
		if deleting > most {
			continue
		}
		fmt.Fprintf(&b, "\n  %s is being deleted", memberName(o.GetKind(), o.GetNamespace(), o.GetName()))
		if by := holders(o.Object); by != "" {
			b.WriteString(", held" + by)
		}
	}
	if deleting > most {
		fmt.Fprintf(&b, "\n  and %d more", deleting-most)
	}
	if first == nil && len(h.seen) > 0 {
		first = h.seen[0]
	}
	if first != nil {
		gvk := first.GroupVersionKind()
		b.WriteString(describeCommand(kube.Key{Kind: kube.Kind{Group: gvk.Group, Resource: strings.ToLower(gvk.Kind)}, Namespace: first.GetNamespace(), Name: first.GetName()}))
	}
	return b.String()
}
