package manifest

import (
	"errors"
	"maps"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

const secretData = "secret_data_wo"

// compose returns the one object of the manifest. Its plural name and scope are not known here; the engine asks the
// cluster for them.
func compose(m Model, f composite.Facts) ([]composite.Object, error) {
	content, known, err := m.Manifest.Parse()
	if err != nil {
		return nil, err
	}
	if !known {
		return nil, errors.New("the manifest is not known")
	}
	h := headOf(content)
	if secrets := f.WriteOnly(secretData); h.isSecret() && len(secrets) > 0 {
		data := map[string]any{}
		for key, value := range secrets {
			data[key] = value
		}
		content = maps.Clone(content)
		content["data"] = data
	}
	group, version, grouped := strings.Cut(h.apiVersion, "/")
	if !grouped {
		group, version = "", h.apiVersion
	}
	return []composite.Object{composite.RawObject(api.Kind{Group: group, Version: version, Kind: h.kind}, h.namespace, h.name, content)}, nil
}

// id names the object. It is empty while the manifest does not say which.
func id(m Model) composite.ID {
	content, _, err := m.Manifest.Parse()
	h := headOf(content)
	if err != nil || h.apiVersion == "" || h.kind == "" || h.name == "" || m.namespaceOpen() {
		return composite.ID{}
	}
	out := composite.ID{APIVersion: h.apiVersion, Kind: h.kind, Namespace: h.namespace, Name: h.name}
	if ref, ok := m.Cluster.Get(); ok {
		out.ClusterNamespace, out.ClusterName = ref.Namespace.ValueString(), ref.Name.ValueString()
		if ref.Name.IsUnknown() || ref.Namespace.IsUnknown() {
			return composite.ID{}
		}
	} else if m.Cluster.IsUnknown() {
		return composite.ID{}
	}
	return out
}
