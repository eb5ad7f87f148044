package nodepool_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// TestAccOneLineTurnsOnAGPUOperator goes from pools in locals to the charts that k0s is told to install, in the cluster that the
// GPUs of an inventory are asked of.
func TestAccOneLineTurnsOnAGPUOperator(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	config := func(helm string) string {
		return c.ProviderBlock() + fmt.Sprintf(`
locals {
  gpus = {
    quebec  = { vendor = "nvidia", model = "A100-80GB", per_node = 8, partitioning = { mode = "mig", profile = "1g.10gb", strategy = "mixed" } }
    atlanta = { vendor = "amd", model = "MI300X", per_node = 8 }
  }
  nvidia = provider::k0smos::nvidia_gpu_operator(local.gpus)
  amd    = provider::k0smos::amd_gpu_operator(local.gpus, { node_feature_discovery = false })
}
resource "k0smos_hosted_control_plane" "this" {
  name                = "gpus"
  namespace           = %q
  create_namespace    = false
  deletion_protection = false
  version             = "v1.35.7+k0s.0"
  expose              = { external_address = "api.example.net" }
  storage             = { etcd = { auto_delete = true } }
  network             = { provider = "kuberouter" }
  helm                = %s
}
data "k0smos_gpu_inventory" "this" {
  cluster = k0smos_hosted_control_plane.this.cluster
}
`, ns, helm)
	}
	const merged = `{
    repositories = merge(local.nvidia.repositories, local.amd.repositories, { mine = { url = "https://charts.example.net" } })
    charts       = merge(local.nvidia.charts, local.amd.charts, { mine = { chart = "mine/mine" } })
  }`
	installs := func(want ...string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			live := c.Get(t, kube.Key{Kind: kube.Kind(controlplane.K0smotronControlPlaneKind), Namespace: ns, Name: "gpus"})
			at := live.Object
			for _, step := range []string{"spec", "k0sConfig", "spec", "extensions", "helm"} {
				at, _ = at[step].(map[string]any)
			}
			charts, _ := at["charts"].([]any)
			var got []string
			for _, chart := range charts {
				chart, _ := chart.(map[string]any)
				got = append(got, fmt.Sprint(chart["name"]))
				if values := fmt.Sprint(chart["values"]); chart["name"] == "gpu-operator" && (!strings.Contains(values, "/etc/k0s/containerd.d/nvidia.toml") || !strings.Contains(values, "mig-mixed")) {
					return fmt.Errorf("the values of gpu-operator are %s", values)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				return fmt.Errorf("k0s installs %q, want %q", got, want)
			}
			return nil
		}
	}
	again := resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		TerraformVersionChecks:   []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)}, // functions of providers
		Steps: []resource.TestStep{
			{Config: config("local.nvidia"), ConfigPlanChecks: again, Check: installs("gpu-operator"), ConfigStateChecks: []statecheck.StateCheck{
				statecheck.ExpectKnownValue("data.k0smos_gpu_inventory.this", tfjsonpath.New("offerings"), knownvalue.ListSizeExact(0)),
			}},
			{Config: config(merged), ConfigPlanChecks: again, Check: installs("amd-gpu-operator", "cert-manager", "gpu-operator", "mine")},
		},
	})
}
