package manifest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
)

func TestAccACreateIsPlannedWholeWithoutACluster(t *testing.T) {
	t.Parallel()
	for name, block := range map[string]string{
		"nothing is configured":           acctest.ProviderBlock(),
		"the cluster does not answer":     acctest.ProviderBlock(`host = "https://127.0.0.1:1"`),
		"the cluster's name is not found": acctest.ProviderBlock(`host = "https://no-such-host.invalid:6443"`),
		"the address is not known yet":    acctest.ProviderBlock(`host = terraform_data.address.output`) + "resource \"terraform_data\" \"address\" {\n  input = \"https://127.0.0.1:1\"\n}\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := cli.New(t, block+manifest("x", widget("geo", "w", "{replicas: 2}"), `labels = { team = "vision" }`))
			plan := w.Plan(t, "-out=saved.plan")
			plan.Worked(t, "to add", "Planned without the management cluster")
			unknown := notKnown(t, w)
			for _, attribute := range []string{"id", "manifest", "objects", "effective_labels", "drift", "labels"} {
				if unknown[attribute] == true {
					t.Errorf("%s is not known in the plan", attribute)
				}
			}
		})
	}
}

// notKnown are the attributes of the resource that saved.plan says are known after apply only.
func notKnown(t *testing.T, w *cli.Workdir) map[string]any {
	t.Helper()
	var plan struct {
		ResourceChanges []struct {
			Address string
			Change  struct {
				AfterUnknown map[string]any `json:"after_unknown"`
			}
		} `json:"resource_changes"`
	}
	w.JSON(t, &plan, "show", "-json", "saved.plan")
	for _, c := range plan.ResourceChanges {
		if c.Address == address {
			return c.Change.AfterUnknown
		}
	}
	t.Fatal("the plan has no such resource")
	return nil
}

func TestAccAPlanMadeWithoutTheClusterIsAppliedAsPlanned(t *testing.T) {
	t.Parallel()
	s := startProxied(t, "{replicas: 2, cpu: 1000m}")
	down := s.proxy.Add(faultproxy.Rule{Do: faultproxy.ResetBefore()})
	file := s.PlanFile(t)
	down.Remove()
	s.Apply(t, file)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
	unchanged(t, s.Workdir)
}

func TestAccWhatTheServerRefusesFailsThePlanAtTheManifest(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spec string
		says []string
	}{
		"a field that does not exist":    {"{replicaz: 2}", []string{"spec.replicaz"}},
		"a value of another type":        {`{replicas: "two"}`, []string{"spec.replicas"}},
		"a value that is not allowed":    {"{tier: bronze}", []string{"spec.tier", "gold"}},
		"a value that is out of range":   {"{replicas: 101}", []string{"spec.replicas", "100"}},
		"a key that stands there twice":  {"{ports: [{name: http, port: 1}, {name: http, port: 2}]}", []string{"spec.ports"}},
		"a key that is missing in a map": {"{ports: [{port: 1}]}", []string{"spec.ports"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := start(t, test.spec)
			plan := s.Plan(t)
			plan.Failed(t, append(test.says, `in resource "k0smos_manifest" "x"`, "manifest = ")...)
			if s.api.Find(t, s.key) != nil {
				t.Error("the object was made")
			}
		})
	}
}

func TestAccWhatTheManifestItselfShowsIsRefusedWithoutACluster(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		manifest string
		says     string
	}{
		"two documents":        {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: b}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c, namespace: b}", "for_each"},
		"no kind":              {"apiVersion: v1\nmetadata: {name: a}", "kind"},
		"no name":              {"apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: b}", "name"},
		"a list":               {"- a\n- b", "object"},
		"not YAML":             {"a: b: c: [", "YAML"},
		"the data of a Secret": {"apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: b}\nstringData: {password: canary-in-plain}", "secret_data_wo"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := cli.New(t, acctest.ProviderBlock()+manifest("x", test.manifest))
			plan := w.Plan(t)
			plan.Failed(t, test.says, `in resource "k0smos_manifest" "x"`)
			if strings.Contains(plan.Output, "Planned without") {
				t.Error("a cluster was asked")
			}
		})
	}
}

func TestAccADenialIsToldFromAMissingRight(t *testing.T) {
	t.Parallel()
	t.Run("a webhook's denial fails the plan", func(t *testing.T) {
		s := start(t, "{replicas: 2}")
		s.api.Webhook(t, acctest.Widgets, s.namespace, false, func(acctest.Review) acctest.Verdict {
			return acctest.Verdict{Deny: "widgets are made on Mondays"}
		})
		s.Plan(t).Failed(t, "widgets are made on Mondays", `in resource "k0smos_manifest" "x"`)
	})
	t.Run("a missing right leaves the plan to the configuration", func(t *testing.T) {
		s := start(t, "{replicas: 2}")
		kubeconfig := s.api.As(t, "reader-"+s.namespace, `[{apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}]`)
		s.block = acctest.ProviderBlock(fmt.Sprintf("config_path = %q", kubeconfig))
		s.now(t, "{replicas: 2}")
		s.Plan(t).Worked(t, "1 to add", "Planned without")
		s.TryApply(t).Failed(t, "forbidden", "reader-"+s.namespace)
		if len(s.State(t)) != 0 {
			t.Error("there is something in the state")
		}
	})
}

func TestAccAUserWhoMayOnlyReadPlansAnExistingResource(t *testing.T) {
	t.Parallel()
	s := start(t, "{replicas: 2}")
	s.Apply(t)
	kubeconfig := s.api.As(t, "viewer-"+s.namespace, `[{apiGroups: ["*"], resources: ["*"], verbs: [get, list, watch]}]`)
	s.block = acctest.ProviderBlock(fmt.Sprintf("config_path = %q", kubeconfig))
	s.now(t, "{replicas: 2}")
	unchanged(t, s.Workdir)
	s.now(t, "{replicas: 3}")
	changes(t, s.Workdir, map[string]string{address: "update"})
	s.TryApply(t).Failed(t, "forbidden")
	kept(t, s.Workdir)
	equal(t, "replicas", s.live(t, "spec", "replicas"), int64(2))
}

func TestAccACRDAndItsObjectComeInOneApply(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	namespace := api.Namespace(t)
	group := namespace + ".example.com"
	crd := fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gears.%[1]s}
spec:
  group: %[1]s
  scope: Namespaced
  names: {kind: Gear, plural: gears, singular: gear}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {teeth: {type: integer}}}}}}`, group)
	gear := fmt.Sprintf("apiVersion: %s/v1\nkind: Gear\nmetadata: {name: g, namespace: %s}\nspec: {teeth: 12}", group, namespace)
	w := cli.New(t, api.ProviderBlock()+manifest("crd", crd)+manifest("x", gear, "depends_on = [k0smos_manifest.crd]"))
	w.Plan(t).Worked(t, "2 to add")
	w.Apply(t)
	unchanged(t, w)
	w.Destroy(t)
}
