package manifest_test

import (
	"fmt"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
)

func TestAccDefaultLabelsAreChangedInPlace(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", `labels = { team = "vision" }`)
	s.block = s.api.ProviderBlock(`default_labels = { site = "quebec", team = "all" }`)
	s.now(t, "{replicas: 2}", `labels = { team = "vision" }`)
	s.Apply(t)
	uid := s.live(t, "metadata", "uid")
	equal(t, "default label", s.live(t, "metadata", "labels", "site"), "quebec")
	equal(t, "own label", s.live(t, "metadata", "labels", "team"), "vision")

	s.block = s.api.ProviderBlock(`default_labels = { cost = "42" }`)
	s.now(t, "{replicas: 2}", `labels = { team = "vision" }`)
	changes(t, s.Workdir, map[string]string{address: "update"})
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "new label", s.live(t, "metadata", "labels", "cost"), "42")
	equal(t, "old label", s.live(t, "metadata", "labels", "site"), any(nil))
	equal(t, "uid", s.live(t, "metadata", "uid"), uid)
	equal(t, "effective labels", fmt.Sprint(s.State(t)[address].Values["effective_labels"]), "map[cost:42 team:vision]")
}

func TestAccPlanManifestsIsSwitchedWithoutTouchingObjects(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	version := s.live(t, "metadata", "resourceVersion")
	s.block = s.api.ProviderBlock("plan_manifests = true")
	s.now(t, "{replicas: 2}")
	s.Apply(t)
	unchanged(t, s.Workdir)
	manifests, _ := s.State(t)[address].Values["manifests"].(map[string]any)
	if len(manifests) != 1 {
		t.Errorf("manifests: %v", manifests)
	}
	s.block = s.api.ProviderBlock()
	s.now(t, "{replicas: 2}")
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "manifests", s.State(t)[address].Values["manifests"], any(nil))
	equal(t, "resource version", s.live(t, "metadata", "resourceVersion"), version)
}

func TestAccAFieldLeftOutIsGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, image: a, ports: [{name: http, port: 80}, {name: https, port: 443}]}")
	s.Apply(t)
	s.now(t, "{replicas: 2, ports: [{name: https, port: 443}]}")
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "image", s.live(t, "spec", "image"), any(nil))
	equal(t, "ports", fmt.Sprint(s.live(t, "spec", "ports")), "[map[name:https port:443]]")
}

func TestAccAnotherNameMakesAnotherObject(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	s.Configure(t, s.block+manifest("x", widget(s.namespace, "v", "{replicas: 2}")))
	changes(t, s.Workdir, map[string]string{address: "delete,create"})
	s.Apply(t)
	if s.api.Find(t, s.key) != nil || s.api.Find(t, widgetKey(s.namespace, "v")) == nil {
		t.Error("the old object is there, or the new one is not")
	}
}

func TestAccAManifestThatIsNotKnownYetIsPlannedInPlace(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	text := func(size int, name string) string {
		return api.ProviderBlock() + fmt.Sprintf(`
resource "terraform_data" "size" { triggers_replace = %d }
resource "k0smos_manifest" "x" {
  manifest = yamlencode({
    apiVersion = "acctest.k0smos.io/v1", kind = "Widget", metadata = { name = %q, namespace = %q }
    spec = { replicas = %d, image = terraform_data.size.id }
  })
}
`, size, name, namespace, size)
	}
	w := cli.New(t, text(1, "w"))
	w.Apply(t)
	unchanged(t, w)
	uid := api.Get(t, widgetKey(namespace, "w")).GetUID()
	w.Configure(t, text(2, "w"))
	w.Apply(t)
	unchanged(t, w)
	equal(t, "uid", api.Get(t, widgetKey(namespace, "w")).GetUID(), uid)

	t.Run("and never moves to another object", func(t *testing.T) {
		w.Configure(t, text(3, "other"))
		w.TryApply(t).Failed(t)
		kept(t, w)
		equal(t, "uid", api.Get(t, widgetKey(namespace, "w")).GetUID(), uid)
		if api.Find(t, widgetKey(namespace, "other")) != nil {
			t.Error("another object was made")
		}
	})
}

func TestAccAnObjectIsWrittenAsTextOrAsAnObject(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, args: [a], ports: [{name: http, port: 80}]}")
	s.Apply(t)
	version := s.live(t, "metadata", "resourceVersion")
	s.Configure(t, s.block+fmt.Sprintf(`
resource "k0smos_manifest" "x" {
  manifest = {
    apiVersion = "acctest.k0smos.io/v1"
    kind       = "Widget"
    metadata   = { name = "w", namespace = %q }
    spec       = { replicas = 2, args = ["a"], ports = [{ name = "http", port = 80 }] }
  }
}
`, s.namespace))
	unchanged(t, s.Workdir)
	equal(t, "resource version", s.live(t, "metadata", "resourceVersion"), version)
}
