package manifest

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func resourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "One Kubernetes object of any kind, in the management cluster or in a hosted cluster: the way out where no resource of this provider fits.\n\n" +
			"Only the fields that the manifest declares are owned, compared and taken back; everything else on the object belongs to others and is never shown. " +
			"The object's CRD may be made in the same run. With `adopt = true` the resource adds its fields to an object that exists, and by default gives just these up again on destroy.\n\n" +
			"With `wait`, a CustomResourceDefinition is waited for until it is `Established` and an APIService until it is `Available`; any other object is ready when it exists. " +
			"Create, update and delete may take 10 minutes each, unless `timeouts` says otherwise.",
		Attributes: map[string]schema.Attribute{
			"manifest": schema.DynamicAttribute{
				Required: true, CustomType: tf.ManifestType{},
				MarkdownDescription: "The object: YAML or JSON text, or a Terraform object, with `apiVersion`, `kind` and `metadata.name`, and `metadata.namespace` for namespaced kinds (there is no default namespace). " +
					"One object only: use `for_each` for several. Another spelling of the same object is no change. A field that is null is not owned; `{}` and `[]` are. " +
					"A change of API group, kind, namespace or name replaces the object, any other is made in place. Secret data is not allowed here: use `secret_data_wo`.",
			},
			"cluster": composite.ClusterAttribute(false),
			"create_namespace": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: tf.Default(tf.Text.CreateNamespace, false)},
			"secret_data_wo": schema.MapAttribute{
				Optional: true, WriteOnly: true, Sensitive: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
				MarkdownDescription: "Data of a v1 Secret by key, in clear (it is encoded for you). Write-only: it is in no state, plan or log. Takes effect at create and whenever `secret_data_wo_version` changes. Any other change of this resource writes the current value too, because an apply declares all fields at once. Unset: no data is declared.",
			},
			"secret_data_wo_version": schema.Int64Attribute{
				Optional: true, Validators: []validator.Int64{int64validator.AlsoRequires(path.MatchRoot("secret_data_wo"))},
				MarkdownDescription: "Any whole number; another one makes the provider write `secret_data_wo` again, in place. Needs `secret_data_wo`.",
			},
		},
	}
}
