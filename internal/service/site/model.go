package site

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.NamespacedMeta
	Name     types.String        `tfsdk:"name"`
	Region   types.String        `tfsdk:"region"`
	Zone     types.String        `tfsdk:"zone"`
	Location tf.Object[Location] `tfsdk:"location"`
	SSH      tf.Object[SSH]      `tfsdk:"ssh"`

	Ref tf.Object[Ref] `tfsdk:"ref"`
}

// Location is a place on Earth, in degrees.
type Location struct {
	Latitude  types.Float64 `tfsdk:"latitude"`
	Longitude types.Float64 `tfsdk:"longitude"`
}

// SSH is how hosts are reached.
type SSH struct {
	User              types.String `tfsdk:"user"`
	Port              types.Int64  `tfsdk:"port"`
	UseSudo           types.Bool   `tfsdk:"use_sudo"`
	PrivateKey        types.String `tfsdk:"private_key_wo"` // null in plan and state
	PrivateKeyVersion types.Int64  `tfsdk:"private_key_wo_version"`
	Secret            types.String `tfsdk:"secret"`
}

// Ref is what node pools want to know of a site.
type Ref struct {
	Name      types.String      `tfsdk:"name"`
	Namespace types.String      `tfsdk:"namespace"`
	Region    types.String      `tfsdk:"region"`
	Zone      types.String      `tfsdk:"zone"`
	SSH       tf.Object[RefSSH] `tfsdk:"ssh"`
}

// RefSSH is how hosts are reached, with every default filled in.
type RefSSH struct {
	User    types.String `tfsdk:"user"`
	Port    types.Int64  `tfsdk:"port"`
	UseSudo types.Bool   `tfsdk:"use_sudo"`
	Secret  types.String `tfsdk:"secret"`
}
