package site

import (
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework-validators/float64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// longestName leaves room for a host key behind it in the node label k0smos-host.
const longestName = 40

func resourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A site: where hosts are and how to reach them. Node pools take it as `site = k0smos_site.<name>.ref`.\n\n" +
			"It is made of a ConfigMap `<name>-site` that records it and, where the key is given here, a Secret `<name>-ssh` that k0smotron reads whenever it opens an SSH connection. " +
			"Nothing is dialled by the provider itself. The key stands in that Secret and nowhere else: not in state, plan or log.\n\n" +
			"A Secret that a RemoteMachine still uses is never removed, since k0smotron could then neither clean the host nor let go of it: a destroy waits for the host, and an update leaves the Secret for a later one. " +
			"Create, update and delete may take 10 minutes each, unless `timeouts` says otherwise.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(longestName)},
				MarkdownDescription: "Name of the site: lower case letters, digits and hyphens, at most 40 characters. Nodes carry it as the label `k0smos.io/site`. A change makes a new site: with `lifecycle { create_before_destroy = true }` node pools move over in place before the old one goes; without, its destroy waits for the hosts that use its key."},
			"region": schema.StringAttribute{Optional: true, Validators: labelValue(),
				MarkdownDescription: "Region, such as `ca-quebec`: the node label `topology.kubernetes.io/region`, at most 63 characters. Left out: no label. Changed in place; running nodes are labelled anew and not replaced."},
			"zone": schema.StringAttribute{Optional: true, Validators: labelValue(),
				MarkdownDescription: "Zone, such as a hall or a power feed: the node label `topology.kubernetes.io/zone`, at most 63 characters. Left out: no label. Changed in place; running nodes are labelled anew and not replaced."},
			"location": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Location](),
				MarkdownDescription: "Where the site is on Earth, for maps and distances; it reaches no host. Left out: not recorded. Changed in place; disturbs nothing.",
				Attributes: map[string]schema.Attribute{
					"latitude":  schema.Float64Attribute{Required: true, Validators: []validator.Float64{float64validator.Between(-90, 90)}, MarkdownDescription: "Degrees north, -90 to 90."},
					"longitude": schema.Float64Attribute{Required: true, Validators: []validator.Float64{float64validator.Between(-180, 180)}, MarkdownDescription: "Degrees east, -180 to 180."},
				}},
			"ssh": sshAttribute(),
			"ref": refAttribute(),
		},
	}
}

func sshAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[SSH](),
		MarkdownDescription: "How k0smotron reaches the hosts by SSH, from the management cluster. It does not verify host keys. Give the key either here, as `private_key_wo`, or by `secret`.",
		Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.RegexMatches(userName, "must be 1 to 64 characters without spaces, quotes, colons or at signs")},
				MarkdownDescription: "User to log in as. Default `root`; a host may name another one. Changed in place; running hosts are reached with it from then on."},
			"port": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()},
				MarkdownDescription: "TCP port of the SSH server, 1 to 65535. Default `22`; a host may name another one. Since a host is known by address and port, a change replaces every claimed host that does not name its own port."},
			"use_sudo": schema.BoolAttribute{Optional: true,
				MarkdownDescription: "Whether commands run through `sudo`, which must ask no password. Default `false`. Changed in place; running hosts are reached with it from then on."},
			"private_key_wo": schema.StringAttribute{Optional: true, WriteOnly: true, Sensitive: true,
				MarkdownDescription: "Private key, in PEM or OpenSSH form and without a passphrase. Write-only: it is in no state, plan or log, and goes into the Secret `<name>-ssh` under the key `value`. " +
					"Takes effect at create and whenever `private_key_wo_version` changes. Any other change of this resource writes the current value too, because an apply declares all fields at once."},
			"private_key_wo_version": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AlsoRequires(path.MatchRelative().AtParent().AtName("private_key_wo"))},
				MarkdownDescription: "Any whole number; another one writes `private_key_wo` again, in place. Hosts that are in use are reached with the new key from then on, so put its public half on them first. Needs `private_key_wo`."},
			"secret": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSSubdomain()},
				MarkdownDescription: "Name of a Secret of your own in the same namespace that holds the private key under the key `value`, in place of `private_key_wo`. It is neither read nor checked here. Changed in place; running hosts are reached with it from then on."},
		}}
}

func refAttribute() schema.Attribute {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[Ref](),
		MarkdownDescription: "The site as node pools want it: `site = k0smos_site.<name>.ref`. Follows from the configuration, so it is known in the plan.",
		Attributes: map[string]schema.Attribute{
			"name":      text("Name of the site."),
			"namespace": text("Namespace of the site. Its node pools are in the same one."),
			"region":    text("Region, null where it is not given."),
			"zone":      text("Zone, null where it is not given."),
			"ssh": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[RefSSH](),
				MarkdownDescription: "How hosts are reached, with every default filled in.",
				Attributes: map[string]schema.Attribute{
					"user":     text("User to log in as."),
					"port":     schema.Int64Attribute{Computed: true, MarkdownDescription: "TCP port of the SSH server."},
					"use_sudo": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether commands run through `sudo`."},
					"secret":   text("Name of the Secret that holds the private key under the key `value`."),
				}},
		}}
}

var (
	userName = regexp.MustCompile("^[^\\s:@'\"`\\\\$]{1,64}$")
	label    = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$`)
)

func labelValue() []validator.String {
	return []validator.String{stringvalidator.RegexMatches(label, "must be 1 to 63 letters, digits, hyphens, underscores and dots, with a letter or digit at both ends, because nodes carry it as a label")}
}
