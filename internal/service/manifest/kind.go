// Package manifest declares one object of any kind: the escape hatch, with the engine's whole behaviour.
package manifest

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_manifest resource.
var Kind = composite.Kind[Model]{
	Name:      "manifest",
	Schema:    resourceSchema,
	Checks:    []composite.Check[Model]{noSecretData, onlyDeclarations},
	ID:        id,
	SetID:     setID,
	Target:    func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Namespace: namespace,
	Compose:   compose,
	Decompose: decompose,
	Import:    imported,
	Locate:    locate,
	Replace:   replace,
	Ready: map[string]composite.Readiness{
		"CustomResourceDefinition": composite.Condition("Established"),
		"APIService":               composite.Condition("Available"),
	},
	Attribute: func(string, string) path.Path { return path.Root("manifest") },
	FreeForm:  func(string, string) bool { return true },
	WriteOnly: []string{secretData},
}

func namespace(m Model) (string, bool) {
	content, _, _ := m.Manifest.Parse()
	return headOf(content).namespace, m.CreateNamespace.ValueBool()
}

// replace makes a new object when the manifest comes to name another one. Another version of the same API group is the
// same object.
func replace(prior, plan Model) []path.Path {
	was, _, err := prior.Manifest.Parse()
	now, known, errNow := plan.Manifest.Parse()
	if err != nil || errNow != nil || now == nil && !known {
		return nil
	}
	a, b := headOf(was), headOf(now)
	if group(a) == group(b) && a.kind == b.kind && a.namespace == b.namespace && a.name == b.name {
		return nil
	}
	if b.apiVersion == "" || b.kind == "" || b.name == "" || plan.namespaceOpen() {
		return nil // not known yet: the update checks it
	}
	return []path.Path{path.Root("manifest")}
}

func group(h head) string {
	before, _, grouped := strings.Cut(h.apiVersion, "/")
	if !grouped {
		return ""
	}
	return before
}
