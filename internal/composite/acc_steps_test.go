package composite_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// widget is a Widget that the test made, not the resource.
type widget struct {
	Metadata struct {
		Name              string            `json:"name"`
		UID               string            `json:"uid"`
		ResourceVersion   string            `json:"resourceVersion"`
		DeletionTimestamp *string           `json:"deletionTimestamp"`
		Annotations       map[string]string `json:"annotations"`
	} `json:"metadata"`
}

// others selects the Widgets that the test made.
func (b *bench) others(composite.Live) []composite.Query {
	return []composite.Query{{Kind: api.Kind(acctest.Widgets), Namespace: b.namespace, Selector: "made-by=test"}}
}

// widget makes such a Widget, with lines of metadata.
func (b *bench) widget(t *testing.T, name string, metadata ...string) {
	t.Helper()
	b.ApplyAs(t, "test", fmt.Sprintf("apiVersion: acctest.k0smos.io/v1\nkind: Widget\nmetadata: {%s}\nspec: {image: ready}\n",
		strings.Join(append([]string{"name: " + name, "namespace: " + b.namespace, "labels: {made-by: test}"}, metadata...), ", ")))
}

func (b *bench) ref(name string) composite.Ref {
	return composite.Ref{Kind: api.Kind(acctest.Widgets), Namespace: b.namespace, Name: name}
}

