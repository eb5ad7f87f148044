package nodepool

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Arguments of k0s worker that have a meaning here.
const (
	argLabels  = "--labels="
	argTaints  = "--taints="
	argKubelet = "--kubelet-extra-args="
)

// addressScript is where the script is put that finds the address of a host with several of them.
const addressScript = "/etc/k0smos/node-ip"

// workerSpec says how a host becomes a node.
func workerSpec(m Model, e effective) bootstrap.K0sWorkerConfigSpec {
	spec := bootstrap.K0sWorkerConfigSpec{
		Version: versionOf(m), Args: workerArgs(m, e), Files: filesOf(m, e),
		PreK0sCommands: listOf(m.PreCommands), PostK0sCommands: listOf(m.PostCommands), DownloadURL: e.k0s.DownloadURL.ValueString(),
	}
	if e.k0s.PreInstalled.ValueBool() {
		yes := true
		spec.PreInstalledK0s = &yes
	}
	if given(m.NodeIPCIDR) { // first of all: a host without an address in the network must not join with another
		spec.PreK0sCommands = append([]string{addressScript + " > /dev/null || exit 1"}, spec.PreK0sCommands...)
	}
	return spec
}

// versionOf is the version in the one spelling that every field of k0smotron and Cluster API takes.
func versionOf(m Model) string {
	if version, ok := m.Version.Get(); ok {
		return version.String()
	}
	return m.Version.ValueString()
}

// workerArgs are the arguments of k0s worker as the operator wants them: it joins them, unquoted, into a line that a shell on
// the host reads.
func workerArgs(m Model, e effective) []string {
	var out []string
	if _, joined := divide(nodeLabels(m, e)); len(joined) > 0 {
		out = append(out, argLabels+pairs(joined))
	}
	var taints []string
	for _, t := range taintsOf(m) {
		taints = append(taints, t.String())
	}
	if len(taints) > 0 {
		out = append(out, argTaints+strings.Join(taints, ","))
	}
	plain, kubelet := dividedArgs(m)
	for _, arg := range plain {
		out = append(out, shellQuoted(arg))
	}
	if given(m.NodeIPCIDR) {
		kubelet = append(kubelet, addressArg)
	}
	if len(kubelet) > 0 { // the operator puts its own beside them, all in double quotes
		out = append(out, argKubelet+strings.Join(kubelet, " "))
	}
	return out
}

// dividedArgs separates the arguments for the kubelet, which the operator puts beside its own, from the others.
func dividedArgs(m Model) (plain, kubelet []string) {
	for _, arg := range listOf(m.WorkerArgs) {
		if value, ok := strings.CutPrefix(arg, argKubelet); ok {
			kubelet = append(kubelet, value)
		} else {
			plain = append(plain, arg)
		}
	}
	return plain, kubelet
}

// addressArg is filled in by the shell of the host that reads the line. The script writes an address and nothing else.
const addressArg = "--node-ip=$(" + addressScript + ")"

// addressLookup prints the first address of the host inside of a network, and fails if there is none.
func addressLookup(cidr string) string {
	return fmt.Sprintf(`#!/bin/sh
# The address of this host in %[1]s, which its node gets.
address=$(ip -o addr show up to '%[1]s' | awk '{ split($4, part, "/"); print part[1]; exit }')
if [ -z "$address" ]; then
  echo "no address of this host is in %[1]s" >&2
  exit 1
fi
echo "$address"
`, cidr)
}

// filesOf lists the files of a host by path, those of the provider among them.
func filesOf(m Model, e effective) []bootstrap.File {
	var out []bootstrap.File
	for path, o := range m.Files.Known() {
		f, ok := o.Get()
		if !ok {
			continue
		}
		file := bootstrap.File{Path: path, Permissions: tf.TextOr(f.Permissions, defaultPermissions), Content: f.Content.ValueString()}
		if secret, ok := f.Secret.Get(); ok {
			file.ContentFrom = &bootstrap.ContentSource{SecretRef: &bootstrap.KeyRef{Name: secret.Name.ValueString(), Key: secret.Key.ValueString()}}
		}
		out = append(out, file)
	}
	out = append(out, ownFiles(m, e)...)
	slices.SortFunc(out, func(a, b bootstrap.File) int { return strings.Compare(a.Path, b.Path) })
	return out
}

// ownFiles are the files that follow from other attributes.
func ownFiles(m Model, e effective) []bootstrap.File {
	var out []bootstrap.File
	if version, ok := m.Version.Get(); ok && e.hasGPU {
		if path, content, needed := containerdDropIn(e.gpu, version); needed {
			out = append(out, bootstrap.File{Path: path, Permissions: defaultPermissions, Content: content})
		}
	}
	if given(m.NodeIPCIDR) {
		out = append(out, bootstrap.File{Path: addressScript, Permissions: "0755", Content: addressLookup(m.NodeIPCIDR.ValueString())})
	}
	return out
}

// plainArg is text that a shell takes as it is.
var plainArg = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// shellQuoted is a text as a shell must read it to get that text.
func shellQuoted(arg string) string {
	if plainArg.MatchString(arg) {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// shellUnquoted undoes shellQuoted.
func shellUnquoted(arg string) string {
	if inner, ok := strings.CutPrefix(arg, "'"); ok && strings.HasSuffix(inner, "'") {
		return strings.ReplaceAll(strings.TrimSuffix(inner, "'"), `'\''`, "'")
	}
	return arg
}
