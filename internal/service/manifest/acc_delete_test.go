package manifest_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// hold puts a finalizer on the Widget that nothing takes away but letGo, or the end of the test.
func (s *setup) hold(t *testing.T) {
	t.Helper()
	s.api.EditAs(t, "controller", s.key, set([]any{"example.com/hold"}, "metadata", "finalizers"))
	t.Cleanup(func() { s.letGo(t) })
}

func (s *setup) letGo(t *testing.T) {
	t.Helper()
	if s.api.Find(t, s.key) != nil {
		s.api.EditAs(t, "controller", s.key, set([]any{}, "metadata", "finalizers"))
	}
}

func TestAccAFinalizerThatNeverLeavesIsExplained(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", timeout("delete", "3s"))
	s.Apply(t)
	s.api.EditStatusAs(t, "controller", s.key, map[string]any{"conditions": []any{
		map[string]any{"type": "Deleting", "status": "True", "reason": "VolumesAttached", "message": "two volumes are attached"},
	}})
	s.hold(t)
	s.api.ApplyAs(t, "acctest", fmt.Sprintf(`apiVersion: v1
kind: Event
metadata: {name: w.1, namespace: %s}
involvedObject: {apiVersion: acctest.k0smos.io/v1, kind: Widget, name: w, namespace: %s, uid: %s}
type: Warning
reason: FailedDetach
message: the storage does not answer
count: 3
firstTimestamp: "2026-01-01T00:00:00Z"
lastTimestamp: "2026-01-01T00:00:00Z"`, s.namespace, s.namespace, s.live(t, "metadata", "uid")))
	s.TryDestroy(t).Failed(t, "example.com/hold", "VolumesAttached", "FailedDetach", "kubectl describe widgets.acctest.k0smos.io w --namespace "+s.namespace)
	kept(t, s.Workdir)
	t.Run("and waiting goes on with the next destroy", func(t *testing.T) {
		s.letGo(t)
		s.Destroy(t)
		s.api.AwaitGone(t, s.key)
	})
}

func TestAccAnApplyOntoAnObjectThatIsBeingDeletedWaitsForItsEnd(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{image: theirs}"))
	s.hold(t)
	s.api.Delete(t, s.key)
	old := s.live(t, "metadata", "uid")
	run := s.StartApply(t)
	acctest.Eventually(t, "the apply waits", func() bool { return over(run) || s.proxy.OpenWatches() > 0 })
	s.letGo(t)
	run.Wait().Worked(t)
	if s.live(t, "metadata", "uid") == old || s.live(t, "spec", "image") != nil {
		t.Error("the old object was taken over")
	}
	unchanged(t, s.Workdir)
}

func TestAccANamespaceThatIsTerminating(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}", "create_namespace = true", timeout("create", "60s"))
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "v", "{}"))
	held := widgetKey(s.namespace, "v")
	s.api.EditAs(t, "controller", held, set([]any{"example.com/hold"}, "metadata", "finalizers"))
	space := kube.Key{Kind: acctest.Namespaces, Name: s.namespace}
	s.api.Delete(t, space)
	free := func() {
		if s.api.Find(t, held) != nil {
			s.api.EditAs(t, "controller", held, set([]any{}, "metadata", "finalizers"))
		}
	}
	t.Cleanup(free)

	t.Run("is an error when it stays so", func(t *testing.T) {
		s.now(t, "{replicas: 2}", timeout("create", "3s"))
		s.TryApply(t).Failed(t, "is being deleted", "kubectl get namespace "+s.namespace)
		if len(s.State(t)) != 0 {
			t.Error("there is something in the state")
		}
	})
	t.Run("is made again once it is gone", func(t *testing.T) {
		s.now(t, "{replicas: 2}", "create_namespace = true", timeout("create", "60s"))
		old := s.api.Get(t, space).GetUID()
		run := s.StartApply(t)
		free()
		run.Wait().Worked(t)
		if s.api.Get(t, space).GetUID() == old {
			t.Error("it is the old namespace")
		}
		unchanged(t, s.Workdir)
	})
	t.Run("and is removed with the last object in it", func(t *testing.T) {
		s.Destroy(t)
		s.api.AwaitGone(t, space)
	})
}

func TestAccANamespaceThatOthersUseIsNotRemoved(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	name := api.Namespace(t) + "-made"
	space := kube.Key{Kind: acctest.Namespaces, Name: name}
	t.Cleanup(func() { api.Delete(t, space) })
	w := cli.New(t, api.ProviderBlock()+manifest("x", widget(name, "w", "{}"), "create_namespace = true"))
	w.Apply(t)
	api.ApplyAs(t, "another-tool", widget(name, "theirs", "{}"))
	w.Destroy(t)
	if live := api.Get(t, space); live.GetDeletionTimestamp() != nil {
		t.Error("the namespace is being deleted, with what others have in it")
	}
}

func TestAccAMissingNamespaceSaysWhatToDo(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	w := cli.New(t, api.ProviderBlock()+manifest("x", widget("no-such-namespace", "w", "{}")))
	w.Plan(t).Worked(t, "1 to add", "Planned without")
	w.TryApply(t).Failed(t, "no-such-namespace", "create_namespace = true")
}

func TestAccADeletionWaitsInTheForegroundForWhatDepends(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2}")
	s.Apply(t)
	s.api.ApplyAs(t, "controller", fmt.Sprintf(`apiVersion: acctest.k0smos.io/v1
kind: Widget
metadata:
  name: part
  namespace: %s
  finalizers: [example.com/hold]
  ownerReferences: [{apiVersion: acctest.k0smos.io/v1, kind: Widget, name: w, uid: %s, blockOwnerDeletion: true}]`, s.namespace, s.live(t, "metadata", "uid")))
	part := widgetKey(s.namespace, "part")
	run := s.Start(t, "destroy", "-auto-approve", "-no-color")
	acctest.Eventually(t, "the part is being deleted", func() bool { return over(run) || s.api.Get(t, part).GetDeletionTimestamp() != nil })
	if over(run) {
		t.Fatalf("the destroy did not wait:\n%s", run.Wait().Output)
	}
	// A watch that breaks while it waits is taken up again.
	acctest.Eventually(t, "the destroy waits", func() bool { return over(run) || s.proxy.OpenWatches() > 0 })
	s.proxy.CutWatches()
	s.api.EditAs(t, "controller", part, set([]any{}, "metadata", "finalizers"))
	run.Wait().Worked(t)
	s.api.AwaitGone(t, s.key)
	if n := len(s.proxy.Matching(onWidgets("watch", faultproxy.DryOrReal))); n < 2 {
		t.Errorf("%d watches", n)
	}
}

func crdKey(name string) kube.Key { return kube.Key{Kind: acctest.CRDs, Name: name} }

// definition is the YAML of a CRD.
func definition(group, plural, kind string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[2]s.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: %[3]s, plural: %[2]s}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {teeth: {type: integer}}}}}}`, group, plural, kind)
}

func condition(live *unstructured.Unstructured, name string) string {
	list, _, _ := unstructured.NestedSlice(live.Object, "status", "conditions")
	for _, item := range list {
		if c, ok := item.(map[string]any); ok && c["type"] == name {
			return fmt.Sprint(c["status"])
		}
	}
	return ""
}
