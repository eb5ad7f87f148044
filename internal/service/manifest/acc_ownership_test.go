package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
)

func TestAccACreateNeverAdoptsSilently(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{replicas: 2, image: theirs}"))
	before := s.api.Get(t, s.key)

	s.Plan(t).Says(t, "exists already", "another-tool")
	s.TryApply(t).Failed(t, "exists already", "another-tool", "terraform import", "adopt = true",
		fmt.Sprintf("acctest.k0smos.io/v1/Widget:%s/w", s.namespace))
	equal(t, "resource version", s.api.Get(t, s.key).GetResourceVersion(), before.GetResourceVersion())
	if len(s.State(t)) != 0 {
		t.Error("there is something in the state")
	}
}

func TestAccAdoptTakesOverTheDeclaredFieldsAndGivesThemBack(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", "adopt = true", `labels = { team = "vision" }`)
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{image: theirs}"))
	s.Plan(t).Worked(t, "Adopts", "another-tool")
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	equal(t, "label", s.live(t, "metadata", "labels", "team"), "vision")
	equal(t, "on_destroy", s.State(t)[address].Values["on_destroy"], "release")

	s.now(t, "{replicas: 3}", "adopt = true", `labels = { team = "vision" }`)
	s.Apply(t)
	unchanged(t, s.Workdir)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(3))

	s.Destroy(t)
	live := s.api.Get(t, s.key)
	equal(t, "image", field(live, "spec", "image"), "theirs")
	equal(t, "replicas", field(live, "spec", "replicas"), any(nil))
	equal(t, "label", field(live, "metadata", "labels", "team"), any(nil))
	for _, m := range live.GetManagedFields() {
		if strings.HasPrefix(m.Manager, "terraform-provider-k0smos") {
			t.Errorf("%s still manages %s", m.Manager, m.FieldsV1)
		}
	}
}

func TestAccTwoStatesAddDifferentFieldsToOneObject(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", "adopt = true")
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{tier: gold}"))
	other := cli.New(t, s.block+manifest("x", widget(s.namespace, "w", "{image: a}"), "adopt = true"))
	s.Apply(t)
	other.Apply(t)
	unchanged(t, s.Workdir)
	unchanged(t, other)
	other.Destroy(t)
	unchanged(t, s.Workdir)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	equal(t, "image", s.live(t, "spec", "image"), any(nil))
}

func TestAccObjectsOfOtherToolsAreRefusedByName(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		metadata string
		says     []string
	}{
		"a Helm release":         {"labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: prod}", []string{"Helm", "prod/web"}},
		"a Flux Kustomization":   {"labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}", []string{"Flux", "flux-system/apps"}},
		"a Flux HelmRelease":     {"labels: {helm.toolkit.fluxcd.io/name: web, helm.toolkit.fluxcd.io/namespace: prod}", []string{"Flux", "HelmRelease prod/web"}},
		"k0rdent's kcm":          {`labels: {k0rdent.mirantis.com/managed: "true"}`, []string{"kcm"}},
		"an Argo CD Application": {`annotations: {argocd.argoproj.io/tracking-id: "web:acctest.k0smos.io/Widget:x/w"}`, []string{"Argo CD", "web"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := start(t, "{replicas: 2}", "adopt = true")
			s.api.ApplyAs(t, "another-tool", fmt.Sprintf("apiVersion: acctest.k0smos.io/v1\nkind: Widget\nmetadata: {name: w, namespace: %s, %s}\nspec: {image: theirs}", s.namespace, test.metadata))
			s.TryApply(t).Failed(t, test.says...)
			equal(t, "replicas", s.live(t, "spec", "replicas"), any(nil))
		})
	}
}

func TestAccAnotherToolIsNamedBeforeTheFieldsItDeclares(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", "adopt = true")
	s.api.ApplyAs(t, "kustomize-controller", fmt.Sprintf("apiVersion: acctest.k0smos.io/v1\nkind: Widget\nmetadata: {name: w, namespace: %s, labels: {kustomize.toolkit.fluxcd.io/name: apps, kustomize.toolkit.fluxcd.io/namespace: flux-system}}\nspec: {replicas: 7}", s.namespace))
	s.TryApply(t).Failed(t, "Flux", "flux-system/apps")
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(7))
}

func TestAccTwoStatesOnOneObjectAreFoundOut(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	ours := s.live(t, "metadata", "annotations", owner)

	second := cli.New(t, s.block+manifest("x", widget(s.namespace, "w", "{replicas: 3}")))
	second.TryApply(t).Failed(t, "exists already", fmt.Sprint(ours))
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	unchanged(t, s.Workdir)

	t.Run("a state that takes the object over is told to the first", func(t *testing.T) {
		second.Configure(t, s.block+manifest("x", widget(s.namespace, "w", "{replicas: 2, image: a}"), "adopt = true", `on_destroy = "delete"`))
		second.Apply(t)
		unchanged(t, second)
		plan := s.Plan(t)
		plan.Failed(t, "belongs to another state")
		kept(t, s.Workdir)
		equal(t, "image", s.live(t, "spec", "image"), "a")
	})
	t.Run("the first state's destroy leaves it alone", func(t *testing.T) {
		// With a refresh, the plan that a destroy begins with is refused as above.
		s.Must(t, "destroy", "-refresh=false", "-auto-approve", "-no-color")
		equal(t, "image", s.live(t, "spec", "image"), "a")
		unchanged(t, second)
	})
}

func TestAccAdoptTakesOverFromAnotherStateWithOtherValues(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	second := cli.New(t, s.block+manifest("x", widget(s.namespace, "w", "{replicas: 3}"), "adopt = true", `on_destroy = "delete"`))
	second.Apply(t)
	unchanged(t, second)
	s.Plan(t).Failed(t, "belongs to another state")
}

func TestAccTwoResourcesOfOneConfigurationCannotShareAnObject(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Configure(t, s.text("{replicas: 2}")+manifest("y", widget(s.namespace, "w", "{image: a}"), "depends_on = [k0smos_manifest.x]"))
	s.TryApply(t).Failed(t, "exists already")
	kept(t, s.Workdir)
	equal(t, "image", s.live(t, "spec", "image"), any(nil))
}

func TestAccReleaseLeavesTheObject(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", `on_destroy = "release"`)
	s.Apply(t)
	unchanged(t, s.Workdir)
	s.Destroy(t)
	live := s.api.Get(t, s.key)
	equal(t, "replicas", field(live, "spec", "replicas"), int64(2))
	if len(live.GetAnnotations())+len(live.GetLabels()) > 0 {
		t.Errorf("marks are left: %v %v", live.GetAnnotations(), live.GetLabels())
	}
	if acctest.Manages(live, manager, metav1.ManagedFieldsOperationApply) {
		t.Error("it is still managed")
	}
	t.Run("and another state can then have it", func(t *testing.T) {
		other := cli.New(t, s.block+manifest("x", widget(s.namespace, "w", "{replicas: 4}"), "adopt = true", `on_destroy = "delete"`))
		other.Apply(t)
		unchanged(t, other)
		other.Destroy(t)
		s.api.AwaitGone(t, s.key)
	})
}

func TestAccAnObjectThatBecameAnothersIsNotDeleted(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	s.api.Delete(t, s.key)
	s.api.AwaitGone(t, s.key)
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{image: theirs}"))
	result := s.TryDestroy(t)
	if s.api.Find(t, s.key) == nil {
		t.Errorf("an object that somebody else made was deleted:\n%s", result.Output)
	}
}