// retire marks each of the other Widgets, deletes those that are marked, and is done when none is left.
func (b *bench) retire() composite.Step {
	return composite.Step{Name: "retire old widgets", Look: b.others, Next: func(seen composite.Live) composite.Move {
		var move composite.Move
		all := composite.All[widget](seen, api.Kind(acctest.Widgets))
		for _, w := range all {
			switch {
			case w.Metadata.Annotations["retire"] == "":
				move.Patch = append(move.Patch, composite.Patch{Ref: b.ref(w.Metadata.Name), JSON: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"retire": "yes"}}]`)})
			case w.Metadata.DeletionTimestamp == nil:
				move.Delete = append(move.Delete, composite.Delete{Ref: b.ref(w.Metadata.Name), UID: w.Metadata.UID, ResourceVersion: w.Metadata.ResourceVersion})
			}
			move.Why = "widget " + w.Metadata.Name + " is still there"
		}
		move.Done = len(all) == 0
		return move
	}}
}

func (b *bench) size(t *testing.T) any {
	t.Helper()
	data, _ := b.Get(t, b.key(acctest.ConfigMaps, "x")).Object["data"].(map[string]any)
	return data["size"]
}

func TestAccStepsBeforeAnApplyAreResumedWhereTheyWereInterrupted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Before = func(*model, model) []composite.Step {
		return []composite.Step{b.retire()}
	}
	limit := "timeouts {\n update = \"5s\"\n }"
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: b.config("size = 1")},
			{
				PreConfig:   func() { b.widget(t, "old", "finalizers: ["+finalizer+"]") },
				Config:      b.config("size = 2", limit),
				ExpectError: saying("Not finished: retire old widgets", "ran out of time: widget old is still there", "Widget/"+b.namespace+"/old is being deleted, held by finalizers "+finalizer, "kubectl describe widget.acctest.k0smos.io old --namespace "+b.namespace, "the next apply goes on from there"),
			},
			{
				PreConfig: func() {
					equal(t, "size before the step is done", b.size(t), any("1"))
					equal(t, "mark", b.Get(t, b.key(acctest.Widgets, "old")).GetAnnotations()["retire"], "yes")
					b.EditAs(t, "test", b.key(acctest.Widgets, "old"), func(o map[string]any) {
						o["metadata"].(map[string]any)["finalizers"] = nil //nolint:forcetypeassert // every object has metadata
					})
				},
				Config:           b.config("size = 2", limit),
				ConfigPlanChecks: planned(inPlace()),
				Check: func(*terraform.State) error {
					equal(t, "size", b.size(t), any("2"))
					equal(t, "widgets that are left", b.there(t, "Widget/old"), "")
					return nil
				},
			},
		},
	})
}

func TestAccAStepThatChangesSomethingHasEverythingApplied(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	var taken atomic.Int32
	kind.Before = func(prior *model, _ model) []composite.Step {
		if prior == nil {
			return nil
		}
		return []composite.Step{{Name: "shrink", Next: func(composite.Live) composite.Move {
			taken.Add(1)
			return composite.Move{Done: true, Apply: []composite.Object{composite.RawObject(api.Kind(acctest.ConfigMaps), b.namespace, "a", map[string]any{"data": map[string]any{"value": "for now"}})}}
		}}}
	}
	var marks string
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: b.config("size = 1", parts("ConfigMap/a"), `labels = { team = "vision" }`), Check: func(*terraform.State) error {
				marks = fmt.Sprint(b.Get(t, b.key(acctest.ConfigMaps, "a")).GetAnnotations(), b.Get(t, b.key(acctest.ConfigMaps, "a")).GetLabels())
				return nil
			}},
			// Only x changes, so without the step a would not be applied.
			{Config: b.config("size = 2", parts("ConfigMap/a"), `labels = { team = "vision" }`), Check: func(*terraform.State) error {
				live := b.Get(t, b.key(acctest.ConfigMaps, "a"))
				data, _ := live.Object["data"].(map[string]any)
				equal(t, "value", data["value"], any("v"))
				equal(t, "labels and marks", fmt.Sprint(live.GetAnnotations(), live.GetLabels()), marks)
				for _, m := range live.GetManagedFields() {
					equal(t, "manager of "+live.GetName(), m.Manager, "engine:set")
				}
				return nil
			}},
		},
	})
	if taken.Load() == 0 {
		t.Error("the step was never taken")
	}
}

func TestAccAPatchThatDoesNotFitIsMadeAgainFromTheNews(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	var asked atomic.Int32
	kind.Before = func(*model, model) []composite.Step {
		return []composite.Step{{Name: "tag the widget", Look: b.others, Next: func(seen composite.Live) composite.Move {
			w, ok := composite.As[widget](seen, api.Kind(acctest.Widgets), "w")
			if !ok || w.Metadata.Annotations["tagged"] != "" {
				return composite.Move{Done: true}
			}
			if asked.Add(1) == 1 { // somebody else is faster
				b.EditAs(t, "somebody", b.key(acctest.Widgets, "w"), func(o map[string]any) {
					o["metadata"].(map[string]any)["annotations"] = map[string]any{"theirs": "kept"} //nolint:forcetypeassert // every object has metadata
				})
			}
			value := `{"tagged": "yes"}`
			if w.Metadata.Annotations["theirs"] != "" {
				value = `{"tagged": "yes", "theirs": "kept"}`
			}
			return composite.Move{Why: "it is not tagged", Patch: []composite.Patch{{Ref: b.ref("w"), JSON: []byte(
				`[{"op": "test", "path": "/metadata/resourceVersion", "value": "` + w.Metadata.ResourceVersion + `"}, {"op": "add", "path": "/metadata/annotations", "value": ` + value + `}]`)}}}
		}}}
	}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{{
			PreConfig: func() { b.widget(t, "w") },
			Config:    b.config(),
			Check: func(*terraform.State) error {
				marks := b.Get(t, b.key(acctest.Widgets, "w")).GetAnnotations()
				equal(t, "annotations", marks["tagged"]+" "+marks["theirs"], "yes kept")
				equal(t, "patches that were asked for", asked.Load(), int32(2))
				return nil
			},
		}},
	})
}

func TestAccAStepThatFailsEndsTheApplyAtOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Before = func(*model, model) []composite.Step {
		return []composite.Step{{Name: "release hosts gpu01", Next: func(composite.Live) composite.Move {
			return composite.Move{Failed: true, Why: "the pool is paused"}
		}}}
	}
	// The limit is the kind's ten minutes.
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{{
			Config:      b.config(),
			ExpectError: saying("Cannot release hosts gpu01", "the pool is paused.", "Waiting does not help"),
		}},
		CheckDestroy: func(*terraform.State) error {
			equal(t, "objects", b.there(t, "ConfigMap/x"), "")
			return nil
		},
	})
}

// leaving lets ConfigMaps go when no Widget of the test is left, and says Later until then.
func (b *bench) leaving(retires bool) func(model, composite.Ref) *composite.Step {
	return func(_ model, ref composite.Ref) *composite.Step {
		if ref.Kind.Kind != "ConfigMap" || ref.Name == "x" {
			return nil
		}
		step := composite.Step{Name: "wait until nobody uses " + ref.Name, Look: b.others, Next: func(seen composite.Live) composite.Move {
			users := composite.All[widget](seen, api.Kind(acctest.Widgets))
			if len(users) == 0 {
				return composite.Move{Done: true}
			}
			return composite.Move{Later: true, Why: "widget " + users[0].Metadata.Name + " still uses it"}
		}}
		if retires {
			step.Next = b.retire().Next
		}
		return &step
	}
}

func TestAccWhatCannotBePrunedYetIsPrunedByTheNextUpdate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Leaving = b.leaving(false)
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{PreConfig: func() { b.widget(t, "user") }, Config: b.config("size = 1", parts("ConfigMap/a", "ConfigMap/b"))},
			{
				Config: b.config("size = 1", parts("ConfigMap/b")), // the plan afterwards is empty, or this step fails
				Check: func(*terraform.State) error {
					equal(t, "parts while they are used", b.there(t, "ConfigMap/a", "ConfigMap/b"), "ConfigMap/a ConfigMap/b")
					b.talk.says(t, "apply", "warning: ConfigMap/"+b.namespace+"/a stays for now", "widget user still uses it.")
					return nil
				},
			},
			{
				PreConfig:        func() { b.Delete(t, b.key(acctest.Widgets, "user")); b.AwaitGone(t, b.key(acctest.Widgets, "user")) },
				Config:           b.config("size = 1", parts("ConfigMap/b")),
				ConfigPlanChecks: planned(plancheck.ExpectEmptyPlan()),
			},
			{
				Config: b.config("size = 2", parts("ConfigMap/b")),
				Check: func(*terraform.State) error {
					equal(t, "parts at last", b.there(t, "ConfigMap/a", "ConfigMap/b"), "ConfigMap/b")
					return nil
				},
			},
		},
	})
}

func TestAccADestroyTakesTheLastStepsOfEachObjectAndIsResumed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Leaving = b.leaving(true)
	config := b.config(parts("ConfigMap/a"), "timeouts {\n delete = \"5s\"\n }")
	var ends *ends
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: config},
			{
				PreConfig:   func() { b.widget(t, "user", "finalizers: ["+finalizer+"]") },
				Config:      config,
				Destroy:     true,
				ExpectError: saying("Not finished: wait until nobody uses a", "widget user is still there", "held by finalizers "+finalizer, "the next destroy goes on from there"),
			},
			{
				PreConfig: func() {
					equal(t, "parts while one is used", b.there(t, "ConfigMap/a", "ConfigMap/x"), "ConfigMap/a ConfigMap/x")
					ends = b.watchEnds(t)
				},
				Config:  config,
				Destroy: true,
			},
		},
	})
	ends.were(t, "Widget/user", "ConfigMap/a", "ConfigMap/x")
}

func TestAccReleaseTakesNoLastSteps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Leaving = b.leaving(false)
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{{
			PreConfig: func() { b.widget(t, "user") },
			Config:    b.config(parts("ConfigMap/a"), `on_destroy = "release"`),
		}},
		CheckDestroy: func(*terraform.State) error {
			equal(t, "parts after the release", b.there(t, "ConfigMap/a", "ConfigMap/x"), "ConfigMap/a ConfigMap/x")
			return nil
		},
	})
}

func TestAccStepsThatSettleBelongToTheWait(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Settle = func(*model, model) []composite.Step {
		return []composite.Step{{Name: "pass labels on", Look: b.others, Next: func(seen composite.Live) composite.Move {
			w, ok := composite.As[widget](seen, api.Kind(acctest.Widgets), "w")
			switch {
			case !ok:
				return composite.Move{Why: "widget w does not exist"}
			case w.Metadata.Annotations["passed"] != "":
				return composite.Move{Done: true}
			}
			return composite.Move{Patch: []composite.Patch{{Ref: b.ref("w"), JSON: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"passed": "on"}}]`)}}}
		}}}
	}
	limits := "timeouts {\n create = \"5s\"\n update = \"5s\"\n }"
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{
				Config: b.config("size = 1", parts("ConfigMap/old"), limits), ExpectNonEmptyPlan: true,
				Check: func(*terraform.State) error {
					b.talk.says(t, "apply", "warning: Not finished: pass labels on", "ran out of time: widget w does not exist", "not tainted", "resumes the wait in place")
					return nil
				},
			},
			{
				Config:      b.config("size = 1", limits),
				ExpectError: saying("Not finished: pass labels on", "widget w does not exist", "The resource is not tainted"),
			},
			{
				PreConfig: func() {
					equal(t, "parts before the steps are done", b.there(t, "ConfigMap/old"), "ConfigMap/old")
					b.widget(t, "w")
				},
				Config:           b.config("size = 1", limits),
				ConfigPlanChecks: planned(inPlace()),
				Check: func(*terraform.State) error {
					equal(t, "annotation", b.Get(t, b.key(acctest.Widgets, "w")).GetAnnotations()["passed"], "on")
					equal(t, "parts afterwards", b.there(t, "ConfigMap/old"), "")
					return nil
				},
			},
			{
				PreConfig: func() { b.Delete(t, b.key(acctest.Widgets, "w")); b.AwaitGone(t, b.key(acctest.Widgets, "w")) },
				Config:    b.config("size = 2", limits, "wait = false"),
				Check: func(*terraform.State) error {
					equal(t, "size", b.size(t), any("2"))
					return nil
				},
			},
		},
	})
}

