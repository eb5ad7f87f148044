package nodepool_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// TestAccGPUsOfNodesAreAddedUp has nodes come, get their devices from a device plugin, and fail.
func TestAccGPUsOfNodesAreAddedUp(t *testing.T) {
	api := acctest.SharedServer(t)
	node := func(name string) kube.Key { return kube.Key{Kind: kube.Kind(core.NodeKind), Name: name} }
	status := func(name, ready string) {
		api.EditStatusAs(t, "kubelet", node(name), map[string]any{
			"capacity": map[string]any{"cpu": "64", "nvidia.com/gpu": "8"}, "allocatable": map[string]any{"cpu": "63", "nvidia.com/gpu": "8"},
			"conditions": []any{map[string]any{"type": "Ready", "status": ready}},
		})
	}
	for _, name := range []string{"inventory-1", "inventory-2"} {
		api.ApplyAs(t, "kubelet", `{apiVersion: v1, kind: Node, metadata: {name: `+name+`, labels: {k0smos.io/gpu-vendor: nvidia, k0smos.io/gpu-model: H200, k0smos.io/site: lab}}}`)
		t.Cleanup(func() { api.Delete(t, node(name)) })
	}
	config := api.ProviderBlock() + `data "k0smos_gpu_inventory" "lab" {
  selector = { "k0smos.io/site" = "lab" }
}`
	offering := func(attribute string, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.k0smos_gpu_inventory.lab", tfjsonpath.New("offerings").AtSliceIndex(0).AtMapKey(attribute), check)
	}
	sum := func(attribute string, n int64) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.k0smos_gpu_inventory.lab", tfjsonpath.New("resources").AtMapKey("nvidia.com/gpu").AtMapKey(attribute), knownvalue.Int64Exact(n))
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{
				Config:            config,
				ConfigStateChecks: []statecheck.StateCheck{sum("nodes", 2), sum("total", 0), offering("model", knownvalue.StringExact("H200")), offering("pool", knownvalue.Null())},
			},
			{
				PreConfig:         func() { status("inventory-1", "True"); status("inventory-2", "True") },
				Config:            config,
				ConfigPlanChecks:  resource.ConfigPlanChecks{PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{sum("total", 16), sum("allocatable", 16), offering("ready_nodes", knownvalue.Int64Exact(2))},
			},
			{
				PreConfig:         func() { status("inventory-2", "Unknown") },
				Config:            config,
				ConfigStateChecks: []statecheck.StateCheck{sum("total", 16), sum("allocatable", 8), offering("ready_nodes", knownvalue.Int64Exact(1))},
			},
		},
	})
}
