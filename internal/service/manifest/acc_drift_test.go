package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

func TestAccAFieldChangedByHandIsShownAndTakenBack(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, image: a, args: [x, z]}")
	s.Apply(t)
	s.api.EditAs(t, "kubectl-edit", s.key, set(int64(5), "spec", "replicas"))
	s.api.EditAs(t, "a-script", s.key, set("theirs", "spec", "selector", "app"))
	s.Plan(t).Worked(t, "1 to change", "kubectl-edit", "spec.replicas")
	s.Apply(t)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	equal(t, "what the script added", s.live(t, "spec", "selector", "app"), "theirs")
	unchanged(t, s.Workdir)
}

func TestAccAFieldRemovedByHandComesBack(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, args: [x, z]}")
	s.Apply(t)
	s.api.EditAs(t, "kubectl-edit", s.key, func(o map[string]any) { delete(o["spec"].(map[string]any), "args") }) //nolint:forcetypeassert // applied so
	changes(t, s.Workdir, map[string]string{address: "update"})
	s.Apply(t)
	equal(t, "args", fmt.Sprint(s.live(t, "spec", "args")), "[x z]")
	unchanged(t, s.Workdir)
}

func TestAccWhatOthersAddIsInvisible(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, ports: [{name: http, port: 80}], tags: [a]}", `labels = { team = "vision" }`)
	s.Apply(t)
	meddling := map[string]func(){
		"an annotation of a controller": func() {
			s.api.EditAs(t, "controller", s.key, set("1", "metadata", "annotations", "controller/revision"))
		},
		"a label": func() { s.api.EditAs(t, "controller", s.key, set("yes", "metadata", "labels", "seen")) },
		"a finalizer": func() {
			s.api.EditAs(t, "controller", s.key, set([]any{"example.com/hold"}, "metadata", "finalizers"))
			t.Cleanup(func() {
				if s.api.Find(t, s.key) != nil {
					s.api.EditAs(t, "controller", s.key, set([]any{}, "metadata", "finalizers"))
				}
			})
		},
		"the status":          func() { s.api.EditStatusAs(t, "controller", s.key, map[string]any{"phase": "Ready"}) },
		"a field of the spec": func() { s.api.EditAs(t, "controller", s.key, set("x", "spec", "image")) },
		"an entry of a keyed list": func() {
			s.api.ApplyAs(t, "sidecar", widget(s.namespace, "w", "{ports: [{name: metrics, port: 9090}]}"))
		},
		"an entry of a set": func() {
			s.api.ApplyAs(t, "sidecar", widget(s.namespace, "w", "{tags: [b], ports: [{name: metrics, port: 9090}]}"))
		},
	}
	for name, meddle := range meddling {
		t.Run(name, func(t *testing.T) {
			meddle()
			unchanged(t, s.Workdir)
		})
	}
	t.Run("an update keeps all of it", func(t *testing.T) {
		s.now(t, "{replicas: 3, ports: [{name: http, port: 80}], tags: [a]}", `labels = { team = "vision" }`)
		s.Apply(t)
		unchanged(t, s.Workdir)
		equal(t, "image", s.live(t, "spec", "image"), "x")
		equal(t, "label", s.live(t, "metadata", "labels", "seen"), "yes")
		if ports, ok := s.live(t, "spec", "ports").([]any); !ok || len(ports) != 2 {
			t.Errorf("ports: %v", ports)
		}
	})
}

func TestAccAFieldThatAnotherToolDeclaresIsAConflict(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2, image: a}")
	s.Apply(t)
	s.api.ApplyAs(t, "argocd-controller", widget(s.namespace, "w", "{replicas: 5}"))
	s.Plan(t).Failed(t, "argocd-controller", "spec.replicas", "force_conflicts", `in resource "k0smos_manifest" "x"`)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(5))
	kept(t, s.Workdir)

	t.Run("leaving it out ends the conflict", func(t *testing.T) {
		s.now(t, "{image: b}")
		s.Apply(t)
		unchanged(t, s.Workdir)
		equal(t, "replicas", s.live(t, "spec", "replicas"), int64(5))
	})
	t.Run("declaring it again is a conflict", func(t *testing.T) {
		s.now(t, "{image: b, replicas: 2}")
		s.Plan(t).Failed(t, "argocd-controller", "spec.replicas")
	})
	t.Run("force_conflicts takes it", func(t *testing.T) {
		s.block = s.api.ProviderBlock("force_conflicts = true")
		s.now(t, "{image: b, replicas: 2}")
		s.Apply(t)
		unchanged(t, s.Workdir)
		equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
		if acctest.Manages(s.api.Get(t, s.key), "argocd-controller", metav1.ManagedFieldsOperationApply) {
			t.Error("the other tool still holds the field")
		}
	})
}

func TestAccDriftOfFreeFormFieldsShowsNoValues(t *testing.T) {
	t.Parallel()
	s := start(t, `{free: {password: "canary-one"}, replicas: 1}`)
	s.Apply(t)
	s.api.EditAs(t, "kubectl-edit", s.key, set("canary-two", "spec", "free", "password"))
	s.api.EditAs(t, "kubectl-edit", s.key, set(int64(9), "spec", "replicas"))
	drift := fmt.Sprint(s.refreshed(t).Values["drift"])
	if strings.Contains(drift, "canary-") {
		t.Errorf("drift shows a value: %s", drift)
	}
}

func TestAccADeletedObjectIsMadeAgain(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	t.Run("deleted before the plan", func(t *testing.T) {
		s.Apply(t)
		s.api.Delete(t, s.key)
		changes(t, s.Workdir, map[string]string{address: "create"})
		s.Apply(t)
		equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	})
	t.Run("deleted between plan and apply", func(t *testing.T) {
		s.now(t, "{replicas: 3}")
		file := s.PlanFile(t)
		s.api.Delete(t, s.key)
		s.Apply(t, file)
		equal(t, "replicas", s.live(t, "spec", "replicas"), int64(3))
		unchanged(t, s.Workdir)
	})
	t.Run("deleted between the plan of a destroy and its apply", func(t *testing.T) {
		s.Must(t, "plan", "-destroy", "-out=destroy.plan")
		s.api.Delete(t, s.key)
		s.Apply(t, "destroy.plan")
		if len(s.State(t)) != 0 {
			t.Error("there is something in the state")
		}
	})
}
