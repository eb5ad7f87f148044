package composite

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

func TestAForeignSecretIsImportedWithoutTheCopyThatKubectlKeeps(t *testing.T) {
	x := &instance{provider: &Provider{FieldManager: DefaultFieldManager}, kind: "manifest", record: newRecord()}
	live := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{
		"name": "s", "uid": "1", "annotations": map[string]any{lastApplied: `{"data":{"k":"Y2FuYXJ5"}}`},
	}}}
	out := x.importable(Live{live})
	if metadata := asMap(out[0].Object["metadata"]); len(metadata) != 1 {
		t.Errorf("metadata became %v", metadata)
	}
	if live.GetAnnotations()[lastApplied] == "" {
		t.Error("the object that was found was changed")
	}
}

func TestManifestsShowNoDataOfASecret(t *testing.T) {
	o := RawObject(api.Kind{Version: "v1", Kind: "Secret"}, "team", "s", map[string]any{
		"data": map[string]any{"k": "Y2FuYXJ5"}, "stringData": map[string]any{"l": "canary"},
	})
	text := show([]Object{o})[o.String()]
	if strings.Contains(text, "canary") || strings.Contains(text, "Y2FuYXJ5") || strings.Count(text, "(sensitive)") != 2 {
		t.Errorf("shown as:\n%s", text)
	}
	if asMap(o.Content["data"])["k"] != "Y2FuYXJ5" {
		t.Error("the object itself was changed")
	}
}
