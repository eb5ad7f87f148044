package provider

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Configure notes how clusters are reached. It dials nothing: arguments may be unknown while planning, and then every
// call fails by saying so, instead of falling back to another cluster.
func (p *k0smos) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var m Model
	if resp.Diagnostics.Append(req.Config.Get(ctx, &m)...); resp.Diagnostics.HasError() {
		return
	}
	source, diags := sourceOf(m)
	resp.Diagnostics.Append(diags...)
	labels := map[string]string{}
	labelsUnknown := m.DefaultLabels.IsUnknown()
	for key, v := range m.DefaultLabels.Elements() {
		if s, ok := v.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			labels[key] = s.ValueString()
		} else if v.IsUnknown() {
			labelsUnknown = true
		}
	}
	if _, taken := labels[composite.ManagedByLabel]; taken {
		resp.Diagnostics.AddAttributeError(path.Root("default_labels").AtMapKey(composite.ManagedByLabel), "Reserved label "+composite.ManagedByLabel,
			"The provider writes "+composite.ManagedByLabel+" itself, to find its objects again. Remove it from default_labels.")
	}
	if resp.Diagnostics.HasError() {
		return
	}
	data := &composite.Provider{
		Pool:           kube.NewPool(source, kube.Options{UserAgent: "terraform-provider-k0smos/" + p.version, MaxInFlight: int(m.MaxInFlight.ValueInt64())}),
		FieldManager:   orDefault(m.FieldManager, composite.DefaultFieldManager),
		Owner:          orDefault(m.Owner, workspace()),
		ForceConflicts: m.ForceConflicts.ValueBool(),
		PlanManifests:  m.PlanManifests.ValueBool(),
		DefaultLabels:  labels,

		LabelsUnknown:    labelsUnknown,
		ManifestsUnknown: m.PlanManifests.IsUnknown(),
	}
	resp.ResourceData, resp.DataSourceData, resp.EphemeralResourceData = data, data, data
}

func workspace() string {
	if name := os.Getenv("TF_WORKSPACE"); name != "" {
		return name
	}
	return "default"
}

func orDefault(s types.String, otherwise string) string {
	if s.ValueString() == "" {
		return otherwise
	}
	return s.ValueString()
}

// sourceOf turns the arguments into a source of credentials and lists those that are not known yet.
func sourceOf(m Model) (kube.Source, diag.Diagnostics) {
	var diags diag.Diagnostics
	s := kube.Source{
		Kubeconfig: m.Kubeconfig.ValueString(), Context: m.ConfigContext.ValueString(), Host: m.Host.ValueString(),
		Token: m.Token.ValueString(), TokenPath: m.TokenPath.ValueString(), ClientCertificate: m.ClientCertificate.ValueString(),
		ClientKey: m.ClientKey.ValueString(), ClusterCA: m.ClusterCACertificate.ValueString(), ProxyURL: m.ProxyURL.ValueString(),
		TLSServerName: m.TLSServerName.ValueString(), Insecure: m.Insecure.ValueBool(),
	}
	for _, a := range []struct {
		name  string
		value attr.Value
	}{
		{"kubeconfig", m.Kubeconfig}, {"config_path", m.ConfigPath}, {"config_context", m.ConfigContext}, {"host", m.Host}, {"token", m.Token},
		{"token_path", m.TokenPath}, {"client_certificate", m.ClientCertificate}, {"client_key", m.ClientKey},
		{"cluster_ca_certificate", m.ClusterCACertificate}, {"proxy_url", m.ProxyURL}, {"tls_server_name", m.TLSServerName}, {"insecure", m.Insecure},
	} {
		if a.value.IsUnknown() {
			s.Unknown = append(s.Unknown, a.name)
		}
	}
	if m.ConfigPath.ValueString() != "" {
		s.ConfigPaths = []string{m.ConfigPath.ValueString()}
	}
	paths, known := texts(m.ConfigPaths.Elements(), m.ConfigPaths.IsUnknown())
	if !known {
		s.Unknown = append(s.Unknown, "config_paths")
	}
	s.ConfigPaths = append(s.ConfigPaths, paths...)
	if m.Exec == nil {
		return s, diags
	}
	args, argsKnown := texts(m.Exec.Args.Elements(), m.Exec.Args.IsUnknown())
	env := map[string]string{}
	envKnown := !m.Exec.Env.IsUnknown()
	for k, v := range m.Exec.Env.Elements() {
		text, ok := v.(types.String)
		envKnown = envKnown && ok && !text.IsUnknown()
		env[k] = text.ValueString()
	}
	if m.Exec.Command.IsUnknown() || m.Exec.APIVersion.IsUnknown() || !argsKnown || !envKnown {
		s.Unknown = append(s.Unknown, "exec")
		return s, diags
	}
	if m.Exec.Command.ValueString() == "" || m.Exec.APIVersion.ValueString() == "" {
		diags.AddAttributeError(path.Root("exec"), "Incomplete credential plugin", "The exec block needs both command and api_version, for example api_version = \"client.authentication.k8s.io/v1\".")
	}
	s.Exec = &kube.Exec{APIVersion: m.Exec.APIVersion.ValueString(), Command: m.Exec.Command.ValueString(), Args: args, Env: env}
	return s, diags
}

// texts returns the strings of a list, and whether all of them are known.
func texts(elements []attr.Value, unknown bool) ([]string, bool) {
	var out []string
	known := !unknown
	for _, e := range elements {
		s, ok := e.(types.String)
		known = known && ok && !s.IsUnknown()
		out = append(out, s.ValueString())
	}
	return out, known
}
