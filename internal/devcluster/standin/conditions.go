package standin

import (
	"cmp"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// condition is what a controller says in one entry of status.conditions.
type condition struct{ kind, status, reason, message string }

// setCondition writes a condition as Cluster API's library does: it speaks of the generation that was read, its time
// changes only with its status, and the list is sorted with the summary first and Deleting last.
func setCondition(obj *unstructured.Unstructured, c condition) {
	entry := map[string]any{
		"type":               c.kind,
		"status":             c.status,
		"reason":             c.reason,
		"message":            c.message,
		"lastTransitionTime": time.Now().UTC().Format(time.RFC3339),
	}
	if generation := obj.GetGeneration(); generation > 0 {
		entry["observedGeneration"] = generation
	}
	old, _ := lookup[[]any](obj.Object, "status", "conditions")
	list := []any{entry}
	for _, other := range old {
		before, ok := other.(map[string]any)
		if !ok || before["type"] != c.kind {
			list = append(list, other)
			continue
		}
		if before["status"] == c.status {
			entry["lastTransitionTime"] = before["lastTransitionTime"]
		}
	}
	slices.SortStableFunc(list, func(a, b any) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(conditionType(a), conditionType(b)))
	})
	put(obj.Object, list, "status", "conditions")
}

func conditionType(entry any) string {
	m, _ := entry.(map[string]any)
	return text(m, "type")
}

func rank(entry any) int {
	switch conditionType(entry) {
	case "Available", "Ready":
		return 0
	case "Deleting":
		return 2
	default:
		return 1
	}
}

// getCondition returns the condition of a type, or a zero one.
func getCondition(obj *unstructured.Unstructured, kind string) condition {
	list, _ := lookup[[]any](obj.Object, "status", "conditions")
	for _, entry := range list {
		if m, ok := entry.(map[string]any); ok && m["type"] == kind {
			return condition{kind, text(m, "status"), text(m, "reason"), text(m, "message")}
		}
	}
	return condition{}
}

func isTrue(obj *unstructured.Unstructured, kind string) bool {
	return getCondition(obj, kind).status == "True"
}
