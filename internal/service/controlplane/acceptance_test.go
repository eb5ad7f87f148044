package controlplane_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_hosted_control_plane.this"

var (
	planeKind   = kube.Kind(controlplane.K0smotronControlPlaneKind)
	clusterKind = kube.Kind(clusterapi.ClusterKind)
)

func config(provider, namespace, name, more string) string {
	return provider + fmt.Sprintf(`
resource "k0smos_hosted_control_plane" "this" {
  name                = %q
  namespace           = %q
  create_namespace    = false
  deletion_protection = false
  expose              = { external_address = "api.example.net" }
  storage             = { etcd = { auto_delete = true } }
  %s
}
`, name, namespace, more)
}

func key(kind kube.Kind, namespace, name string) kube.Key {
	return kube.Key{Kind: kind, Namespace: namespace, Name: name}
}

func gone(t *testing.T, c *acctest.ManagementCluster, namespace, name string) resource.TestCheckFunc {
	return func(*terraform.State) error {
		for _, kind := range []kube.Kind{clusterKind, planeKind} {
			if c.Find(t, key(kind, namespace, name)) != nil {
				return fmt.Errorf("%s %s is still there", kind.Kind, name)
			}
		}
		return nil
	}
}

// TestAccALifeUnderTheLeastRole creates, changes, upgrades, imports and destroys a control plane as a user who has just the
// documented role. The test framework plans again after every step and fails if that plan is not empty.
func TestAccALifeUnderTheLeastRole(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.LeastRole(t)
	unchanged := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	inPlace := resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate)}}
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             gone(t, c, ns, "life"),
		Steps: []resource.TestStep{
			{
				Config: config(provider, ns, "life", `version = "v1.35.7+k0s.0"`),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectKnownValue(address, tfjsonpath.New("id"), knownvalue.StringExact(ns+"/life")),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("cluster").AtMapKey("name"), knownvalue.StringExact("life")),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("kubeconfig_secret").AtMapKey("name"), knownvalue.StringExact("life-kubeconfig")),
					plancheck.ExpectUnknownValue(address, tfjsonpath.New("endpoint")),
				}},
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("endpoint"), knownvalue.StringExact("https://api.example.net:6443")),
					statecheck.ExpectKnownValue(address, tfjsonpath.New("cluster").AtMapKey("uid"), knownvalue.NotNull()),
				},
				Check: func(*terraform.State) error {
					uid = string(c.Get(t, key(planeKind, ns, "life")).GetUID())
					return nil
				},
			},
			{ // another spelling of the same version, a default written out
				Config:           config(provider, ns, "life", "version = \"1.35.7\"\n replicas = 1"),
				ConfigPlanChecks: unchanged,
			},
			{ // one minor version up, more members
				Config:           config(provider, ns, "life", "version = \"v1.36.2+k0s.0\"\n replicas = 3"),
				ConfigPlanChecks: inPlace,
				Check: func(*terraform.State) error {
					live := c.Get(t, key(planeKind, ns, "life"))
					if string(live.GetUID()) != uid {
						return fmt.Errorf("the control plane was replaced")
					}
					return nil
				},
			},
			{ResourceName: address, ImportState: true, ImportStateVerify: true, ImportStateId: ns + "/life", ImportStateVerifyIgnore: []string{"create_namespace", "deletion_protection", "version"}},
			{
				Config: config(provider, ns, "life", "version = \"v1.36.2+k0s.0\"\n replicas = 3\n labels = { team = \"research\" }"),
				Check: func(*terraform.State) error {
					if got := c.Get(t, key(clusterKind, ns, "life")).GetLabels()["team"]; got != "research" {
						return fmt.Errorf("label team is %q", got)
					}
					return nil
				},
			},
		},
	})
}

func TestAccWhatCannotChangeIsRefusedWithTheWay(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.ProviderBlock()
	refused := func(more, message string) resource.TestStep {
		return resource.TestStep{Config: config(provider, ns, "fixed", more), ExpectError: regexp.MustCompile(message)}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{Config: config(provider, ns, "fixed", `version = "v1.35.7+k0s.0"`)},
			refused(`version = "v1.37.1+k0s.0"`, "One minor version at a time"),
			refused(`version = "v1.35.4+k0s.0"`, "k0s cannot go back"),
			refused("version = \"v1.35.7+k0s.0\"\n network = { pod_cidr = \"10.50.0.0/16\" }", `network.pod_cidr cannot change(.|\n)*second\s+k0smos_hosted_control_plane`),
			refused("version = \"v1.35.7+k0s.0\"\n network = { provider = \"kuberouter\" }", "network.provider cannot change"),
		},
	})
}

