// Package compositetest holds the tests that every resource passes, so that a service states its cases and nothing else.
package compositetest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Schema tests that the schema of a kind is one that the framework accepts, that it and the model have the same
// attributes, and that each attribute is described.
func Schema[M any](t *testing.T, kind composite.Kind[M]) {
	t.Helper()
	s := composite.FullSchema(t.Context(), kind)
	for _, d := range s.ValidateImplementation(t.Context()) {
		t.Errorf("%s: %s: %s", kind.Name, d.Summary(), d.Detail())
	}
	attributes := maps.Clone(s.Attributes)
	for name, block := range s.Blocks { // In the model a block is an attribute like any other.
		object, ok := block.Type().(basetypes.ObjectTypable)
		if !ok {
			t.Errorf("%s: block %s is no single object", kind.Name, name)
			continue
		}
		attributes[name] = schema.ObjectAttribute{CustomType: object}
	}
	for _, wrong := range tf.Parity[M](t.Context(), attributes) {
		t.Errorf("%s: %s", kind.Name, wrong)
	}
	for _, bare := range Undescribed(s.Attributes) {
		t.Errorf("%s: %s has no description", kind.Name, bare)
	}
	if s.MarkdownDescription == "" {
		t.Errorf("%s has no description", kind.Name)
	}
}

// Undescribed lists the attributes, nested ones included, that say nothing about themselves.
func Undescribed(attributes map[string]schema.Attribute) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		if attributes[name].GetMarkdownDescription() == "" {
			out = append(out, name)
		}
		if nested, ok := attributes[name].(schema.NestedAttribute); ok {
			inner := map[string]schema.Attribute{}
			for k, a := range nested.GetNestedObject().GetAttributes() {
				inner[k], _ = a.(schema.Attribute)
			}
			for _, below := range Undescribed(inner) {
				out = append(out, name+"."+below)
			}
		}
	}
	return out
}

// Null is a model of a kind with nothing in it.
func Null[M any](kind composite.Kind[M]) M {
	ctx := context.Background()
	return tf.NullOf[M](ctx, composite.FullSchema(ctx, kind).Type())
}
