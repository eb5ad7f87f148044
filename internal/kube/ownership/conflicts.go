package ownership

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ParseConflicts reads the causes of a server-side apply that the server refused (409). Its words for a cause are
//
//	conflict with "kubectl-edit" using apps/v1
//	conflict with "kubectl-edit" using apps/v1 at 2026-01-02T15:04:05Z
//	conflict with "kubectl" with subresource "scale" using autoscaling/v1
//	conflict with "argocd-controller"
//
// where only a manager that updates, and does not apply, "uses" an API version, and only old servers know since when.
// Causes of other types are left out.
func ParseConflicts(causes []metav1.StatusCause) []Conflict {
	var out []Conflict
	for _, cause := range causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		c := parseConflict(cause.Message)
		c.Path = Canonical(cause.Field, nil)
		out = append(out, c)
	}
	return out
}

var usingAt = regexp.MustCompile(`^ using (\S*)(?: at (\S+))?$`)

func parseConflict(message string) Conflict {
	rest := strings.TrimPrefix(message, "conflict with ")
	manager, rest, ok := unquotePrefix(rest)
	if !ok {
		return Conflict{Manager: strings.TrimSpace(rest)}
	}
	c := Conflict{Manager: manager}
	if after, has := strings.CutPrefix(rest, " with subresource "); has {
		if c.Subresource, after, ok = unquotePrefix(after); ok {
			rest = after
		}
	}
	m := usingAt.FindStringSubmatch(rest)
	if m == nil {
		c.Apply = rest == ""
		return c
	}
	if at, err := time.Parse(time.RFC3339, m[2]); err == nil {
		c.Time = at.UTC()
	}
	return c
}

// ParseInvalid reads the causes of an object that validation refused (422). It is exact where ParseSchemaErrors has to
// guess at where one complaint ends, so ask it first.
func ParseInvalid(causes []metav1.StatusCause) []FieldError {
	var out []FieldError
	for _, cause := range causes {
		if cause.Type == metav1.CauseTypeFieldManagerConflict || cause.Field == "" && cause.Message == "" {
			continue
		}
		out = append(out, FieldError{Path: Canonical(cause.Field, nil), Message: withoutPath(cause.Message, cause.Field)})
	}
	return out
}

// withoutPath takes out the field that the message of an OpenAPI validation repeats: `Invalid value: 0: spec.replicas in
// body should be greater than or equal to 1`.
func withoutPath(message, path string) string {
	if path == "" {
		return message
	}
	return strings.ReplaceAll(message, path+" in body ", "")
}

func unquote(s string) string {
	if text, err := strconv.Unquote(s); err == nil {
		return text
	}
	return strings.Trim(s, `"`)
}
