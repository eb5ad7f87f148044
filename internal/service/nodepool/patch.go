package nodepool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// patchOf is a patch that only fits the version of an object that it was decided on.
func patchOf(kind api.Kind, o metav1.ObjectMeta, hosted *composite.HostedRef, operations ...operation) composite.Patch {
	all := append([]operation{{Op: "test", Path: "/metadata/resourceVersion", Value: o.ResourceVersion}}, operations...)
	wire, err := json.Marshal(all)
	if err != nil {
		wire = []byte("[]") // plain data always has a JSON text
	}
	return composite.Patch{Ref: composite.Ref{Kind: kind, Namespace: o.Namespace, Name: o.Name}, Hosted: hosted, JSON: wire}
}

// entries are the operations that bring a map in an object to what is wanted: set, and taken out by key.
func entries(field string, have, set map[string]string, remove []string) []operation {
	var out []operation
	if have == nil && len(set) > 0 {
		return []operation{{Op: "add", Path: field, Value: set}}
	}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if now, ok := have[key]; !ok || now != set[key] {
			out = append(out, operation{Op: "add", Path: field + "/" + pointer(key), Value: set[key]})
		}
	}
	for _, key := range remove {
		if _, ok := have[key]; ok {
			out = append(out, operation{Op: "remove", Path: field + "/" + pointer(key)})
		}
	}
	return out
}

// pointer is a key as a part of a JSON pointer (RFC 6901).
func pointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
