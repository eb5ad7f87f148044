package composite_test

import (
	"fmt"
	"strings"
	"testing"

	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

func TestAccWhatLeavesTheCompositionGoesInOrderOnceTheRestIsReady(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.DeleteOrder = []string{"Secret", "Widget"}
	ends := b.watchEnds(t)
	leaving := []string{"ConfigMap/a", "ConfigMap/b", "Secret/s", "Widget/old"}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: b.config(parts("ConfigMap/a=held", "ConfigMap/b", "Secret/s", "Widget/old=ready", "Widget/w=ready"))},
			{Config: b.config(parts("Widget/w=broken")), ExpectError: saying("Widget/" + b.namespace + "/w is not ready")},
			{
				PreConfig: func() {
					equal(t, "parts while something is not ready", b.there(t, leaving...), strings.Join(leaving, " "))
					ends.were(t)
				},
				Config:           b.config(parts("Widget/w=ready")),
				ConfigPlanChecks: planned(inPlace()),
				Check: func(*terraform.State) error {
					ends.were(t, "Secret/s", "Widget/old", "ConfigMap/b", "ConfigMap/a")
					return nil
				},
			},
		},
	})
}

func TestAccMembersOfAnInterruptedUpdateAreNotForgotten(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]tftest.TestStep{
		"by an update that does without them": {},
		"by a destroy":                        {Destroy: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			last.PreConfig = func() {
				equal(t, "parts after the interruption", b.there(t, "ConfigMap/a", "ConfigMap/made", "ConfigMap/old"), "ConfigMap/a ConfigMap/made ConfigMap/old")
			}
			last.Config = b.config(parts("ConfigMap/a"))
			tftest.UnitTest(t, tftest.TestCase{
				ProtoV6ProviderFactories: b.serving(set()),
				Steps: []tftest.TestStep{
					{Config: b.config(parts("ConfigMap/a", "ConfigMap/old"))},
					{
						PreConfig: func() {
							b.ApplyAs(t, "somebody", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: taken, namespace: %s}}", b.namespace))
						},
						Config:      b.config(parts("ConfigMap/a", "ConfigMap/made", "ConfigMap/taken")),
						ExpectError: saying("ConfigMap/" + b.namespace + "/taken exists already"),
					},
					last,
				},
				CheckDestroy: func(*terraform.State) error {
					equal(t, "parts at the end", b.there(t, "ConfigMap/a", "ConfigMap/made", "ConfigMap/old", "ConfigMap/taken"), "ConfigMap/taken")
					return nil
				},
			})
			if !last.Destroy {
				b.talk.says(t, "apply", "taken")
			}
		})
	}
}

func TestAccADestroyDeletesOneAfterTheOther(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.DeleteOrder = []string{"Widget", "Secret"}
	ends := b.watchEnds(t)
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps:                    []tftest.TestStep{{Config: b.config(parts("ConfigMap/a", "ConfigMap/b=held", "Secret/s=held", "Widget/w=ready"))}},
	})
	ends.were(t, "Widget/w", "Secret/s", "ConfigMap/b", "ConfigMap/a", "ConfigMap/x")
}

func TestAccReleaseLeavesTheObjectsWithoutOurMarksAndStillPrunes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	release := `on_destroy = "release"`
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(set()),
		Steps: []tftest.TestStep{
			{Config: b.config(parts("ConfigMap/a", "ConfigMap/b"), release, "size = 7")},
			{
				Config: b.config(parts("ConfigMap/a"), release, "size = 7"),
				Check: func(*terraform.State) error {
					equal(t, "parts after the update", b.there(t, "ConfigMap/a", "ConfigMap/b"), "ConfigMap/a")
					return nil
				},
			},
		},
	})
	for _, name := range []string{"x", "a"} {
		live := b.Get(t, b.key(acctest.ConfigMaps, name))
		for mark := range live.GetAnnotations() {
			t.Errorf("%s has the annotation %s", name, mark)
		}
		for mark := range live.GetLabels() {
			t.Errorf("%s has the label %s", name, mark)
		}
		if acctest.Manages(live, "engine:set", metav1.ManagedFieldsOperationApply) {
			t.Errorf("our field manager still holds fields of %s", name)
		}
	}
	data, _ := b.Get(t, b.key(acctest.ConfigMaps, "x")).Object["data"].(map[string]any)
	equal(t, "size", data["size"], any("7"))
}

func TestAccWhatFailedIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	// The limits are the kind's ten minutes: only a wait that ends at once lets this test pass in time.
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(set()),
		Steps: []tftest.TestStep{
			{
				Config:             b.config(parts("Widget/w=broken")),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks:  []statecheck.StateCheck{statecheck.ExpectKnownValue(address, tfjsonpath.New("revision"), knownvalue.StringExact("pending"))},
				Check: func(*terraform.State) error {
					b.talk.says(t, "apply", "warning: Widget/"+b.namespace+"/w is not ready", "the wait failed: the image does not exist", "resumes the wait in place")
					return nil
				},
			},
			{Config: b.config(parts("Widget/w=broken")), ExpectError: saying("is not ready", "the wait failed: the image does not exist", "The resource is not tainted")},
			{Config: b.config(parts("Widget/w=ready")), ConfigPlanChecks: planned(inPlace())},
		},
	})
}

func TestAccAnUpgradeOfTheProviderChangesTheCompositionInPlace(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := set()
	next.Compose = func(m model, f composite.Facts) ([]composite.Object, error) {
		m.Parts = tfParts(map[string]string{"ConfigMap/a": "another value", "ConfigMap/added": "v"}) // and without b
		return compose(m, f)
	}
	config := b.config(parts("ConfigMap/a", "ConfigMap/b"))
	var uid string
	tftest.UnitTest(t, tftest.TestCase{Steps: []tftest.TestStep{
		{
			ProtoV6ProviderFactories: b.serving(set()), Config: config,
			Check: func(*terraform.State) error {
				uid = string(b.Get(t, b.key(acctest.ConfigMaps, "a")).GetUID())
				return nil
			},
		},
		{
			ProtoV6ProviderFactories: b.serving(next), Config: config,
			// An output that opens would have whatever refers to it replaced.
			ConfigPlanChecks: planned(inPlace(), plancheck.ExpectKnownValue(address, tfjsonpath.New("uid"), knownvalue.NotNull())),
			Check: func(*terraform.State) error {
				live := b.Get(t, b.key(acctest.ConfigMaps, "a"))
				data, _ := live.Object["data"].(map[string]any)
				equal(t, "value", data["value"], any("another value"))
				equal(t, "uid", string(live.GetUID()), uid)
				equal(t, "parts after the upgrade", b.there(t, "ConfigMap/added", "ConfigMap/b"), "ConfigMap/added")
				return nil
			},
		},
	}})
}
