package manifest_test

import (
	"fmt"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
)

// Two pages of a LIST. `make bench` counts with 1,000 and 5,000 objects.
func TestAccManyObjectsAreReadInAFewRequests(t *testing.T) {
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	const n = 600
	w := cli.New(t, api.ProviderBlock()+fmt.Sprintf(`
resource "k0smos_manifest" "x" {
  for_each = { for i in range(%d) : format("w%%04d", i) => i }
  manifest = <<-YAML
    apiVersion: acctest.k0smos.io/v1
    kind: Widget
    metadata: {name: ${each.key}, namespace: %s}
    spec: {replicas: ${each.value %% 100}}
  YAML
}
`, n, namespace))
	counted := func(do func()) map[string]int {
		before := api.Served(t)
		do()
		after := api.Served(t)
		out := map[string]int{}
		for _, verb := range []string{"GET", "LIST", "APPLY", "DELETE", "WATCH", "POST", "PATCH"} {
			key := verb + " widgets.acctest.k0smos.io"
			out[verb] = after[key] - before[key]
		}
		return out
	}
	created := counted(func() { w.Apply(t) })
	if total := created["GET"] + created["LIST"] + created["APPLY"] + created["WATCH"] + created["POST"] + created["PATCH"]; created["APPLY"] != n || total > 2*n {
		t.Errorf("the create of %d objects took %v", n, created)
	}
	refreshed := counted(func() { w.Plan(t).Worked(t, "No changes") })
	if total := refreshed["GET"] + refreshed["LIST"]; total > 5 || refreshed["WATCH"]+refreshed["APPLY"] > 0 {
		t.Errorf("the refresh of %d objects took %v", n, refreshed)
	}
}

func TestAccOneOfManyThatIsGoneIsFound(t *testing.T) {
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	text := api.ProviderBlock()
	for i := range 6 {
		text += manifest(fmt.Sprintf("w%d", i), widget(namespace, fmt.Sprintf("w%d", i), "{replicas: 1}"))
	}
	w := cli.New(t, text)
	w.Apply(t)
	api.Delete(t, widgetKey(namespace, "w3"))
	changes(t, w, map[string]string{"k0smos_manifest.w3": "create"})
	t.Run("but one without the label is not taken for gone", func(t *testing.T) {
		w.Apply(t)
		api.EditAs(t, "kubectl-label", widgetKey(namespace, "w4"), func(o map[string]any) {
			delete(o["metadata"].(map[string]any), "labels") //nolint:forcetypeassert // applied so
		})
		changes(t, w, map[string]string{"k0smos_manifest.w4": "update"})
		w.Apply(t)
		unchanged(t, w)
	})
}
