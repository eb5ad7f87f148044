package manifest

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

func refuse(at path.Path, summary, detail string) []composite.Finding {
	return []composite.Finding{{Path: at, Summary: summary, Detail: detail}}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// noSecretData keeps the data of Secrets out of state, where a manifest is kept in clear.
func noSecretData(m Model) []composite.Finding {
	content, _, err := m.Manifest.Parse()
	if err != nil || content == nil {
		return nil
	}
	h := headOf(content)
	for _, field := range []string{"data", "stringData"} {
		if content[field] != nil && h.isSecret() {
			return refuse(path.Root("manifest"), "Secret data in a manifest", fmt.Sprintf(
				"%s of Secret %s would be kept in state in clear. Write it as secret_data_wo with a secret_data_wo_version, which Terraform never stores: secret_data_wo = { key = \"value\" }.", field, h.name))
		}
	}
	metadata, _ := content["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	if _, there := annotations[lastApplied]; there && h.isSecret() {
		return refuse(path.Root("manifest"), "Secret data in a manifest", fmt.Sprintf(
			"kubectl keeps a copy of Secret %s with its data in the annotation %s, which would be kept in state in clear. Remove the annotation from the manifest.", h.name, lastApplied))
	}
	if !m.SecretData.IsNull() && !h.isSecret() && h.kind != "" {
		return refuse(path.Root(secretData), "Not a Secret", fmt.Sprintf("secret_data_wo is the data of a v1 Secret, and the manifest is a %s %s. Remove it here, and let the object refer to a Secret of its own.", h.apiVersion, h.kind))
	}
	return nil
}

// systemFields are the fields of metadata that the API server writes.
var systemFields = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"}

// onlyDeclarations refuses what a manifest copied from a cluster holds beside its declaration.
func onlyDeclarations(m Model) []composite.Finding {
	content, _, err := m.Manifest.Parse()
	if err != nil || content == nil {
		return nil
	}
	h := headOf(content)
	if strings.HasSuffix(h.kind, "List") && content["items"] != nil {
		return refuse(path.Root("manifest"), "A list of objects", fmt.Sprintf("%s holds many objects. Use for_each over its items, so that each object is planned, applied and deleted by itself.", h.kind))
	}
	if status, ok := content["status"].(map[string]any); content["status"] != nil && (!ok || len(status) > 0) { // generators leave an empty one
		return refuse(path.Root("manifest"), "status is not declared", "status is written by controllers and cannot be applied. Remove it from the manifest.")
	}
	metadata, _ := content["metadata"].(map[string]any)
	for _, field := range systemFields {
		if metadata[field] != nil {
			return refuse(path.Root("manifest"), "metadata."+field+" is not declared", "metadata."+field+" is written by the API server. Remove it from the manifest; it usually comes from copying an object out of a cluster.")
		}
	}
	if metadata["generateName"] != nil {
		return refuse(path.Root("manifest"), "metadata.generateName is not declared", "An object whose name the API server makes up could not be found again. Set metadata.name.")
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	for _, key := range []string{composite.OwnerAnnotation, composite.OwnerNameAnnotation, composite.RotationAnnotation, composite.MadeAnnotation} {
		if annotations[key] != nil {
			return refuse(path.Root("manifest"), "Reserved annotation "+key, "The provider writes "+key+" itself, to know its objects again. Remove it from the manifest.")
		}
	}
	return nil
}
