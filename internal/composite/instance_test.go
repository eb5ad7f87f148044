package composite

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

func TestAnAdoptedObjectKeepsItsLabelOfWhoManagesIt(t *testing.T) {
	x := &instance{provider: &Provider{}, record: newRecord()}
	compose := func() Object {
		return RawObject(api.Kind{Version: "v1", Kind: "ConfigMap"}, "team", "settings", map[string]any{"metadata": map[string]any{"labels": map[string]any{"team": "vision"}}})
	}
	label := func(o Object) any { return asMap(asMap(o.Content["metadata"])["labels"])[ManagedByLabel] }

	o := compose()
	x.mark([]Object{o})
	if label(o) != ManagedBy {
		t.Fatalf("an object of our own is labelled %v", label(o))
	}
	x.adopted(o)
	if label(o) != nil {
		t.Errorf("the apply that adopts labels it %v", label(o))
	}
	o = compose()
	x.mark([]Object{o})
	if label(o) != nil {
		t.Errorf("later it is labelled %v", label(o))
	}
	if asMap(asMap(o.Content["metadata"])["annotations"])[OwnerAnnotation] != x.record.Owner {
		t.Error("it is not marked with its owner")
	}
}