func TestAccChangesByOthers(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.ProviderBlock()
	plane := key(planeKind, ns, "drift")
	base := config(provider, ns, "drift", `version = "v1.35.7+k0s.0"`)
	set := func(fields ...string) func(map[string]any) {
		return func(object map[string]any) {
			for _, f := range fields {
				path, value, _ := strings.Cut(f, "=")
				at := object
				steps := strings.Split(path, ".")
				for _, s := range steps[:len(steps)-1] {
					next, ok := at[s].(map[string]any)
					if !ok {
						next = map[string]any{}
						at[s] = next
					}
					at = next
				}
				at[steps[len(steps)-1]] = value
			}
		}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{Config: base},
			{ // a hand changes a field that an attribute expresses
				PreConfig: func() { c.EditAs(t, "kubectl-edit", plane, set("spec.externalAddress=other.example.net")) },
				Config:    base,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
					plancheck.ExpectKnownValue(address, tfjsonpath.New("expose").AtMapKey("external_address"), knownvalue.StringExact("api.example.net")),
				}},
				Check: func(*terraform.State) error {
					spec, _ := c.Get(t, plane).Object["spec"].(map[string]any)
					if spec["externalAddress"] != "api.example.net" {
						return fmt.Errorf("externalAddress is %v", spec["externalAddress"])
					}
					return nil
				},
			},
			{ // fields of others are nobody's business
				PreConfig: func() {
					c.EditAs(t, "annotator", plane, set("metadata.annotations.seen=yes"))
				},
				Config:           base,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{ // another tool declares the field
				PreConfig: func() {
					c.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: K0smotronControlPlane, metadata: {name: drift, namespace: %s}, spec: {externalAddress: fleet.example.net}}", ns))
				},
				Config:      base,
				ExpectError: regexp.MustCompile(`managed by "fleet"`),
			},
			{
				Config: config(c.ProviderBlock("force_conflicts = true"), ns, "drift", `version = "v1.35.7+k0s.0"`),
			},
		},
	})
}

// TestAccAWaitThatEndsEarlyIsResumed: the resource is saved, not tainted, and the next apply waits on in place.
func TestAccAWaitThatEndsEarlyIsResumed(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.ProviderBlock()
	c.Dev.StandIn().NeverReady(ns, "late", true)
	var uid string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{
				Config:             config(provider, ns, "late", "version = \"v1.35.7+k0s.0\"\n timeouts {\n create = \"6s\"\n }"),
				ExpectNonEmptyPlan: true,
				ConfigStateChecks: []statecheck.StateCheck{
					statecheck.ExpectKnownValue(address, tfjsonpath.New("revision"), knownvalue.StringExact("pending")),
				},
				Check: func(*terraform.State) error {
					uid = string(c.Get(t, key(clusterKind, ns, "late")).GetUID())
					return nil
				},
			},
			{
				PreConfig: func() { c.Dev.StandIn().NeverReady(ns, "late", false) },
				Config:    config(provider, ns, "late", "version = \"v1.35.7+k0s.0\"\n timeouts {\n create = \"6s\"\n }"),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionUpdate),
				}},
				Check: func(*terraform.State) error {
					if now := string(c.Get(t, key(clusterKind, ns, "late")).GetUID()); now != uid {
						return fmt.Errorf("the cluster was replaced")
					}
					return nil
				},
			},
		},
	})
}

// TestAccAHostedClusterTakesWhatIsInItAlong: when the management cluster says that a hosted cluster is gone, what was inside
// leaves the state, and is made again with the next one.
func TestAccAHostedClusterTakesWhatIsInItAlong(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.ProviderBlock()
	both := config(provider, ns, "outer", `version = "v1.35.7+k0s.0"`) + `
resource "k0smos_manifest" "inner" {
  cluster  = k0smos_hosted_control_plane.this.cluster
  manifest = { apiVersion = "v1", kind = "ConfigMap", metadata = { name = "inner", namespace = "default" }, data = { x = "1" } }
}
`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{Config: both},
			{
				PreConfig: func() {
					c.Delete(t, key(clusterKind, ns, "outer"))
					c.AwaitGone(t, key(clusterKind, ns, "outer"))
				},
				Config: both,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(address, plancheck.ResourceActionCreate),
					plancheck.ExpectResourceAction("k0smos_manifest.inner", plancheck.ResourceActionCreate),
				}},
			},
		},
	})
}

func TestAccDeletionProtection(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.ProviderBlock()
	guarded := strings.Replace(config(provider, ns, "guarded", `version = "v1.35.7+k0s.0"`), "deletion_protection = false", "deletion_protection = true", 1)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{Config: guarded},
			{Config: guarded, Destroy: true, ExpectError: regexp.MustCompile("is protected")},
			{Config: strings.Replace(guarded, `"guarded"`, `"renamed"`, 1), ExpectError: regexp.MustCompile(`(?s)is protected.*name changes`)},
			{Config: config(provider, ns, "guarded", `version = "v1.35.7+k0s.0"`)},
		},
	})
}
