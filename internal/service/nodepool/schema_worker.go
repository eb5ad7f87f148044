package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// workerAttributes say how a host becomes a node. Nearly all of them change the host, and so roll.
func workerAttributes() map[string]schema.Attribute {
	list := func(text string) schema.Attribute {
		return schema.ListAttribute{Optional: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType, MarkdownDescription: text + rollsOut}
	}
	return map[string]schema.Attribute{
		"gpu": gpuAttribute(),
		"node_ip_cidr": schema.StringAttribute{Optional: true, CustomType: tf.IPPrefixType{}, Validators: []validator.String{tf.NetworkCIDR()},
			MarkdownDescription: "Network in CIDR notation in which the address of the node is looked for when a host joins, for hosts with several addresses. A host that has none in it does not join. Needs `ip` of iproute2 or busybox on the hosts. Default: the kubelet's choice." + rollsOut},
		"pre_k0s_commands":  list("Shell commands that run on a host before k0s is downloaded and installed. They run again when a try fails, so write them so that this does no harm. They are kept in state and in the cluster: no secrets. Default: none."),
		"post_k0s_commands": list("Shell commands that run on a host after k0s was started, under the same conditions. Default: none."),
		"files": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[File]](),
			MarkdownDescription: "Files that are put on a host before the commands run, by absolute path. A change of the content of a Secret rolls nothing by itself. Default: none." + rollsOut,
			NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[File](), Attributes: map[string]schema.Attribute{
				"content": schema.StringAttribute{Optional: true, MarkdownDescription: "Text of the file. It is kept in state and in the cluster: no secrets. Either this or `secret`."},
				"secret": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[SecretKey](), MarkdownDescription: "Where the text is kept. Either this or `content`.",
					Attributes: map[string]schema.Attribute{
						"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Secret in the pool's namespace."},
						"key":  schema.StringAttribute{Required: true, MarkdownDescription: "Key of the Secret."},
					}},
				"permissions": schema.StringAttribute{Optional: true, Validators: []validator.String{octal()}, MarkdownDescription: "Permissions in octal digits. Default `0644`."},
			}}},
		"worker_args": list("Further arguments of `k0s worker`, each as the program gets it: what a shell would need is quoted here. Labels, taints and the join token have attributes or are set by the operator. Default: none."),
		"k0s": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[K0s](), MarkdownDescription: "Where the k0s binary comes from. Left out: downloaded from the k0s project in `version`." + rollsOut,
			Attributes: map[string]schema.Attribute{
				"download_url":  schema.StringAttribute{Optional: true, Validators: []validator.String{binaryURL()}, MarkdownDescription: "URL of the binary (`http`, `https` or `oci`), which must be of `version`. Default: the k0s project's."},
				"pre_installed": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether the binary is on the hosts already, at `/usr/local/bin/k0s` and of `version`. Default `false`."},
			}},
		"provision_job": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[ProvisionJob](),
			MarkdownDescription: "Reach hosts by a Job in the management cluster instead of plain SSH, for bastions and certificates. The operator takes a host for joined as soon as the Job exists, and cleans up nothing when a host leaves. Default: plain SSH." + rollsOut,
			Attributes: map[string]schema.Attribute{
				"ssh_command":  schema.StringAttribute{Optional: true, MarkdownDescription: "Command in place of ssh. Default `ssh`."},
				"scp_command":  schema.StringAttribute{Optional: true, MarkdownDescription: "Command in place of scp. Default `scp`."},
				"job_template": schema.StringAttribute{Required: true, CustomType: tf.JSONType{}, MarkdownDescription: "Template of the Job as a JSON object (`jsonencode`), as in `spec.jobTemplate` of a CronJob. The operator sets the arguments of the first container. No secrets."},
			}},
	}
}
