package department

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// research is the department of the reference deployment: cards of two vendors in two places.
const research = `
display_name: Research
pools:
  quebec-a100:
    scheduling_pool: {name: quebec, node_pool: quebec-a100, resource: nvidia.com/gpu, capacity: 24}
    gpu: {quota: 16, limit: 24}
    cpu: {quota: "512"}
  atlanta-mi300x:
    scheduling_pool: {name: atlanta, node_pool: atlanta-mi300x, resource: amd.com/gpu, capacity: 16}
    gpu: {quota: 8, over_quota_weight: 1}
projects:
  vision:
    display_name: Vision
    namespaces: [vision-train, vision-serve]
    enforce_namespaces: true
    pools:
      quebec-a100:
        gpu: {quota: 8, limit: 12, over_quota_weight: 2}
        cpu: {quota: "256", over_quota_weight: 2}
        memory: {quota: 1Ti, limit: 2Ti, over_quota_weight: 2}
  language:
    name: nlp
    namespaces: [nlp]
    create_namespaces: false
    pools:
      quebec-a100:
        gpu: {quota: 8}
        cpu: {quota: 128500m}
      atlanta-mi300x:
        gpu: {quota: 4, limit: 8}
`

const head = "name: research\ncluster: {name: train, namespace: train}\n"

// configs are the cases of golden files, of the law and of other tests.
var configs = map[string]string{
	"kai-reference":   head + "engine: kai\npriority: 200\nreclaim_min_runtime: 30m\n" + research,
	"kueue-reference": head + "engine: kueue\n" + research,
	"kai-minimal":     head + "engine: kai\npools: {quebec-a100: {resource: nvidia.com/gpu}}\n",
	"kueue-minimal":   head + "engine: kueue\npools: {quebec-a100: {resource: nvidia.com/gpu}}\n",
	"kai-fractions": head + `engine: kai
oversubscribe: warn
pools: {quebec-a100: {resource: nvidia.com/gpu, capacity: 4, gpu: {quota: 2.5, limit: 4}, cpu: {quota: "1.5", limit: "64"}, memory: {quota: 1000001, limit: 64Gi}}}
projects:
  notebooks:
    priority: 50
    preempt_min_runtime: 15m
    reclaim_min_runtime: 1h30m
    pools: {quebec-a100: {gpu: {quota: 0.5, limit: 0.75, over_quota_weight: 0.5}, cpu: {quota: 100m}, memory: {quota: "0"}}}
`,
	"kueue-limits": head + `engine: kueue
pools: {mig: {resource: nvidia.com/mig-3g.40gb, capacity: 8, gpu: {quota: 6, limit: 7}, cpu: {limit: "64"}, memory: {quota: 512Gi, limit: 512Gi}}}
projects:
  small: {namespaces: [small], pools: {mig: {gpu: {quota: 2, limit: 2, over_quota_weight: 0}, cpu: {limit: "16"}, memory: {quota: 100G, limit: 200G}}}}
  large: {namespaces: [large], pools: {mig: {gpu: {quota: 4}, cpu: {quota: "8"}, memory: {quota: 128Gi}}}}
`,
}

func TestDepartmentsBecomeTheseObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }
