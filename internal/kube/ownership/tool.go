package ownership

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// KnownTool names the tool that live belongs to by the marks that the tool leaves, and what in that tool declares it.
// The one that decides comes first: a Flux HelmRelease installs by Helm, and kcm installs by Flux.
func KnownTool(live *unstructured.Unstructured) (tool, detail string, ok bool) {
	labels, annotations := marks(live, "labels"), marks(live, "annotations")
	named := func(what, namespace, name string) string {
		if namespace != "" {
			name = namespace + "/" + name
		}
		return strings.TrimSpace(what + " " + name)
	}
	switch {
	case labels["k0rdent.mirantis.com/managed"] == "true":
		return "kcm", "label k0rdent.mirantis.com/managed=true", true
	case labels["helm.toolkit.fluxcd.io/name"] != "":
		return "Flux", named("HelmRelease", labels["helm.toolkit.fluxcd.io/namespace"], labels["helm.toolkit.fluxcd.io/name"]), true
	case labels["kustomize.toolkit.fluxcd.io/name"] != "":
		return "Flux", named("Kustomization", labels["kustomize.toolkit.fluxcd.io/namespace"], labels["kustomize.toolkit.fluxcd.io/name"]), true
	case annotations["argocd.argoproj.io/tracking-id"] != "":
		app, _, _ := strings.Cut(annotations["argocd.argoproj.io/tracking-id"], ":")
		return "Argo CD", named("Application", "", app), true
	case labels["argocd.argoproj.io/instance"] != "":
		return "Argo CD", named("Application", "", labels["argocd.argoproj.io/instance"]), true
	case annotations["projectsveltos.io/owner-name"] != "":
		return "Sveltos", named(cmp.Or(annotations["projectsveltos.io/owner-kind"], "profile"), "", annotations["projectsveltos.io/owner-name"]), true
	case labels["app.kubernetes.io/managed-by"] == "Helm" && annotations["meta.helm.sh/release-name"] != "":
		return "Helm", named("release", annotations["meta.helm.sh/release-namespace"], annotations["meta.helm.sh/release-name"]), true
	}
	return "", "", false
}

// marks are the labels or annotations of live, read without the accessors' deep copies.
func marks(live *unstructured.Unstructured, field string) map[string]string {
	out := map[string]string{}
	if live == nil {
		return out
	}
	meta, _ := live.Object["metadata"].(map[string]any)
	m, _ := meta[field].(map[string]any)
	for k, v := range m {
		if s, ok := v.(string); ok {
			out[k] = s
		}
	}
	return out
}
