package manifest_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

func TestAccTheLifeOfAManifest(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	config := func(spec string, more ...string) string {
		return api.ProviderBlock() + manifest("x", widget(namespace, "w", spec), more...)
	}
	empty := []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}
	does := func(action plancheck.ResourceActionType) resource.ConfigPlanChecks {
		return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, action)}, PostApplyPostRefresh: empty}
	}
	value := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(address, tfjsonpath.New(attribute), check)
	}
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy: func(*terraform.State) error {
			if api.Find(t, widgetKey(namespace, "w")) != nil {
				return fmt.Errorf("the object is still there")
			}
			return nil
		},
		Steps: []resource.TestStep{
			{
				Config: config("{replicas: 2}"), ConfigPlanChecks: does(plancheck.ResourceActionCreate),
				ConfigStateChecks: []statecheck.StateCheck{
					value("id", knownvalue.StringExact("acctest.k0smos.io/v1/Widget:"+namespace+"/w")),
					value("drift", knownvalue.ListSizeExact(0)),
					value("revision", knownvalue.NotNull()),
					value("objects", knownvalue.ListExact([]knownvalue.Check{knownvalue.ObjectExact(map[string]knownvalue.Check{
						"group": knownvalue.StringExact("acctest.k0smos.io"), "kind": knownvalue.StringExact("Widget"),
						"namespace": knownvalue.StringExact(namespace), "name": knownvalue.StringExact("w"),
					})})),
					value("effective_labels", knownvalue.MapSizeExact(0)),
				},
			},
			{
				ResourceName: address, ImportState: true, ImportStateKind: resource.ImportBlockWithID,
				ImportPlanChecks: resource.ImportPlanChecks{PreApply: empty},
			},
			{
				Config: config("{replicas: 3, image: a}", `labels = { team = "vision" }`), ConfigPlanChecks: does(plancheck.ResourceActionUpdate),
				ConfigStateChecks: []statecheck.StateCheck{
					value("effective_labels", knownvalue.MapExact(map[string]knownvalue.Check{"team": knownvalue.StringExact("vision")})),
				},
			},
			{Config: config("{image: a}"), ConfigPlanChecks: does(plancheck.ResourceActionUpdate)},
			{Config: config("{image:    \"a\"} # another spelling"), ConfigPlanChecks: does(plancheck.ResourceActionNoop)},
			{
				Config:           api.ProviderBlock() + manifest("x", widget(namespace, "renamed", "{image: a}")),
				ConfigPlanChecks: does(plancheck.ResourceActionDestroyBeforeCreate),
			},
		},
	})
}

func TestAccWhatThisProviderMadeIsImportedAsIfItHadNeverBeenAway(t *testing.T) {
	t.Parallel()
	for name, spec := range map[string]string{
		"with lists":            "{replicas: 2, args: [a, b], ports: [{name: http, port: 80}], tags: [a, b]}",
		"with numbers":          "{replicas: 2, cpu: 1000m, ratio: 0.5}",
		"with empties":          "{selector: {}, args: []}",
		"with a free-form part": "{free: {a: {b: [1, {c: d}]}}}",
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, spec)
			s.Apply(t)
			s.api.EditAs(t, "controller", s.key, set("x", "metadata", "annotations", "controller/seen"))
			s.Must(t, "state", "rm", address)
			s.Must(t, "import", "-no-color", address, fmt.Sprintf("acctest.k0smos.io/v1/Widget:%s/w", s.namespace))
			unchanged(t, s.Workdir)
		})
	}
}

func TestAccAForeignObjectIsImportedInPlaceAndSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.api.ApplyAs(t, "another-tool", widget(s.namespace, "w", "{replicas: 2, image: theirs}"))
	uid := s.api.Get(t, s.key).GetUID()
	s.Must(t, "import", "-no-color", address, fmt.Sprintf("acctest.k0smos.io/v1/Widget:%s/w", s.namespace))
	s.Plan(t).Worked(t, "Adopts", "another-tool", "0 to add, 1 to change, 0 to destroy")
	s.Apply(t)
	unchanged(t, s.Workdir)
	live := s.api.Get(t, s.key)
	equal(t, "uid", live.GetUID(), uid)
	equal(t, "image", field(live, "spec", "image"), "theirs")
	if live.GetAnnotations()[owner] == "" {
		t.Error("the object is not marked as ours")
	}
}

func TestAccAnImportThatCannotBeSaysWhy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ id, says string }{
		"nothing is there": {"acctest.k0smos.io/v1/Widget:default/none", "Nothing to import"},
		"not an id":        {"none", "apiVersion"},
		"no such kind":     {"acctest.k0smos.io/v1/Gadget:default/none", "Gadget"},
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "{replicas: 2}")
			s.Do(t, "import", "-no-color", address, test.id).Failed(t, test.says)
		})
	}
}
