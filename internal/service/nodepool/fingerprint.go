package nodepool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// hostChange is what of a declaration changes a host, and so takes a rollout. Every field is left out where it says nothing, so
// that a field that is added here later moves no fingerprint that is out there. What the provider makes of these fields is not
// in it: a new version of the provider must replace no host.
type hostChange struct {
	Version    string              `json:"version,omitempty"`
	GPU        any                 `json:"gpu,omitempty"`
	Files      map[string]fileMark `json:"files,omitempty"`
	Pre        []string            `json:"pre,omitempty"`
	Post       []string            `json:"post,omitempty"`
	Args       []string            `json:"args,omitempty"`
	Download   string              `json:"download,omitempty"`
	Installed  bool                `json:"installed,omitempty"`
	Job        *jobMark            `json:"job,omitempty"`
	NodeIPCIDR string              `json:"nodeIPCIDR,omitempty"`
}

type fileMark struct {
	Content     string `json:"content,omitempty"`
	Secret      string `json:"secret,omitempty"`
	Key         string `json:"key,omitempty"`
	Permissions string `json:"permissions,omitempty"`
}

type jobMark struct {
	SSH      string `json:"ssh,omitempty"`
	SCP      string `json:"scp,omitempty"`
	Template any    `json:"template,omitempty"`
}

func hostChangeOf(m Model, e effective) hostChange {
	c := hostChange{
		Version: versionOf(m), Pre: listOf(m.PreCommands), Post: listOf(m.PostCommands),
		Download: e.k0s.DownloadURL.ValueString(), Installed: e.k0s.PreInstalled.ValueBool(), NodeIPCIDR: m.NodeIPCIDR.ValueString(),
	}
	plain, kubelet := dividedArgs(m)
	if c.Args = plain; len(kubelet) > 0 { // their order among the others means nothing
		c.Args = append(c.Args, argKubelet+strings.Join(kubelet, " "))
	}
	if e.hasGPU {
		c.GPU = gpuFingerprint(e.gpu)
	}
	for path, o := range m.Files.Known() {
		if f, ok := o.Get(); ok {
			mark := fileMark{Content: f.Content.ValueString(), Permissions: f.Permissions.ValueString()}
			if "0"+strings.TrimPrefix(mark.Permissions, "0") == defaultPermissions { // with three digits or four
				mark.Permissions = ""
			}
			if secret, ok := f.Secret.Get(); ok {
				mark.Secret, mark.Key = secret.Name.ValueString(), secret.Key.ValueString()
			}
			if c.Files == nil {
				c.Files = map[string]fileMark{}
			}
			c.Files[path] = mark
		}
	}
	if job, ok := m.ProvisionJob.Get(); ok {
		template, _ := jsonObject(job.JobTemplate.ValueString())
		c.Job = &jobMark{SSH: unlessText(job.SSHCommand, "ssh").ValueString(), SCP: unlessText(job.SCPCommand, "scp").ValueString(), Template: template}
	}
	return c
}

// fingerprintOf is the hash of what changes a host. Sixteen digits keep two apart; the first half is enough for a name.
func fingerprintOf(m Model) string {
	wire, err := json.Marshal(hostChangeOf(m, effectiveOf(m)))
	if err != nil {
		return "" // plain data always has a JSON text
	}
	sum := sha256.Sum256(wire)
	return hex.EncodeToString(sum[:8])
}

// templateName is the name of both templates of a fingerprint.
func templateName(pool, fingerprint string) string { return pool + "-" + fingerprint[:8] }

// adoptedTemplates stands in the place of a fingerprint after the import of a fleet that others made. A declaration that makes
// the same hosts of it keeps the names that it has and replaces none; see sameHosts.
const adoptedTemplates = "adopted"

// templatesOf names the templates. While the fingerprint stays, so do the names, whoever gave them.
func templatesOf(m Model, prior *Model) tf.Object[Templates] {
	unknown := tf.ObjectOf(Templates{Fingerprint: types.StringUnknown(), Bootstrap: types.StringUnknown(), Infrastructure: types.StringUnknown(), Version: types.StringUnknown()})
	if m.Name.IsUnknown() || m.MachineTemplate.IsUnknown() || !hostChangeKnown(m) {
		return unknown
	}
	fingerprint := fingerprintOf(m)
	name := types.StringValue(templateName(m.Name.ValueString(), fingerprint))
	out := Templates{Fingerprint: types.StringValue(fingerprint), Bootstrap: name, Infrastructure: name, Version: types.StringValue(versionOf(m))}
	if prior == nil { // an import has read the names; in the plan of a create nothing is known of them
		if read, ok := m.Templates.Get(); ok && read.Fingerprint.ValueString() == adoptedTemplates {
			return m.Templates
		}
		prior = &m
	}
	if prior.Name.Equal(m.Name) && namespaceOf(*prior).Equal(namespaceOf(m)) {
		was, ok := prior.Templates.Get()
		if ok && (was.Fingerprint.Equal(out.Fingerprint) || was.Fingerprint.ValueString() == adoptedTemplates && sameHosts(*prior, m)) {
			out.Bootstrap = was.Bootstrap
			if !was.Version.IsNull() {
				out.Version = was.Version
			}
			if prior.MachineTemplate.IsNull() {
				out.Infrastructure = was.Infrastructure
			}
		}
	}
	if template, ok := m.MachineTemplate.Get(); ok {
		out.Infrastructure = template.Name
	}
	return tf.ObjectOf(out)
}

// hostChangeKnown tells whether everything is known that the fingerprint is made of.
func hostChangeKnown(m Model) bool {
	for _, v := range []attr.Value{m.Version, m.GPU, m.Files, m.PreCommands, m.PostCommands, m.WorkerArgs, m.K0s, m.ProvisionJob, m.NodeIPCIDR} {
		if !tf.Settled(v) {
			return false
		}
	}
	return true
}

// jsonObject reads a JSON object.
func jsonObject(text string) (map[string]any, bool) {
	out := map[string]any{}
	if text == "" || json.Unmarshal([]byte(text), &out) != nil {
		return nil, false
	}
	return out, true
}
