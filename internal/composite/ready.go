package composite

import "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

// Condition is the rule of objects that are ready when a condition is True.
func Condition(kind string) Readiness {
	return func(live map[string]any) ReadyState {
		status, reason, message := ConditionOf(live, kind)
		switch {
		case status == "True":
			return ReadyState{Ready: true}
		case status == "":
			return ReadyState{Why: "condition " + kind + " is not set yet"}
		case message != "":
			return ReadyState{Why: "condition " + kind + " is " + status + ": " + message}
		default:
			return ReadyState{Why: "condition " + kind + " is " + status + " (" + reason + ")"}
		}
	}
}

// ConditionOf reads a condition of an object; the status is empty where it is not set.
func ConditionOf(live map[string]any, kind string) (status, reason, message string) {
	list, _, _ := unstructured.NestedSlice(live, "status", "conditions")
	for _, item := range list {
		c, ok := item.(map[string]any)
		if !ok || c["type"] != kind {
			continue
		}
		status, _ = c["status"].(string)
		reason, _ = c["reason"].(string)
		message, _ = c["message"].(string)
	}
	return status, reason, message
}
