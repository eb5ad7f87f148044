package nodepool_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// TestAccEveryHostIsToldWithWhatIsWrongWithIt reads a pool in the run that makes it and when a node of it has failed, as a user
// who has just the documented role.
func TestAccEveryHostIsToldWithWhatIsWrongWithIt(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.LeastRole(t)
	const used, free = "203.0.113.61", "203.0.113.62"
	c.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: told-key, namespace: %s}, stringData: {value: key}}", ns))
	source := fmt.Sprintf("data \"k0smos_node_pool\" \"told\" {\n  name      = \"told\"\n  namespace = %q\n", ns)
	config := provider + fmt.Sprintf(`
resource "k0smos_hosted_control_plane" "told" {
  name                = "told"
  namespace           = %[1]q
  create_namespace    = false
  deletion_protection = false
  version             = "v1.35.7+k0s.0"
  expose              = { external_address = "api.example.net" }
  storage             = { etcd = { auto_delete = true } }
}
resource "k0smos_site" "told" {
  name      = "told"
  namespace = %[1]q
  ssh       = { secret = "told-key" }
}
resource "k0smos_node_pool" "told" {
  name     = "told"
  cluster  = k0smos_hosted_control_plane.told.cluster
  site     = k0smos_site.told.ref
  version  = k0smos_hosted_control_plane.told.version
  replicas = 1
  hosts    = { a = { address = %[2]q }, b = { address = %[3]q } }
}
`, ns, used, free) + source + "  depends_on = [k0smos_node_pool.told]\n}\n"
	host := func(key, attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.k0smos_node_pool.told", tfjsonpath.New("hosts").AtMapKey(key).AtMapKey(attribute), check)
	}
	pool := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.k0smos_node_pool.told", tfjsonpath.New(attribute), check)
	}
	deployment := kube.Key{Kind: kube.Kind(clusterapi.MachineDeploymentKind), Namespace: ns, Name: "told"}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy: func(*terraform.State) error {
			if c.Find(t, deployment) != nil {
				return fmt.Errorf("the pool is still there")
			}
			return nil
		},
		Steps: []resource.TestStep{
			{Config: provider + source + "}\n", ExpectError: regexp.MustCompile(`There is no node pool ` + ns + `/told(.|\n)*kubectl\s+get\s+machinedeployments`)},
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					pool("version", knownvalue.StringExact("v1.35.7+k0s.0")), pool("cluster_name", knownvalue.StringExact("told")),
					pool("replicas", knownvalue.Int64Exact(1)), pool("up_to_date_replicas", knownvalue.Int64Exact(1)), pool("paused", knownvalue.Bool(false)),
					pool("hosts", knownvalue.MapSizeExact(2)), pool("other_machines", knownvalue.MapSizeExact(0)),
					host("a", "address", knownvalue.StringExact(used)), host("a", "object_name", knownvalue.StringExact("told-a")), host("a", "reserved", knownvalue.Bool(true)), host("a", "ready", knownvalue.Bool(true)),
					host("a", "machine", knownvalue.StringRegexp(regexp.MustCompile("^told-"))), host("a", "node", knownvalue.StringRegexp(regexp.MustCompile("^told-"))), host("a", "last_error", knownvalue.Null()),
					host("b", "reserved", knownvalue.Bool(false)), host("b", "ready", knownvalue.Bool(false)), host("b", "machine", knownvalue.Null()), host("b", "phase", knownvalue.Null()), host("b", "last_error", knownvalue.Null()),
				},
			},
			{
				PreConfig: func() {
					c.Dev.StandIn().NodeNotReady(used, true)
					acctest.Eventually(t, "Cluster API sees the node fail", func() bool {
						ready, _ := c.Get(t, deployment).Object["status"].(map[string]any)
						return fmt.Sprint(ready["readyReplicas"]) == "0"
					})
				},
				Config:           config,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{
					pool("ready_replicas", knownvalue.Int64Exact(0)), host("a", "ready", knownvalue.Bool(false)), host("a", "last_error", knownvalue.StringRegexp(regexp.MustCompile("Node"))),
				},
			},
		},
	})
}