// What comes right after an apply is for what is there already: it does not wait for what never gets ready.
func TestAccStepsAfterAnApplyComeBeforeTheWaitAndWithoutOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.After = func(_ *model, m model) []composite.Step {
		size := m.Size.String()
		return []composite.Step{{Name: "pass the size on", Look: b.others, Next: func(seen composite.Live) composite.Move {
			w, ok := composite.As[widget](seen, api.Kind(acctest.Widgets), "w")
			if !ok || w.Metadata.Annotations["size"] == size {
				return composite.Move{Done: true}
			}
			return composite.Move{Why: "w has another size", Patch: []composite.Patch{{Ref: b.ref("w"), JSON: []byte(`[{"op": "add", "path": "/metadata/annotations", "value": {"size": "` + size + `"}}]`)}}}
		}}}
	}
	settled := atomic.Bool{}
	kind.Settle = func(*model, model) []composite.Step {
		return []composite.Step{{Name: "settle", Next: func(composite.Live) composite.Move {
			settled.Store(true)
			return composite.Move{Done: true}
		}}}
	}
	passed := func(want string) tftest.TestCheckFunc {
		return func(*terraform.State) error {
			equal(t, "size that was passed on", b.Get(t, b.key(acctest.Widgets, "w")).GetAnnotations()["size"], want)
			equal(t, "settled", settled.Load(), false)
			return nil
		}
	}
	broken := `parts = { "Widget/never" = "broken" }`
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{PreConfig: func() { b.widget(t, "w") }, Config: b.config("size = 1", broken), ExpectNonEmptyPlan: true, Check: passed("1")},
			{Config: b.config("size = 2", broken), ExpectError: saying("the image does not exist")},
			{
				PreConfig: func() { _ = passed("2")(nil) },
				Config:    b.config("size = 3", broken, "wait = false"),
				Check:     passed("3"),
			},
		},
	})
}

func TestAccASurveySeesWhatQueriesSelect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.RelatedQueries = func(model) []composite.Query { return b.others(nil) }
	kind.Survey = func(_ model, related composite.Live) []composite.Finding {
		var out []composite.Finding
		for _, w := range composite.All[widget](related, api.Kind(acctest.Widgets)) {
			out = append(out, composite.Finding{Summary: "Widget " + w.Metadata.Name + " is in the way", Detail: "Remove it."})
		}
		return out
	}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{
				PreConfig:   func() { b.widget(t, "w") },
				Config:      b.config(),
				ExpectError: saying("Widget w is in the way", "Remove it."),
			},
			{
				PreConfig: func() {
					b.talk.says(t, "plan", "warning: Widget w is in the way")
					b.Delete(t, b.key(acctest.Widgets, "w"))
				},
				Config: b.config(),
			},
		},
	})
}
