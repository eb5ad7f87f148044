package scheduling

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Marks are labels of namespaces that say which project they serve: namespace -> label -> value.
type Marks map[string]map[string]string

// Add notes that a namespace serves a project of a department or parent.
func (m Marks) Add(namespace, project, department string) {
	if m[namespace] == nil {
		m[namespace] = map[string]string{}
	}
	m[namespace][ProjectNamespacePrefix+project] = department
}

// MarkNamespaces labels the namespaces that are there, and takes the labels off those that serve no more.
func MarkNamespaces(was, now Marks) []composite.Step {
	if len(was)+len(now) == 0 {
		return nil
	}
	return []composite.Step{{
		Name: "label namespaces",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: core.NamespaceKind}}
		},
		Next: func(seen composite.Live) composite.Move {
			var out composite.Move
			for _, o := range seen {
				if o.GetKind() != core.NamespaceKind.Kind || o.GetDeletionTimestamp() != nil {
					continue
				}
				if patch := markPatch(o.GetLabels(), was[o.GetName()], now[o.GetName()]); patch != nil {
					out.Patch = append(out.Patch, composite.Patch{Ref: composite.Ref{Kind: core.NamespaceKind, Name: o.GetName()}, JSON: patch})
				}
			}
			out.Done = len(out.Patch) == 0
			out.Why = "namespaces are being labelled"
			return out
		},
	}}
}

type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// markPatch is what is to change in the labels of a namespace; nil is nothing.
func markPatch(labels, was, now map[string]string) []byte {
	var out []operation
	at := func(key string) string { return "/metadata/labels/" + strings.ReplaceAll(key, "/", "~1") }
	for _, key := range slices.Sorted(maps.Keys(was)) {
		if _, stays := now[key]; !stays && labels[key] == was[key] && was[key] != "" {
			out = append(out, operation{Op: "remove", Path: at(key)})
		}
	}
	for _, key := range slices.Sorted(maps.Keys(now)) {
		if labels[key] == now[key] {
			continue
		}
		if len(labels) == 0 {
			out = append(out, operation{Op: "add", Path: "/metadata/labels", Value: map[string]string{}})
			labels = map[string]string{"": ""}
		}
		out = append(out, operation{Op: "add", Path: at(key), Value: now[key]})
	}
	if len(out) == 0 {
		return nil
	}
	text, err := json.Marshal(out)
	if err != nil { // plain data always encodes
		return nil
	}
	return text
}
