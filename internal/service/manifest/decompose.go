package manifest

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose shows what is live in the fields that the manifest declares, in the form that the user chose.
func decompose(live composite.Live, prior Model) Model {
	content, known, err := prior.Manifest.Parse()
	if err != nil || !known || len(live) == 0 {
		return prior
	}
	found := composite.Project(content, live[0].Object)
	found["apiVersion"] = content["apiVersion"]
	if now := prior.Manifest.Like(found); !now.SameAs(prior.Manifest) {
		prior.Manifest = now
	}
	return prior
}

// imported takes the whole object, without the data of a Secret, which may not enter a state.
func imported(live composite.Live, prior Model) Model {
	if len(live) == 0 {
		return prior
	}
	content := live[0].DeepCopy().Object
	if headOf(content).isSecret() {
		delete(content, "data")
		delete(content, "stringData")
	}
	prior.Manifest = tf.ManifestText("").Like(content)
	return prior
}

// setID makes a manifest that only names its object, which an import then completes.
func setID(m *Model, id composite.ID) error {
	metadata := map[string]any{"name": id.Name}
	if id.Namespace != "" {
		metadata["namespace"] = id.Namespace
	}
	m.Manifest = tf.ManifestText("").Like(map[string]any{"apiVersion": id.APIVersion, "kind": id.Kind, "metadata": metadata})
	if id.ClusterName != "" {
		m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: types.StringValue(id.ClusterName), Namespace: types.StringValue(id.ClusterNamespace), UID: types.StringNull()})
	}
	return nil
}

// locate names the one object of an import.
func locate(m Model, _ composite.Live) []composite.Ref {
	objects, err := compose(m, composite.Facts{})
	if err != nil {
		return nil
	}
	refs := make([]composite.Ref, 0, len(objects))
	for _, o := range objects {
		refs = append(refs, composite.Ref{Kind: api.Kind{Group: o.Kind.Group, Version: o.Kind.Version, Kind: o.Kind.Kind}, Namespace: o.Namespace, Name: o.Name})
	}
	return refs
}
