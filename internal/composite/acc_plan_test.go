package composite_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	tftest "github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestAccWhatOthersHoldIsAWarningInThePlanAndAnErrorInTheApply(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Related = func(m model) []composite.Ref {
		return []composite.Ref{{Kind: api.Kind(acctest.ConfigMaps), Namespace: m.Namespace.ValueString(), Name: "limits"}}
	}
	kind.Survey = func(m model, related composite.Live) []composite.Finding {
		if _, ok := related.Find("ConfigMap", "limits"); ok {
			return nil
		}
		return []composite.Finding{{Path: path.Root("size"), Summary: "No limits", Detail: "Make the limits first."}}
	}
	config := b.config("size = 3")
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: config, ExpectError: saying("Error: No limits", "size = 3", "Make the limits first")},
			{
				PreConfig: func() {
					b.talk.says(t, "plan", `warning at AttributeName("size"): No limits`)
					b.talk.says(t, "apply", `error at AttributeName("size"): No limits`)
					equal(t, "what the refused apply made", b.there(t, "ConfigMap/x"), "")
					b.talk.forget()
					b.ApplyAs(t, "somebody", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: limits, namespace: %s}}", b.namespace))
				},
				Config: config,
				Check: func(*terraform.State) error {
					equal(t, "what the plan says with limits", b.talk.during("plan"), "")
					return nil
				},
			},
		},
	})
}

func TestAccWhatOnlyTheClusterKnowsIsKeptUntilWhatMovesItChanges(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	uid, serial := tfjsonpath.New("uid"), tfjsonpath.New("serial")
	var last string
	remember := func(*terraform.State) error {
		last = b.Get(t, b.key(acctest.ConfigMaps, "x")).GetResourceVersion()
		return nil
	}
	known, unknown := plancheck.ExpectKnownValue, plancheck.ExpectUnknownValue
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(set()),
		Steps: []tftest.TestStep{
			{
				Config:           b.config("size = 1", parts("ConfigMap/a")),
				ConfigPlanChecks: planned(unknown(address, uid), unknown(address, serial)),
				Check:            remember,
			},
			{ // the write moves the resource version all the same, which must not contradict the plan
				Config:           b.config("size = 1", `labels = { a = "b" }`, parts("ConfigMap/a")),
				ConfigPlanChecks: planned(inPlace(), known(address, uid, knownvalue.NotNull()), known(address, serial, knownvalue.StringFunc(func(v string) error { return same(v, last) }))),
				Check:            remember,
			},
			{
				Config:           b.config("size = 2", `labels = { a = "b" }`, parts("ConfigMap/a")),
				ConfigPlanChecks: planned(inPlace(), known(address, uid, knownvalue.NotNull()), unknown(address, serial)),
				Check: func(s *terraform.State) error {
					return same(s.RootModule().Resources[address].Primary.Attributes["serial"], b.Get(t, b.key(acctest.ConfigMaps, "x")).GetResourceVersion())
				},
			},
			{ // an object that is made again is another one
				PreConfig:        func() { b.Delete(t, b.key(acctest.ConfigMaps, "x")) },
				Config:           b.config("size = 2", `labels = { a = "b" }`, parts("ConfigMap/a")),
				ConfigPlanChecks: planned(inPlace(), unknown(address, uid), unknown(address, serial)),
				Check: func(s *terraform.State) error {
					return same(s.RootModule().Resources[address].Primary.Attributes["uid"], string(b.Get(t, b.key(acctest.ConfigMaps, "x")).GetUID()))
				},
			},
		},
	})
}

func same(got, want string) error {
	if got != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

func TestAccAChangeIsJudgedByTheKind(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	kind := set()
	kind.Transitions = []composite.Transition[model]{func(prior, plan model) []composite.Finding {
		switch was, now := prior.Size.ValueInt64(), plan.Size.ValueInt64(); {
		case now < was:
			return []composite.Finding{{Path: path.Root("size"), Summary: "It cannot shrink", Detail: "Make another one."}}
		case now > was:
			return []composite.Finding{{Path: path.Root("size"), Summary: "It restarts", Detail: "For a moment.", Warning: true}}
		default:
			return nil
		}
	}}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{Config: b.config("size = 2", `zone = "east"`)},
			{ // an error stands at its attribute, and nothing is changed
				Config:      b.config("size = 1", `zone = "east"`),
				ExpectError: saying("Error: It cannot shrink", "size = 1", "Make another one"),
			},
			{ // a warning lets the change pass
				PreConfig:        func() { b.talk.says(t, "plan", `error at AttributeName("size"): It cannot shrink`) },
				Config:           b.config("size = 3", `zone = "east"`),
				ConfigPlanChecks: planned(inPlace()),
				Check: func(*terraform.State) error {
					b.talk.says(t, "plan", `warning at AttributeName("size"): It restarts`)
					b.talk.forget()
					return nil
				},
			},
			{ // a replacement is not judged as a change
				Config:           b.config("size = 1", `zone = "west"`),
				ConfigPlanChecks: planned(plancheck.ExpectResourceAction(address, plancheck.ResourceActionDestroyBeforeCreate)),
				Check: func(*terraform.State) error {
					equal(t, "what the plan says of the replacement", b.talk.during("plan"), "")
					return nil
				},
			},
		},
	})
}

func TestAccAGroupServedOnlyInAnotherVersionIsNamed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	group := b.namespace + ".acctest.k0smos.io"
	kind := set()
	kind.Dialects = []composite.Dialect{{Group: group, Version: "v1", Operator: "the test operator 2.x"}}
	definition := kube.Key{Kind: acctest.CRDs, Name: "olds." + group}
	t.Cleanup(func() { b.Delete(t, definition) })
	serve := func(versions ...string) func() {
		return func() {
			text := ""
			for i, v := range versions {
				text += fmt.Sprintf("{name: %s, served: true, storage: %t, schema: {openAPIV3Schema: {type: object}}}, ", v, i == 0)
			}
			b.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %s}, spec: {group: %s, scope: Namespaced, names: {kind: Old, plural: olds}, versions: [%s]}}", definition.Name, group, text))
			acctest.Eventually(t, "the versions are served", func() bool { return b.serves(t, group, versions[len(versions)-1]) })
		}
	}
	tftest.UnitTest(t, tftest.TestCase{
		ProtoV6ProviderFactories: b.serving(kind),
		Steps: []tftest.TestStep{
			{
				PreConfig:   serve("v1beta1"),
				Config:      b.config(),
				ExpectError: saying("Unsupported version of the test operator 2.x", "serves "+group, "only in v1beta1; this provider writes v1", "Upgrade the operator"),
			},
			{PreConfig: serve("v1beta1", "v1"), Config: b.config()},
		},
	})
}

// serves asks for the objects of a version, which answers once it is served.
func (b *bench) serves(t *testing.T, group, version string) bool {
	t.Helper()
	served, err := kube.NewPool(kube.Source{ConfigPaths: []string{b.Kubeconfig}}, kube.Options{}).Management().Serves(t.Context(), group, version)
	return err == nil && served
}
