package kubeconfig_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

// remindsOfTheEnd opens a token over the provider's protocol, as a run does that then lasts until the token's end.
func remindsOfTheEnd(t *testing.T, kubeconfig, namespace, name string) {
	t.Helper()
	server, err := acctest.Providers()["k0smos"]()
	if err != nil {
		t.Fatal(err)
	}
	schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{
		Config: object(t, schemas.Provider.ValueType(), map[string]any{"config_path": kubeconfig}),
	})
	if err != nil {
		t.Fatal(err)
	}
	const kind = "k0smos_kubeconfig"
	opened, err := server.OpenEphemeralResource(t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: kind,
		Config: object(t, schemas.EphemeralResourceSchemas[kind].ValueType(), map[string]any{
			"cluster":         map[string]any{"namespace": namespace, "name": name},
			"service_account": map[string]any{"namespace": "ci", "name": "deployer"},
		}),
	})
	if err != nil || len(opened.Diagnostics) > 0 {
		t.Fatalf("open: %v %v", err, opened.Diagnostics)
	}
	if left := time.Until(opened.RenewAt); left < 50*time.Minute || left > 55*time.Minute {
		t.Errorf("of an hour, the reminder comes after %s", left)
	}
	var private map[string][]byte
	if err := json.Unmarshal(opened.Private, &private); err != nil {
		t.Fatal(err)
	}
	if note := string(private["lease"]); len(private) != 1 || strings.Contains(note, "eyJ") || !strings.Contains(note, "ci/deployer") {
		t.Errorf("private data: %s", note)
	}
	renewed, err := server.RenewEphemeralResource(t.Context(), &tfprotov6.RenewEphemeralResourceRequest{TypeName: kind, Private: opened.Private})
	if err != nil || len(renewed.Diagnostics) != 1 {
		t.Fatalf("renew: %v %v", err, renewed.Diagnostics)
	}
	if d := renewed.Diagnostics[0]; d.Severity != tfprotov6.DiagnosticSeverityWarning || !strings.Contains(d.Summary, "ci/deployer ends soon") {
		t.Errorf("it says: %s: %s", d.Summary, d.Detail)
	}
	if !renewed.RenewAt.IsZero() {
		t.Errorf("it wants to be renewed again at %s", renewed.RenewAt)
	}
}

// object is a configuration of the given type in which only some attributes are set.
func object(t *testing.T, of tftypes.Type, set map[string]any) *tfprotov6.DynamicValue {
	t.Helper()
	value, err := tfprotov6.NewDynamicValue(of, valueOf(t, of, set))
	if err != nil {
		t.Fatal(err)
	}
	return &value
}

func valueOf(t *testing.T, of tftypes.Type, set any) tftypes.Value {
	t.Helper()
	fields, ok := set.(map[string]any)
	if !ok {
		return tftypes.NewValue(of, set)
	}
	all, ok := of.(tftypes.Object)
	if !ok {
		t.Fatalf("%s is no object", of)
	}
	values := map[string]tftypes.Value{}
	for name, typ := range all.AttributeTypes {
		values[name] = valueOf(t, typ, fields[name])
	}
	return tftypes.NewValue(of, values)
}
