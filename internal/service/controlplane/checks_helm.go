package controlplane

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// helmSince is the first k0s whose Helm extensions work in hosted control planes.
var helmSince = tf.K0sVersion{Major: 1, Minor: 35, Patch: 4}

// ingressSince is the first k0s of the line that works behind an ingress.
var ingressSince = tf.K0sVersion{Major: 1, Minor: 34, Patch: 1}

const longestRelease = 53

func chartsKnown(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	charts, repositories, cilium := e.helm.Charts.Known(), e.helm.Repositories.Known(), e.ciliumForSure(m)
	if version, ok := m.Version.Get(); ok {
		uses := ""
		switch {
		case len(charts) > 0:
			uses = "helm.charts"
		case cilium:
			uses = "network.provider = \"cilium\""
		}
		if uses != "" && !version.AtLeast(helmSince) {
			out = append(out, fault(path.Root("version"), "k0s is too old for Helm charts", fmt.Sprintf("%s installs Helm charts, which takes k0s %s or later in a hosted control plane; the version is %s.", uses, helmSince, version)))
		}
		if e.exposeType == exposeIngress && !version.AtLeast(ingressSince) {
			out = append(out, fault(path.Root("version"), "k0s is too old for an ingress", fmt.Sprintf("expose.type = \"Ingress\" takes k0s %s or later; the version is %s.", ingressSince, version)))
		}
	}
	at := path.Root("helm").AtName("charts")
	if _, taken := repositories[ciliumRepository]; taken && cilium {
		out = append(out, fault(path.Root("helm").AtName("repositories").AtMapKey(ciliumRepository), "Reserved repository", "The repository cilium is added by network.provider = \"cilium\". Remove it here, or give it another name."))
	}
	for _, name := range e.helm.Charts.Keys() {
		chart, known := charts[name].Get()
		if len(name) > longestRelease {
			out = append(out, fault(at.AtMapKey(name), "Name of the release is too long", fmt.Sprintf("%s has %d characters; Helm allows %d.", name, len(name), longestRelease)))
		}
		if name == ciliumChart && cilium {
			out = append(out, fault(at.AtMapKey(name), "Reserved release", "The release cilium is made by network.provider = \"cilium\". Use network.cilium, or network.provider = \"custom\" to install it yourself."))
		}
		if text := chart.Values.ValueString(); text != "" {
			if _, ok := object(text); !ok {
				out = append(out, fault(at.AtMapKey(name).AtName("values"), "Not a JSON object", "values must be a JSON object of Helm values, for example jsonencode({ replicas = 2 })."))
			}
		}
		if !known || chart.Chart.IsUnknown() || e.helm.Repositories.IsUnknown() || strings.HasPrefix(chart.Chart.ValueString(), "oci://") {
			continue
		}
		repository, _, found := strings.Cut(chart.Chart.ValueString(), "/")
		_, there := repositories[repository]
		if repository == ciliumRepository && e.provider == networkCilium {
			there = true // it is added for Cilium, or may be while the provider is not known
		}
		if !found || !there {
			out = append(out, fault(at.AtMapKey(name).AtName("chart"), "Unknown repository", fmt.Sprintf("%q is not <repository>/<chart> with a repository of helm.repositories, nor an oci:// URL.", chart.Chart.ValueString())))
		}
	}
	return out
}
