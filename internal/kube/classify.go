package kube

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// refuse words an answer that is not a success.
func (c *Cluster) refuse(conn *connection, r request, resp *http.Response, body []byte) *failure {
	f := &failure{err: &Error{Cluster: c.Describe(), Object: r.about(), code: resp.StatusCode}, after: retryAfter(resp.Header)}
	defer func() { f.err.transient = f.transient }()
	var status metav1.Status
	if err := json.Unmarshal(body, &status); err != nil || status.Kind != "Status" {
		f.stranger(resp, string(body))
		return f
	}
	status.Code = int32(resp.StatusCode)
	status.Message = conn.scrub.Replace(status.Message)
	if status.Details == nil {
		status.Details = &metav1.StatusDetails{}
	}
	if r.key.Kind.Kind == "Secret" {
		withholdValues(&status)
	}
	f.official(r, &status)
	return f
}

// stranger words an answer that is not in the API server's form. It never means that an object does not exist.
func (f *failure) stranger(resp *http.Response, body string) {
	e, code := f.err, resp.StatusCode
	switch {
	case code == http.StatusNotFound && strings.HasPrefix(body, "404 page not found"):
		e.Reason, e.Message = ReasonNoKind, "the cluster does not serve this API. Install the operator or CRD that brings it, or check the API version"
	case code == http.StatusUnauthorized:
		e.Reason, e.Message = ReasonUnauthorized, unauthorized
	case code == http.StatusForbidden:
		e.Reason, e.Message = ReasonForbidden, "access is forbidden (403), by a proxy or load balancer rather than by Kubernetes"
	case code == http.StatusTooManyRequests, code >= 500:
		e.Reason, f.transient = ReasonUnavailable, true
		f.untouched = code == http.StatusTooManyRequests
		e.Message = "answered " + strconv.Itoa(code) + " " + http.StatusText(code) + ", still after retries. Try again later"
	case code == http.StatusConflict:
		e.Reason, f.transient = ReasonPrecondition, true
		e.Message = "answered 409 Conflict without saying why"
	default:
		e.Reason = ReasonOffline
		e.Message = "what answers there is not a Kubernetes API server: it said " + strconv.Itoa(code) + " " + http.StatusText(code) + ". Check the address"
	}
}

const unauthorized = "the credentials are not accepted (401): expired, or of another cluster. Renew them"

var (
	rbacRefusal   = regexp.MustCompile(`(?i)user "[^"]*".* cannot |attempting to grant RBAC permissions not currently held`)
	ourFault      = regexp.MustCompile(`failed to (create typed|convert new) |unable to convert unstructured object`) // said with 500
	policyRefusal = regexp.MustCompile(`(ValidatingAdmissionPolicy '|[Pp]olicy ['"]).*denied request`)
)

// official words a Status of the API server.
func (f *failure) official(r request, s *metav1.Status) {
	e, text := f.err, s.Message
	e.Message = text
	if text == "" {
		e.Message = "answered " + strconv.Itoa(int(s.Code)) + " " + http.StatusText(int(s.Code))
	}
	switch {
	// Webhooks and policies choose their status code freely, so the text comes first.
	case strings.Contains(text, "does not support dry run"):
		e.Reason = ReasonDryRunUnsupported
	case strings.Contains(text, "admission webhook") && strings.Contains(text, "denied the request"), policyRefusal.MatchString(text):
		e.Reason, e.Fields = ReasonDenied, fieldErrors(s)
	case strings.Contains(text, "failed calling webhook"), strings.Contains(text, "conversion webhook for"):
		e.Reason, f.transient, f.untouched = ReasonWebhookUnavailable, true, true
		e.Message = "a webhook does not answer, still after retries: " + text + ". Look whether the operator that serves it runs"
	default:
		f.byCode(r, s)
	}
}

func (f *failure) byCode(r request, s *metav1.Status) {
	e := f.err
	switch s.Code {
	case http.StatusUnauthorized:
		e.Reason, e.Message = ReasonUnauthorized, unauthorized
	case http.StatusForbidden:
		f.forbidden(r, s)
	case http.StatusNotFound:
		f.notFound(r, s)
	case http.StatusConflict:
		f.conflict(r, s)
	case http.StatusUnprocessableEntity:
		e.Reason, e.Fields = ReasonInvalid, fieldErrors(s)
		if r.contentType == jsonPatchType && len(e.Fields) == 0 {
			e.Reason, e.Message = ReasonPrecondition, "the object changed meanwhile, so the patch does not fit any more. Try again"
		}
	case http.StatusTooManyRequests:
		e.Reason, f.transient, f.untouched = ReasonUnavailable, true, true
		e.Message = "the API server asks for fewer requests (429), still after retries: " + s.Message + ". Lower max_in_flight or try again later"
	case http.StatusBadRequest, http.StatusInternalServerError:
		e.Reason, e.Fields = ReasonInvalid, fieldErrors(s)
		if s.Code == http.StatusInternalServerError && len(e.Fields) == 0 && !ourFault.MatchString(s.Message) {
			f.unavailable(s)
		}
	case http.StatusGone:
		e.Reason = ReasonUnavailable
	case http.StatusRequestEntityTooLarge:
		e.Reason = ReasonInvalid
	default:
		if s.Code < 500 {
			e.Reason = ReasonUnknown
			return
		}
		f.unavailable(s)
	}
}

