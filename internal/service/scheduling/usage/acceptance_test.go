package usage_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// TestAccTheTreeIsReadAsItIs has a project take more than its quota, and somebody delete the department above it.
func TestAccTheTreeIsReadAsItIs(t *testing.T) {
	api := acctest.Schedulers(t)
	queue := func(name string) kube.Key { return kube.Key{Kind: kube.Kind(kai.QueueKind), Name: name} }
	apply := func(name, parent string) {
		api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s, labels: {kai.scheduler/node-pool: usage}}, spec: {parentQueue: %q, resources: {gpu: {quota: 8, limit: -1, overQuotaWeight: 1}, cpu: {quota: -1, limit: -1, overQuotaWeight: 1}, memory: {quota: -1, limit: -1, overQuotaWeight: 1}}}}", name, parent))
	}
	apply("usage-dept-usage", "")
	apply("usage-team-usage", "usage-dept-usage")
	t.Cleanup(func() { api.Delete(t, queue("usage-team-usage")) })
	config := api.ProviderBlock() + fmt.Sprintf("data \"k0smos_queue_usage\" \"this\" {\n  cluster   = %s\n  engine    = \"kai\"\n  node_pool = \"usage\"\n}\n", api.Cluster)
	at := func(i int, path ...string) tfjsonpath.Path {
		p := tfjsonpath.New("queues").AtSliceIndex(i)
		for _, step := range path {
			p = p.AtMapKey(step)
		}
		return p
	}
	is := func(p tfjsonpath.Path, check knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue("data.k0smos_queue_usage.this", p, check)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					is(at(0, "name"), knownvalue.StringExact("usage-dept-usage")), is(at(0, "level"), knownvalue.Int64Exact(0)),
					is(at(1, "parent"), knownvalue.StringExact("usage-dept-usage")), is(at(1, "gpu", "allocated"), knownvalue.Float64Exact(0)), is(at(1, "gpu", "limit"), knownvalue.Null()),
					is(tfjsonpath.New("problems"), knownvalue.ListSizeExact(0)),
				},
			},
			{
				PreConfig: func() {
					api.EditStatusAs(t, "queue-controller", queue("usage-team-usage"), map[string]any{"allocated": map[string]any{"nvidia.com/gpu": "12", "cpu": "3"}, "requested": map[string]any{"nvidia.com/gpu": "14"}})
				},
				Config: config,
				ConfigStateChecks: []statecheck.StateCheck{
					is(at(1, "gpu", "allocated"), knownvalue.Float64Exact(12)), is(at(1, "gpu", "requested"), knownvalue.Float64Exact(14)), is(at(1, "cpu", "allocated"), knownvalue.StringExact("3")),
				},
			},
			{
				PreConfig: func() { api.Delete(t, queue("usage-dept-usage")); api.AwaitGone(t, queue("usage-dept-usage")) },
				Config:    config,
				ConfigStateChecks: []statecheck.StateCheck{
					is(at(0, "name"), knownvalue.StringExact("usage-team-usage")), is(at(0, "level"), knownvalue.Null()), is(tfjsonpath.New("problems"), knownvalue.ListSizeExact(1)),
				},
			},
		},
	})
}
