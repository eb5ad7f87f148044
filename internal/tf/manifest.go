package tf

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"sigs.k8s.io/yaml"
)

// Manifest is one Kubernetes object, written as YAML or JSON text or as a Terraform object. It is compared by the
// object that it means, so that spelling, order of keys, and text or object make no difference.
type Manifest struct{ basetypes.DynamicValue }

// ManifestText is the manifest written as YAML or JSON.
func ManifestText(text string) Manifest {
	return Manifest{basetypes.NewDynamicValue(basetypes.NewStringValue(text))}
}

// ManifestObject is the manifest written as a Terraform object.
func ManifestObject(attributes map[string]attr.Value) Manifest {
	types := make(map[string]attr.Type, len(attributes))
	for name, v := range attributes {
		types[name] = typeOfValue(v)
	}
	return Manifest{basetypes.NewDynamicValue(basetypes.NewObjectValueMust(types, attributes))}
}

// ManifestYAML is the manifest of an object, written as YAML, or as JSON where YAML cannot say it (it has no form for
// some control characters).
func ManifestYAML(object map[string]any) (Manifest, error) {
	wire, err := json.Marshal(object)
	if err != nil {
		return Manifest{}, err
	}
	written := ManifestText(string(wire))
	if text, err := yaml.JSONToYAML(wire); err == nil && ManifestText(string(text)).SameAs(written) {
		return ManifestText(string(text)), nil
	}
	return written, nil
}

// NullManifest is the manifest that is not set.
func NullManifest() Manifest { return Manifest{basetypes.NewDynamicNull()} }

// UnknownManifest is the manifest of which nothing is known yet.
func UnknownManifest() Manifest { return Manifest{basetypes.NewDynamicUnknown()} }

// Parse returns the object. Numbers are int64 where they are whole and fit, else float64; null, {} and [] are kept
// apart. Where the manifest is null or unknown, or any value in it is unknown, known is false, and object has
// what is known so far, without the unknown values: enough to name the object, too little to compose it.
func (m Manifest) Parse() (object map[string]any, known bool, err error) {
	if m.IsNull() || m.IsUnknown() || m.IsUnderlyingValueNull() || m.IsUnderlyingValueUnknown() {
		return nil, false, nil
	}
	if text, ok := m.UnderlyingValue().(basetypes.StringValue); ok {
		object, err = parseManifestText(text.ValueString())
		if err != nil {
			return nil, false, err
		}
	} else if object, err = goObject(m.UnderlyingValue()); err != nil {
		return nil, false, err
	}
	if err := checkIdentity(object); err != nil {
		return nil, false, err
	}
	known = stripUnknown(object)
	return object, known, nil
}

// SameAs is true for two manifests of one state that mean the same object. Manifests with unknown parts are the
// same only if they are written the same.
func (m Manifest) SameAs(that Manifest) bool {
	if m.Equal(that) {
		return true
	}
	a, knownA, errA := m.Parse()
	b, knownB, errB := that.Parse()
	return knownA && knownB && errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// Type is ManifestType.
func (m Manifest) Type(context.Context) attr.Type { return ManifestType{} }

// Equal compares form and spelling exactly; SameAs compares by meaning.
func (m Manifest) Equal(other attr.Value) bool {
	that, ok := other.(Manifest)
	return ok && m.DynamicValue.Equal(that.DynamicValue)
}

// DynamicSemanticEquals lets the framework keep the prior spelling of an equal manifest.
func (m Manifest) DynamicSemanticEquals(_ context.Context, other basetypes.DynamicValuable) (bool, diag.Diagnostics) {
	that, ok := other.(Manifest)
	return ok && m.SameAs(that), nil
}

// ValidateAttribute refuses what is not exactly one Kubernetes object.
func (m Manifest) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if _, _, err := m.Parse(); err != nil {
		resp.Diagnostics.AddAttributeError(req.Path, "Invalid manifest", err.Error()+".")
	}
}

// ManifestType is the CustomType of a manifest, a dynamic attribute at the top level.
type ManifestType struct{ basetypes.DynamicType }

// Equal is true for another ManifestType only.
func (t ManifestType) Equal(other attr.Type) bool {
	_, ok := other.(ManifestType)
	return ok
}

// String names the type.
func (t ManifestType) String() string { return "tf.Manifest" }

// ValueType tells the framework which Go type to expect.
func (t ManifestType) ValueType(context.Context) attr.Value { return Manifest{} }

// ValueFromDynamic takes the framework's plain dynamic value.
func (t ManifestType) ValueFromDynamic(_ context.Context, in basetypes.DynamicValue) (basetypes.DynamicValuable, diag.Diagnostics) {
	return Manifest{in}, nil
}

// ValueFromTerraform reads the value on the wire.
func (t ManifestType) ValueFromTerraform(ctx context.Context, in tftypes.Value) (attr.Value, error) {
	v, err := t.DynamicType.ValueFromTerraform(ctx, in)
	if err != nil {
		return nil, err
	}
	return Manifest{v.(basetypes.DynamicValue)}, nil //nolint:forcetypeassert // That is what the plain type returns.
}
