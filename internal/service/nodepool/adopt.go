package nodepool

import (
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// What keeps the hosts of a fleet that others made from being replaced when it is declared.

// machineVersion is the version in the spelling that the Machines have, for as long as it is the same release.
func machineVersion(m Model, templates Templates) string {
	if !given(templates.Version) {
		return versionOf(m)
	}
	text := templates.Version.ValueString()
	if text == "" { // the fleet says its version in the K0sWorkerConfigTemplate only
		return ""
	}
	kept, err := tf.ParseVersion(text)
	if wanted, ok := m.Version.Get(); err == nil && ok && kept == wanted {
		return text
	}
	return versionOf(m)
}

// rendered is what hosts are made from, whichever attributes say it.
type rendered struct {
	Worker       bootstrap.K0sWorkerConfigSpec
	Partitioning map[string]string
	Job          any
}

// sameHosts tells whether a declaration makes the hosts that were imported. It compares what is written on hosts and not
// attributes, because a file of the fleet may be that of an attribute now. Labels and taints reach running nodes, and the text
// of the provider's own files replaces no host anywhere else either.
func sameHosts(imported, plan Model) bool {
	own := map[string]bool{}
	for _, m := range []Model{imported, plan} {
		for _, file := range ownFiles(m, effectiveOf(m)) {
			own[file.Path] = true
		}
	}
	return canonicalText(renderedOf(imported, own)) == canonicalText(renderedOf(plan, own))
}

func renderedOf(m Model, own map[string]bool) rendered {
	e := effectiveOf(m)
	out := rendered{Worker: workerSpec(m, e), Partitioning: map[string]string{}}
	out.Worker.Args = slices.DeleteFunc(out.Worker.Args, func(arg string) bool {
		return strings.HasPrefix(arg, argLabels) || strings.HasPrefix(arg, argTaints)
	})
	for i, file := range out.Worker.Files {
		if own[file.Path] {
			out.Worker.Files[i] = bootstrap.File{Path: file.Path}
		}
	}
	for key, value := range nodeLabels(m, e) {
		if slices.Contains([]string{labelMIGConfig, labelPluginConfig, labelAMDProfile}, key) {
			out.Partitioning[key] = value
		}
	}
	out.Job = hostChangeOf(m, e).Job
	return out
}
