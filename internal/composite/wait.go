package composite

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// unready is a wait that did not end well.
type unready struct {
	object Object
	why    string
	cause  string // "timed out", "was cancelled", "failed"
	detail string
}

// waitReady watches the objects until each is ready by its rule. It returns what was seen last.
func (x *instance) waitReady(ctx context.Context, objects []Object) (Live, *unready) {
	var live Live
	for _, o := range objects {
		rule, ok := x.ready[o.Kind.Kind]
		if !ok {
			continue
		}
		var last ReadyState
		seen, err := x.cluster.Wait(ctx, o.key(), func(obj *unstructured.Unstructured) (bool, string, error) {
			if obj == nil {
				last = ReadyState{Why: "it does not exist"}
				return false, last.Why, nil
			}
			last = rule(obj.Object)
			if last.Failed {
				return true, last.Why, nil
			}
			return last.Ready, last.Why, nil
		})
		if err == nil && !last.Failed {
			live = append(live, seen)
			continue
		}
		u := &unready{object: o, why: last.Why, cause: "failed"}
		if e := kube.AsError(err); e != nil {
			switch e.Reason {
			case kube.ReasonTimeout:
				u.cause = "timed out"
				if u.why == "" {
					u.why = e.Message
				}
			case kube.ReasonCancelled:
				u.cause = "was cancelled"
			default:
				u.why = e.Error()
			}
		}
		u.why = orUnknown(u.why) // what is pending is remembered by it, so it always says something
		u.detail = x.circumstances(ctx, o.key())
		return live, u
	}
	return live, nil
}

// circumstances describes an object that does not move on: its conditions, what holds it, its last events, and the
// command that shows more. It asks on a fresh clock, since the old one has usually run out.
func (x *instance) circumstances(ctx context.Context, key kube.Key) string {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime/3)
	defer cancel()
	var b strings.Builder
	if live, err := x.cluster.Get(fresh, key); err == nil {
		for _, c := range conditions(live.Object) {
			fmt.Fprintf(&b, "\n  condition %s", c)
		}
		if h := holders(live.Object); h != "" {
			fmt.Fprintf(&b, "\n  held%s", h)
		}
	}
	if events, err := x.cluster.Events(fresh, key); err == nil {
		for _, e := range events {
			fmt.Fprintf(&b, "\n  event %s", e)
		}
	}
	b.WriteString(describeCommand(key))
	return b.String()
}

func describeCommand(key kube.Key) string {
	command := fmt.Sprintf("\n\nLook further with\n\n  kubectl describe %s %s", resourceArgument(key.Kind), key.Name)
	if key.Namespace != "" {
		command += " --namespace " + key.Namespace
	}
	return command
}

func resourceArgument(k kube.Kind) string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// conditions lists the conditions that are not as they should be. Which way is good differs by condition: Deleting,
// Paused and the like are good when false.
func conditions(object map[string]any) []string {
	list, _, _ := unstructured.NestedSlice(object, "status", "conditions")
	var out []string
	for _, item := range list {
		c, ok := item.(map[string]any)
		if !ok {
			continue
		}
		kind, _ := c["type"].(string)
		status, _ := c["status"].(string)
		reason, _ := c["reason"].(string)
		message, _ := c["message"].(string)
		if status == "True" && message == "" || status == "False" && badWhenTrue[kind] {
			continue
		}
		line := kind + "=" + status
		if reason != "" {
			line += " (" + reason + ")"
		}
		if message != "" {
			line += ": " + strings.ReplaceAll(message, "\n", "; ")
		}
		out = append(out, line)
	}
	return out
}

var badWhenTrue = map[string]bool{
	"Deleting": true, "Paused": true, "RollingOut": true, "ScalingUp": true, "ScalingDown": true, "Remediating": true,
	"Failed": true, "Stalled": true, "ControlPlaneScaling": true,
}

// holders says which finalizers keep a deleted object.
func holders(object map[string]any) string {
	finalizers, _, _ := unstructured.NestedStringSlice(object, "metadata", "finalizers")
	deleted, _, _ := unstructured.NestedString(object, "metadata", "deletionTimestamp")
	if deleted == "" || len(finalizers) == 0 {
		return ""
	}
	return " by finalizers " + strings.Join(finalizers, ", ")
}
