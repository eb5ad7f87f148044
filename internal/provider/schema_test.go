package provider

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Every plan loads the schema, so its size is part of how long the provider takes to start.
const largestSchema = 300_000

func TestTheSchemaIsDescribedThroughoutAndSmall(t *testing.T) {
	server, err := providerserver.NewProtocol6WithError(New("test")())()
	if err != nil {
		t.Fatal(err)
	}
	all, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all.Diagnostics {
		t.Errorf("%s: %s", d.Summary, d.Detail)
	}
	wire, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	if len(wire) > largestSchema {
		t.Errorf("the schema has %d bytes of JSON, and may have %d", len(wire), largestSchema)
	}
	described := func(noun string, schemas map[string]*tfprotov6.Schema) {
		for _, name := range slices.Sorted(maps.Keys(schemas)) {
			inBlock(t, noun+" "+name, schemas[name].Block)
		}
	}
	described("provider", map[string]*tfprotov6.Schema{"k0smos": all.Provider})
	described("resource", all.ResourceSchemas)
	described("data source", all.DataSourceSchemas)
	described("ephemeral resource", all.EphemeralResourceSchemas)
	if len(all.ResourceSchemas) == 0 {
		t.Error("there are no resources")
	}
	for _, name := range slices.Sorted(maps.Keys(all.Functions)) {
		if all.Functions[name].Description == "" {
			t.Errorf("function %s is not described", name)
		}
	}
}

func inBlock(t *testing.T, at string, block *tfprotov6.SchemaBlock) {
	t.Helper()
	inAttributes(t, at, block.Attributes)
	for _, inner := range block.BlockTypes {
		inBlock(t, at+"."+inner.TypeName, inner.Block)
	}
}

func inAttributes(t *testing.T, at string, attributes []*tfprotov6.SchemaAttribute) {
	t.Helper()
	for _, a := range attributes {
		here := at + "." + a.Name
		if a.Description == "" {
			t.Errorf("%s is not described", here)
		}
		if a.Description != "" && a.DescriptionKind != tfprotov6.StringKindMarkdown && !inTimeouts(at) {
			t.Errorf("%s is not described in Markdown", here)
		}
		if a.NestedType != nil {
			inAttributes(t, here, a.NestedType.Attributes)
		}
	}
}

// inTimeouts tells the one block whose texts come from a library.
func inTimeouts(at string) bool { return strings.HasSuffix(at, ".timeouts") }
