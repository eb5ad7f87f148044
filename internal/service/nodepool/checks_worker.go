package nodepool

import (
	"path"
	"regexp"
	"slices"
	"strings"

	tfpath "github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// filesComplete: each file has one source and a place of its own.
func filesComplete(m Model) []composite.Finding {
	own := ownFiles(m, effectiveOf(m))
	var out []composite.Finding
	for _, name := range m.Files.Keys() {
		at := tfpath.Root("files").AtMapKey(name)
		if !plainPath.MatchString(name) || path.Clean(name) != name || name == "/" {
			out = append(out, fault(at, "Not a path of a file", "%q is not an absolute path in its shortest form, of letters, digits and . _ @ + - between the slashes. Example: \"/etc/k0s/registries.yaml\".", name))
		}
		for _, file := range own {
			if file.Path == name {
				out = append(out, fault(at, "A file of the provider's", "%s is written by the provider, for gpu.runtime or node_ip_cidr. Remove it here, or choose gpu.runtime = \"operator\" or no node_ip_cidr.", name))
			}
		}
		file, ok := m.Files.Known()[name].Get()
		switch {
		case !ok || file.Content.IsUnknown() || file.Secret.IsUnknown():
		case file.Content.IsNull() && file.Secret.IsNull():
			out = append(out, fault(at, "A file without content", "The file %s needs content, or a secret that holds it.", name))
		case !file.Content.IsNull() && !file.Secret.IsNull():
			out = append(out, fault(at, "A file with two contents", "The file %s has content and a secret. Remove one of them.", name))
		}
	}
	return out
}

var plainPath = regexp.MustCompile(`^(/[A-Za-z0-9._@+-]+)+$`)

// argumentSet says who sets an argument of k0s worker, so that it is not the user's.
var argumentSet = map[string]string{
	"--labels": "labels and the attributes of the site, hosts and GPUs", "--taints": "taints", "--token-file": "the operator, with a token for each host",
}

// textBetweenQuotes is what can stand in double quotes in a shell and is text there.
var textBetweenQuotes = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./~^*?#&;|<>(){}\[\] -]*$`)

// argumentsPlain: an argument is quoted for the shell, except for those of the kubelet, which the operator puts in quotes
// together with its own.
func argumentsPlain(m Model) []composite.Finding {
	var out []composite.Finding
	for i, v := range m.WorkerArgs.Known() {
		at := tfpath.Root("worker_args").AtListIndex(i)
		if v.IsUnknown() {
			continue
		}
		arg := v.ValueString()
		name, value, valued := strings.Cut(arg, "=")
		switch setter, set := argumentSet[name]; {
		case arg == "" || strings.ContainsAny(arg, "\n\r\x00"):
			out = append(out, fault(at, "Not an argument", "An argument of k0s worker is one line of text that is not empty."))
		case set:
			out = append(out, fault(at, "An argument that is set already", "%s is set by %s. Remove it here.", name, setter))
		case name == strings.TrimSuffix(argKubelet, "=") && !valued:
			out = append(out, fault(at, "Arguments of the kubelet apart", "Write the arguments of the kubelet in one: \"%s--max-pods=250 --v=2\".", argKubelet))
		case name == strings.TrimSuffix(argKubelet, "=") && !textBetweenQuotes.MatchString(value):
			out = append(out, fault(at, "Characters that a shell would read", "The operator puts arguments of the kubelet in double quotes for a shell, so quotes, $, ` and \\ cannot be passed. Set such values in a worker profile of the control plane."))
		case name == strings.TrimSuffix(argKubelet, "=") && strings.Contains(value, "--node-ip") && given(m.NodeIPCIDR):
			out = append(out, fault(at, "Two addresses of a node", "node_ip_cidr finds the address of each node, and the argument --node-ip sets one. Remove one of them."))
		}
	}
	return out
}

func commandsThere(m Model) []composite.Finding {
	var out []composite.Finding
	for name, list := range map[string]tf.List[types.String]{"pre_k0s_commands": m.PreCommands, "post_k0s_commands": m.PostCommands} {
		for i, v := range list.Known() {
			if !v.IsUnknown() && strings.TrimSpace(v.ValueString()) == "" {
				out = append(out, fault(tfpath.Root(name).AtListIndex(i), "An empty command", "A command is text for a shell. Remove the empty one."))
			}
		}
	}
	slices.SortFunc(out, func(a, b composite.Finding) int { return compareText(a.Path.String(), b.Path.String()) })
	return out
}

func binaryOnce(m Model) []composite.Finding {
	k, ok := m.K0s.Get()
	if !ok || !given(k.DownloadURL) || !k.PreInstalled.ValueBool() {
		return nil
	}
	return []composite.Finding{fault(tfpath.Root("k0s").AtName("download_url"), "Two places of k0s", "With k0s.pre_installed nothing is downloaded, so k0s.download_url means nothing. Remove one of them.")}
}

func jobReadable(m Model) []composite.Finding {
	job, ok := m.ProvisionJob.Get()
	if !ok || !given(job.JobTemplate) {
		return nil
	}
	if _, ok := jsonObject(job.JobTemplate.ValueString()); !ok {
		return []composite.Finding{fault(tfpath.Root("provision_job").AtName("job_template"), "Not a JSON object", "provision_job.job_template must be a JSON object with the template of a Job, for example jsonencode({ spec = { template = { spec = { containers = [...] } } } }).")}
	}
	return []composite.Finding{warning(tfpath.Root("provision_job"), "Nothing is cleaned up", "With provision_job the operator takes a host for joined as soon as the Job exists, and runs nothing when the host leaves: k0s stays on it. Reset such hosts yourself before they are used again.")}
}
