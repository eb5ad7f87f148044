package ownership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Diff is DiffFor with no manager of our own.
func Diff(want map[string]any, live *unstructured.Unstructured) []Difference { return nil }

// DiffFor lists the fields of want that live has otherwise.
func DiffFor(want map[string]any, live *unstructured.Unstructured, ours string) []Difference {
	return nil
}

// Owned is the part of live that manager applied.
func Owned(live *unstructured.Unstructured, manager string) map[string]any { return nil }

// Managers lists who wrote to live.
func Managers(live *unstructured.Unstructured) []Manager { return nil }

// AppliedBy tells whether manager applied any field of live.
func AppliedBy(live *unstructured.Unstructured, manager string) bool { return false }

// ParseConflicts reads the causes of a server-side apply conflict.
func ParseConflicts(causes []metav1.StatusCause) []Conflict { return nil }

// ParseInvalid reads the causes of a 422.
func ParseInvalid(causes []metav1.StatusCause) []FieldError { return nil }

// ParseSchemaErrors reads the fields and complaints out of an error text of the API server.
func ParseSchemaErrors(message string) []FieldError { return nil }

// KnownTool names the tool that live belongs to.
func KnownTool(live *unstructured.Unstructured) (tool, detail string, ok bool) { return "", "", false }

// StripPatch is the JSON patch that gives up all that is ours on live and leaves every value.
func StripPatch(live *unstructured.Unstructured, manager string) []byte { return nil }

// Lookup finds the value at path.
func Lookup(obj map[string]any, path string) (any, bool) { return nil, false }

// Remove takes the value at path out of obj and tells whether it was there.
func Remove(obj map[string]any, path string) bool { return false }

// Set puts v at path and makes what is missing on the way.
func Set(obj map[string]any, path string, v any) error { return nil }

// Leaves lists the paths of all leaves of want.
func Leaves(want map[string]any) []string { return nil }

// ParsePath reads a path in our syntax.
func ParsePath(path string) (fieldpath.Path, error) { return nil, nil }

// FormatPath writes a path in our syntax.
func FormatPath(path fieldpath.Path) string { return "" }

// Canonical turns a path as the API server writes it into our syntax, with the help of an object that may have it.
func Canonical(path string, obj map[string]any) string { return path }