func (f *failure) unavailable(s *metav1.Status) {
	f.err.Reason, f.transient = ReasonUnavailable, true
	f.err.Message = "the API server has trouble (" + strconv.Itoa(int(s.Code)) + "), still after retries: " + f.err.Message
}

func (f *failure) forbidden(r request, s *metav1.Status) {
	e := f.err
	switch {
	case hasCause(s, "NamespaceTerminating") || strings.Contains(s.Message, "because it is being terminated"):
		e.Reason = ReasonNamespaceTerminating
		e.Message = "the namespace " + r.key.Namespace + " is being deleted, so nothing can be created in it. Wait until it is gone; if it hangs, look at: " +
			"kubectl get namespace " + r.key.Namespace + " -o jsonpath={.status.conditions}"
	case rbacRefusal.MatchString(s.Message):
		e.Reason = ReasonForbidden
		e.Message = s.Message + ". Grant this to the user or service account that the provider uses"
	default: // pod security, quota, limit ranges and other admission that is built in
		e.Reason, e.Fields = ReasonDenied, fieldErrors(s)
	}
}

func (f *failure) notFound(r request, s *metav1.Status) {
	e, d := f.err, s.Details
	isNamespace := r.key.Kind.Group == "" && r.key.Kind.Resource == "namespaces"
	switch {
	case d.Kind == "namespaces" && d.Name != "" && !isNamespace:
		e.Reason = ReasonNoNamespace
		e.Message = "the namespace " + d.Name + " does not exist. Create it first, or set create_namespace"
	case d.Name != "" && r.key.Name != "" && d.Name != r.key.Name:
		e.Reason = ReasonUnknown // something else is missing; the server's words say what
	case d.Name != "" || strings.HasSuffix(s.Message, " not found"):
		e.Reason, e.Message = ReasonNotFound, "does not exist"
	default:
		e.Reason, e.Message = ReasonNoKind, "the cluster does not serve this API. Install the operator or CRD that brings it, or check the API version"
	}
}

func (f *failure) conflict(r request, s *metav1.Status) {
	e := f.err
	switch {
	case hasCause(s, metav1.CauseTypeFieldManagerConflict):
		e.Reason, e.Conflicts = ReasonConflict, ownership.ParseConflicts(s.Details.Causes)
	case s.Reason == metav1.StatusReasonAlreadyExists:
		e.Reason, e.Message = ReasonAlreadyExists, "exists already"
	default:
		// Without a precondition of ours the server itself lost a race, and the same request is right a moment later.
		e.Reason = ReasonPrecondition
		f.transient, f.untouched = !r.guarded, true
		if strings.Contains(s.Message, "UID in precondition") || strings.Contains(s.Message, "UID in the precondition") {
			e.Message = "the object of this name is another one than was meant: it was deleted and made anew by somebody else. Nothing was changed"
		}
	}
}

// fieldErrors are the complaints about single fields.
func fieldErrors(s *metav1.Status) []FieldError {
	fields := ownership.ParseInvalid(s.Details.Causes)
	if len(fields) == 0 {
		fields = ownership.ParseSchemaErrors(s.Message)
	}
	fields = slices.DeleteFunc(fields, func(f FieldError) bool { return f.Path == "" }) // says no more than the message
	return slices.Compact(fields)                                                       // the server repeats some
}

func hasCause(s *metav1.Status, cause metav1.CauseType) bool {
	for _, c := range s.Details.Causes {
		if c.Type == cause {
			return true
		}
	}
	return false
}

var quotedValue = regexp.MustCompile(`Invalid value: ("(\\.|[^"\\])*"|\{.*\}|[^:]*)|Value:\s*("(\\.|[^"\\])*"|[^}]*)`)

// withholdValues takes values out of what the server says about a Secret.
func withholdValues(s *metav1.Status) {
	const instead = "Invalid value: (withheld)"
	s.Message = quotedValue.ReplaceAllString(s.Message, instead)
	for i := range s.Details.Causes {
		s.Details.Causes[i].Message = quotedValue.ReplaceAllString(s.Details.Causes[i].Message, instead)
	}
}

// retryAfter is how long the server asks to wait, in its two spellings.
func retryAfter(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return 0
	}
	if seconds, err := strconv.Atoi(value); err == nil {
		return max(0, time.Duration(seconds)*time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
