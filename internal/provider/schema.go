package provider

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is the provider block.
type Model struct {
	Kubeconfig           types.String `tfsdk:"kubeconfig"`
	ConfigPath           types.String `tfsdk:"config_path"`
	ConfigPaths          types.List   `tfsdk:"config_paths"`
	ConfigContext        types.String `tfsdk:"config_context"`
	Host                 types.String `tfsdk:"host"`
	Token                types.String `tfsdk:"token"`
	TokenPath            types.String `tfsdk:"token_path"`
	ClientCertificate    types.String `tfsdk:"client_certificate"`
	ClientKey            types.String `tfsdk:"client_key"`
	ClusterCACertificate types.String `tfsdk:"cluster_ca_certificate"`
	ProxyURL             types.String `tfsdk:"proxy_url"`
	TLSServerName        types.String `tfsdk:"tls_server_name"`
	Insecure             types.Bool   `tfsdk:"insecure"`
	Exec                 *ExecModel   `tfsdk:"exec"`
	FieldManager         types.String `tfsdk:"field_manager"`
	Owner                types.String `tfsdk:"owner"`
	ForceConflicts       types.Bool   `tfsdk:"force_conflicts"`
	DefaultLabels        types.Map    `tfsdk:"default_labels"`
	PlanManifests        types.Bool   `tfsdk:"plan_manifests"`
	MaxInFlight          types.Int64  `tfsdk:"max_in_flight"`
}

// ExecModel is the credential plugin of the provider block.
type ExecModel struct {
	APIVersion types.String `tfsdk:"api_version"`
	Command    types.String `tfsdk:"command"`
	Args       types.List   `tfsdk:"args"`
	Env        types.Map    `tfsdk:"env"`
}

const text = "Declares Kubernetes clusters whose control planes run as pods (k0s, by k0smotron and Cluster API), and the objects inside of them: for AI infrastructure that spans sites.\n\n" +
	"The provider talks to one **management cluster**. Objects inside a hosted cluster are addressed by the `cluster` attribute of a resource, so one provider block serves every cluster, also those made in the same run.\n\n" +
	"Credentials come from the arguments below; without any, from the environment variables `KUBE_CONFIG_PATH` or `KUBE_CONFIG_PATHS`; without these, from the Pod that Terraform runs in. " +
	"`KUBECONFIG` and the default kubeconfig are never used, since applying to whatever cluster a shell happens to point at is how people lose one."

func blockSchema() schema.Schema {
	plain := func(text string, v ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, MarkdownDescription: text, Validators: v}
	}
	secret := func(text string, v ...validator.String) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Sensitive: true, MarkdownDescription: text, Validators: v}
	}
	conflicts := func(names ...string) validator.String {
		var paths []path.Expression
		for _, n := range names {
			paths = append(paths, path.MatchRoot(n))
		}
		return stringvalidator.ConflictsWith(paths...)
	}
	return schema.Schema{
		MarkdownDescription: text,
		Attributes: map[string]schema.Attribute{
			"kubeconfig":  secret("Content of a kubeconfig. Conflicts with `config_path`, `config_paths` and `host`.", conflicts("config_path", "config_paths", "host")),
			"config_path": plain("Path of a kubeconfig; a leading `~/` is the home directory. Environment: `KUBE_CONFIG_PATH`. Conflicts with `kubeconfig`, `config_paths` and `host`.", conflicts("config_paths", "host")),
			"config_paths": schema.ListAttribute{Optional: true, ElementType: types.StringType,
				MarkdownDescription: "Paths of several kubeconfigs, merged as kubectl merges them. Environment: `KUBE_CONFIG_PATHS`, separated as `PATH` is. Conflicts with `kubeconfig` and `config_path`."},
			"config_context":         plain("Context of the kubeconfig. Default: its current context."),
			"host":                   plain("URL of the management cluster's API server, for example `https://192.0.2.10:6443`. With it the environment is not looked at. Conflicts with `kubeconfig` and `config_path`."),
			"token":                  secret("Bearer token, in place of the credentials of a kubeconfig. Needs a cluster in this block (`host` or a kubeconfig), as do the other credentials. Conflicts with `token_path` and `exec`.", conflicts("token_path")),
			"token_path":             plain("Path of a file that holds a bearer token. It is read again when the API server answers 401, so that a token may be renewed during a run. Conflicts with `token` and `exec`."),
			"client_certificate":     plain("Client certificate, PEM. Goes with `client_key`.", stringvalidator.AlsoRequires(path.MatchRoot("client_key"))),
			"client_key":             secret("Key of the client certificate, PEM.", stringvalidator.AlsoRequires(path.MatchRoot("client_certificate"))),
			"cluster_ca_certificate": plain("Certificates of the authorities that the API server's certificate is verified with, PEM. Default: those of the kubeconfig, else of the system. Conflicts with `insecure`."),
			"proxy_url":              plain("URL of a proxy to the management cluster's API server: `http`, `https` or `socks5`. Default: the kubeconfig's. Hosted clusters are reached without it."),
			"tls_server_name":        plain("Name that the API server's certificate must be for. Default: that of the kubeconfig, else the host's."),
			"insecure":               schema.BoolAttribute{Optional: true, MarkdownDescription: "Do not verify the API server's certificate. Default: `false`. Anyone on the way can then read and change everything."},
			"field_manager":          plain("Field manager of server-side apply; every resource kind adds its own suffix. 1 to 64 characters. Default: `terraform-provider-k0smos`. Better never change it: fields stay with the old manager as well.", stringvalidator.LengthBetween(1, 64)),
			"owner":                  plain("Name written beside the owner id on every object, for people who find one. Default: the workspace named by `TF_WORKSPACE`, else `default`. A change is no drift; it is written when an object is next applied."),
			"force_conflicts":        schema.BoolAttribute{Optional: true, MarkdownDescription: "Take fields that other tools declare by server-side apply, in every resource. Default: `false`, which fails the plan and names the tool."},
			"default_labels":         schema.MapAttribute{Optional: true, ElementType: types.StringType, Validators: []validator.Map{tf.Labels()}, MarkdownDescription: "Labels for every object of every resource; where a resource's `labels` has the same key, that one wins. Default: none. A change updates the objects in place."},
			"plan_manifests":         schema.BoolAttribute{Optional: true, MarkdownDescription: "Show the objects of every resource in its computed `manifests`, with secrets left out. Default: `false`, which keeps state small."},
			"max_in_flight": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(1, 1000)},
				MarkdownDescription: "Requests that may be under way at once, over all clusters, 1 to 1000. Default: `32`. The API server paces the rest: its 429 answers are honoured, and there is no limit per second."},
		},
		Blocks: map[string]schema.Block{
			"exec": schema.SingleNestedBlock{
				MarkdownDescription: "Credential plugin, as in a kubeconfig: a command that prints an ExecCredential and asks nothing. Needs `host` or a kubeconfig in this block, and replaces its credentials. Conflicts with `token` and `token_path`.",
				Attributes: map[string]schema.Attribute{
					"api_version": plain("API version of the ExecCredential: `client.authentication.k8s.io/v1` or `client.authentication.k8s.io/v1beta1`. Required.", stringvalidator.OneOf("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")),
					"command":     plain("Command to run; a leading `~/` is the home directory. Required."),
					"args":        schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Arguments of the command."},
					"env":         schema.MapAttribute{Optional: true, Sensitive: true, ElementType: types.StringType, MarkdownDescription: "Environment variables of the command, beside those of Terraform."},
				},
			},
		},
	}
}
