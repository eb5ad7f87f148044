package kubeconfig

import (
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func ephemeralSchema() schema.Schema {
	computed := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	secret := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, Sensitive: true, MarkdownDescription: text}
	}
	return schema.Schema{
		MarkdownDescription: "Access to a hosted cluster for the length of one run, in no plan and no state: for other providers, and for write-only attributes. " +
			"The resources of this provider do not need it, they take `cluster`.\n\n" +
			"Without `service_account` it is the admin access that k0smotron keeps in the management cluster: a client certificate in group `system:masters`, which nothing can take back before it expires. " +
			"With `service_account` it is a token of that account, issued anew in every plan and every apply; it ends by itself, and at once when the account is deleted. " +
			"A token cannot be prolonged: a warning says when a run outlives it.\n\n" +
			"**When it is opened.** Terraform opens an ephemeral resource in the plan already, as soon as its arguments are known. For a cluster that is made in the same run, pass the whole object, " +
			"`cluster = k0smos_hosted_control_plane.<name>.cluster`: its `uid` is unknown until the cluster exists, so this is opened right after that. With a cluster that does not exist the plan fails at once. " +
			"A cluster that exists and is still coming up is waited for, for two minutes unless `timeouts` says otherwise; then the kubeconfig is handed out with a warning if there is one.\n\n" +
			"The kubeconfig is written anew from the address and the credentials alone, always in the same way: what else stands in the Secret, such as a program to run, never reaches another provider.",
		Attributes: map[string]schema.Attribute{
			"cluster": schema.SingleNestedAttribute{
				Required: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](),
				MarkdownDescription: "The hosted cluster: the attribute `cluster` of a hosted control plane or of the data source `k0smos_cluster`; by hand, `name` and `namespace` are enough.",
				Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: tf.Text.ClusterName},
					"namespace": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: tf.Text.ClusterNamespace},
					"uid":       schema.StringAttribute{Optional: true, MarkdownDescription: "UID of the Cluster API Cluster. When it is given, a cluster of the same name that was made anew is an error."},
				}},
			"service_account": schema.SingleNestedAttribute{
				Optional: true, CustomType: tf.ObjectTypeOf[ServiceAccount](),
				MarkdownDescription: "Service account of the hosted cluster to issue a token for. Unset: the admin access. Its rights are those that role bindings in the hosted cluster give it.",
				Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Name of the service account. It must exist when this is opened; if it is made in the same run, write `name = k0smos_manifest.<name>.revision != \"\" ? \"deployer\" : null`, which is not known before it is made."},
					"namespace": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Namespace of the service account. It is also the default namespace of the kubeconfig."},
					"audiences": schema.ListAttribute{Optional: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType,
						MarkdownDescription: "Whom the token is for. Unset: the API server. A token for others alone is of no use with the API server, and so not with the kubeconfig."},
					"expiration": schema.StringAttribute{Optional: true, CustomType: tf.DurationType{},
						MarkdownDescription: "How long the token is asked to be good for: a Go duration of at least `10m`. Default `1h`. Make it longer than the longest apply; the API server may give less, see `expires_at`."},
				}},
			"kubeconfig":             secret("Kubeconfig in YAML with one cluster, one user and one context, byte for byte the same for the same access."),
			"host":                   computed("URL of the API server."),
			"cluster_ca_certificate": computed("Certificates of the authorities that the API server's certificate is verified with, PEM. Null where the kubeconfig has none."),
			"client_certificate":     computed("Client certificate of the admin, PEM. Null with `service_account`."),
			"client_key":             secret("Key of `client_certificate`, PEM. Null with `service_account`."),
			"token":                  secret("Bearer token: that of the service account. Null for the admin, unless the kubeconfig Secret holds one."),
			"expires_at":             computed("When the access ends, as in `2026-01-31T12:00:00Z`: the token, or the client certificate. Null where that cannot be told."),
		},
	}
}
