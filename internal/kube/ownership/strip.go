package ownership

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const (
	// OwnerAnnotation says whose an object is. Annotations whose keys go on from it are ours, too.
	OwnerAnnotation = "k0smos.io/owner"
	// ManagedByLabel marks the objects that were created here.
	ManagedByLabel = "app.kubernetes.io/managed-by"
	// ManagedBy is what ManagedByLabel says on them.
	ManagedBy = "terraform-provider-k0smos"
)

// operation is one step of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value,omitempty"`
}

// StripPatch is the JSON patch that gives up what is ours on live and leaves every value: manager's entries in
// managedFields, our annotations, our label. nil if there is nothing to give up.
//
// The patch writes back the resourceVersion that live has. A test of it would do too, but the server answers a failed
// test with 422 as if the patch were wrong, and this with 409.
func StripPatch(live *unstructured.Unstructured, manager string) []byte {
	if live == nil {
		return nil
	}
	steps := stripEntries(live, manager)
	annotations := marks(live, "annotations")
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if strings.HasPrefix(key, OwnerAnnotation) {
			steps = append(steps, operation{Op: "remove", Path: "/metadata/annotations/" + pointer(key)})
		}
	}
	if marks(live, "labels")[ManagedByLabel] == ManagedBy {
		steps = append(steps, operation{Op: "remove", Path: "/metadata/labels/" + pointer(ManagedByLabel)})
	}
	if len(steps) == 0 {
		return nil
	}
	if version, _ := Lookup(live.Object, "metadata.resourceVersion"); version != nil {
		steps = append([]operation{{Op: "replace", Path: "/metadata/resourceVersion", Value: version}}, steps...)
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return nil
	}
	return patch
}

// stripEntries takes out manager's entries from the last to the first, so that the positions before stay true. An empty
// list would read as "keep what is there" on some versions, a list of one empty entry is the reset that all understand.
func stripEntries(live *unstructured.Unstructured, manager string) []operation {
	var steps []operation
	all := Managers(live)
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].Name == manager && all[i].Subresource == "" {
			steps = append(steps, operation{Op: "remove", Path: "/metadata/managedFields/" + strconv.Itoa(i)})
		}
	}
	if len(steps) > 0 && len(steps) == len(all) {
		return []operation{{Op: "replace", Path: "/metadata/managedFields", Value: []any{map[string]any{}}}}
	}
	return steps
}

// pointer escapes a key for a JSON pointer.
func pointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}
