package composite

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// identityModel is the resource identity: the parts of an import id by name.
type identityModel struct {
	ClusterNamespace types.String `tfsdk:"cluster_namespace"`
	ClusterName      types.String `tfsdk:"cluster_name"`
	APIVersion       types.String `tfsdk:"api_version"`
	Kind             types.String `tfsdk:"kind"`
	Namespace        types.String `tfsdk:"namespace"`
	Name             types.String `tfsdk:"name"`
}

// IdentitySchema describes the identity.
func (r *Resource[M]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	optional := func(text string) identityschema.StringAttribute {
		return identityschema.StringAttribute{OptionalForImport: true, Description: text}
	}
	resp.IdentitySchema = identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"cluster_namespace": optional("Namespace of the hosted cluster; leave out for the management cluster."),
		"cluster_name":      optional("Name of the hosted cluster; leave out for the management cluster."),
		"api_version":       optional("API version of the object, for resources that stand for objects of any kind."),
		"kind":              optional("Kind of the object, for resources that stand for objects of any kind."),
		"namespace":         optional("Namespace of the object."),
		"name":              identityschema.StringAttribute{RequiredForImport: true, Description: "Name of the object."},
	}}
}

func (in identityModel) id() ID {
	return ID{in.ClusterNamespace.ValueString(), in.ClusterName.ValueString(), in.APIVersion.ValueString(), in.Kind.ValueString(), in.Namespace.ValueString(), in.Name.ValueString()}
}

// identify writes the identity. Terraform 1.11 keeps none, and then there is nothing to write to. One that names the same
// object already stays as it is, since an identity may not change: not with the version of the API either.
func identify(ctx context.Context, to *tfsdk.ResourceIdentity, id ID) diag.Diagnostics {
	if to == nil || id.Name == "" {
		return nil
	}
	var was identityModel
	if !to.Raw.IsNull() && !to.Get(ctx, &was).HasError() && was.id().same(id) {
		return nil
	}
	return to.Set(ctx, identityModel{
		ClusterNamespace: tf.TextOrNull(id.ClusterNamespace), ClusterName: tf.TextOrNull(id.ClusterName), APIVersion: tf.TextOrNull(id.APIVersion),
		Kind: tf.TextOrNull(id.Kind), Namespace: tf.TextOrNull(id.Namespace), Name: types.StringValue(id.Name),
	})
}
