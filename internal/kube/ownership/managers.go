package ownership

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// entry is one managedFields entry with the fields it holds.
type entry struct {
	Manager
	fields *fieldpath.Set
}

// Managers lists who wrote to live, in the order of its managedFields.
func Managers(live *unstructured.Unstructured) []Manager {
	var out []Manager
	for _, raw := range rawEntries(live) {
		out = append(out, managerOf(raw))
	}
	return out
}

// AppliedBy tells whether manager declares any field of live by server-side apply.
func AppliedBy(live *unstructured.Unstructured, manager string) bool {
	for _, m := range Managers(live) {
		if m.applies(manager) {
			return true
		}
	}
	return false
}

// applies tells whether m is what name declares. What was written through a subresource is never a declaration.
func (m Manager) applies(name string) bool {
	return m.Name == name && m.Operation == metav1.ManagedFieldsOperationApply && m.Subresource == ""
}

// entries reads all managedFields. An entry whose fields cannot be read holds none.
func entries(live *unstructured.Unstructured) []entry {
	var out []entry
	for _, raw := range rawEntries(live) {
		out = append(out, entry{Manager: managerOf(raw), fields: fieldsOf(raw)})
	}
	return out
}

// rawEntries goes around unstructured's accessor, which logs what it cannot read.
func rawEntries(live *unstructured.Unstructured) []map[string]any {
	if live == nil {
		return nil
	}
	meta, _ := live.Object["metadata"].(map[string]any)
	list, _ := meta["managedFields"].([]any)
	out := make([]map[string]any, len(list))
	for i, e := range list {
		out[i], _ = e.(map[string]any)
	}
	return out
}

func managerOf(raw map[string]any) Manager {
	text := func(key string) string { s, _ := raw[key].(string); return s }
	m := Manager{
		Name:        text("manager"),
		Operation:   metav1.ManagedFieldsOperationType(text("operation")),
		Subresource: text("subresource"),
		APIVersion:  text("apiVersion"),
	}
	if at, err := time.Parse(time.RFC3339, text("time")); err == nil {
		m.Time = at.UTC()
	}
	return m
}

func fieldsOf(raw map[string]any) *fieldpath.Set {
	set, err := parseFields(raw["fieldsV1"])
	if err != nil {
		return fieldpath.NewSet()
	}
	return set
}

// parseFields guards against what the parser makes of text that no API server wrote.
func parseFields(fields any) (set *fieldpath.Set, err error) {
	defer func() {
		if r := recover(); r != nil {
			set, err = nil, fmt.Errorf("unreadable fieldsV1: %v", r)
		}
	}()
	set = fieldpath.NewSet()
	if fields == nil {
		return set, nil
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	return set, set.FromJSON(bytes.NewReader(text))
}

// holder finds who, other than ours, holds path: the field itself before a whole that has it, before a part of it, and
// the latest writer before others.
func holder(all []entry, path fieldpath.Path, ours string) (Manager, bool) {
	var best Manager
	bestRank := 0
	for _, e := range all {
		if e.Name == "" || e.Name == ours {
			continue
		}
		rank := holds(e.fields, path)
		if rank > bestRank || rank > 0 && rank == bestRank && e.Time.After(best.Time) {
			best, bestRank = e.Manager, rank
		}
	}
	return best, bestRank > 0
}

const (
	holdsPart = 1 + iota
	holdsWhole
	holdsExactly
)

// holds tells how set holds path, 0 for not at all. A map or list that somebody holds together with single fields of it
// says nothing about the fields beside; only one held as a whole does.
func holds(set *fieldpath.Set, path fieldpath.Path) int {
	for i, e := range path {
		inside, branch := set.Children.Get(e)
		switch {
		case i == len(path)-1 && set.Members.Has(e):
			return holdsExactly
		case !branch && set.Members.Has(e):
			return holdsWhole
		case !branch:
			return 0
		}
		set = inside
	}
	return holdsPart
}
