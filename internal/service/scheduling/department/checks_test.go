package department

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

func TestTheSchemaIsWhole(t *testing.T) { compositetest.Schema(t, Kind) }

// with is a department on KAI with these pools, projects and more.
func with(engine, pools, projects string, more ...string) string {
	return fmt.Sprintf("{name: research, cluster: {name: train, namespace: train}, engine: %s, pools: {%s}, projects: {%s}%s}", engine, pools, projects, strings.Join(append([]string{""}, more...), ", "))
}

// pool is a pool of 24 cards of NVIDIA with these shares.
func poolWith(shares string) string {
	return "quebec-a100: {resource: nvidia.com/gpu, capacity: 24, " + shares + "}"
}

func projectWith(name, shares string) string {
	return fmt.Sprintf("%s: {namespaces: [%s], pools: {quebec-a100: {%s}}}", name, name, shares)
}

const (
	sixteen = "gpu: {quota: 16}"
	vision  = "vision: {namespaces: [vision], pools: {quebec-a100: {gpu: {quota: 8}}}}"
)

// wrongTrees are departments that no scheduler would complain about and that would not work, with what the plan says of each.
var wrongTrees = map[string]struct{ config, at, says string }{
	"quotas of projects above that of the department": {
		with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 16}")+", "+projectWith("language", "gpu: {quota: 8}")),
		`pools["quebec-a100"].gpu.quota`, "Projects ask 24 GPUs, department research has 16 in pool quebec-a100"},
	"one project above the department": {
		with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 17}")), `pools["quebec-a100"].gpu.quota`, "One project asks 17 GPUs, department research has 16 in pool quebec-a100"},
	"fractions that add up to more": {
		with("kai", poolWith("gpu: {quota: 1}"), projectWith("a", "gpu: {quota: 0.6}")+", "+projectWith("b", "gpu: {quota: 0.5}")), `pools["quebec-a100"].gpu.quota`, "Projects ask 1.1 GPUs, department research has 1 in pool quebec-a100"},
	"CPU quotas above that of the department": {
		with("kai", poolWith(sixteen+`, cpu: {quota: "64"}`), projectWith("vision", `gpu: {quota: 8}, cpu: {quota: "64500m"}`)), `pools["quebec-a100"].cpu.quota`, "One project asks 64500m CPUs, department research has 64 in pool quebec-a100"},
	"memory quotas above that of the department": {
		with("kai", poolWith(sixteen+`, memory: {quota: 1Ti}`), projectWith("a", `gpu: {quota: 8}, memory: {quota: 512Gi}`)+", "+projectWith("b", `gpu: {quota: 8}, memory: {quota: 513Gi}`)), `pools["quebec-a100"].memory.quota`, "Projects ask 1025Gi of memory, department research has 1Ti in pool quebec-a100"},
	"an unlimited project under a limited department": {
		with("kai", poolWith(sixteen+`, cpu: {quota: "64"}`), vision), `projects["vision"].pools["quebec-a100"].cpu.quota`, "Project vision has no quota of cpu in pool quebec-a100, which means unlimited, and department research has 64 CPUs"},
	"sums that only warn, by oversubscribe": {
		with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 17}"), "oversubscribe: warn"), `pools["quebec-a100"].gpu.quota`, "warning: One project asks 17 GPUs"},
	"a limit under the quota of a department": {
		with("kai", poolWith("gpu: {quota: 16, limit: 8}"), ""), `pools["quebec-a100"].gpu.limit`, "Department research has a quota of 16 GPUs in pool quebec-a100 and a limit of 8"},
	"a limit under the quota of a project": {
		with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 8, limit: 7.5}")), `projects["vision"].pools["quebec-a100"].gpu.limit`, "Project vision has a quota of 8 GPUs in pool quebec-a100 and a limit of 7.5"},
	"a CPU limit under the quota": {
		with("kai", poolWith(sixteen+`, cpu: {quota: "2", limit: 1999m}`), ""), `pools["quebec-a100"].cpu.limit`, "a quota of 2 CPUs in pool quebec-a100 and a limit of 1999m"},
	"a memory limit under the quota": {
		with("kueue", poolWith(sixteen+`, memory: {quota: 1Gi, limit: 1G}`), ""), `pools["quebec-a100"].memory.limit`, "a quota of 1Gi of memory in pool quebec-a100 and a limit of 1G"},
	"a project's limit above the department's": {
		with("kai", poolWith("gpu: {quota: 16, limit: 20}"), projectWith("vision", "gpu: {quota: 8, limit: 24}")), `projects["vision"].pools["quebec-a100"].gpu.limit`, "warning: Project vision may use 24 GPUs in pool quebec-a100 by its own limit, but department research ends at 20"},
	"a pool that the department does not have": {
		with("kai", poolWith(sixteen), "vision: {pools: {atlanta-mi300x: {gpu: {quota: 1}}}}"), `projects["vision"].pools["atlanta-mi300x"]`, "Project vision asks for pool atlanta-mi300x, of which department research has nothing: its queue would have no parent"},
	"a pool of which nothing is known": {
		with("kai", "quebec-a100: {gpu: {quota: 16}}", ""), `pools["quebec-a100"]`, "has neither scheduling_pool nor resource"},
	"a scheduling pool without a resource": {
		with("kai", "quebec-a100: {scheduling_pool: {name: quebec, engine: kai, node_pool: quebec-a100}, gpu: {quota: 16}}", ""), `pools["quebec-a100"].scheduling_pool`, "says no resource"},
	"a resource beside a scheduling pool": {
		with("kai", "quebec-a100: {resource: nvidia.com/gpu, scheduling_pool: {node_pool: quebec-a100, resource: nvidia.com/gpu}}", ""), `pools["quebec-a100"].resource`, "has scheduling_pool and resource"},
	"a capacity beside a scheduling pool": {
		with("kai", "quebec-a100: {capacity: 8, scheduling_pool: {node_pool: quebec-a100, resource: nvidia.com/gpu}}", ""), `pools["quebec-a100"].capacity`, "has scheduling_pool and capacity"},
	"a scheduling pool of other nodes": {
		with("kai", "quebec: {scheduling_pool: {node_pool: quebec-a100, resource: nvidia.com/gpu}}", ""), `pools["quebec"].scheduling_pool`, "the nodes with kai.scheduler/node-pool=quebec-a100"},
	"a scheduling pool of the other engine": {
		with("kai", "quebec-a100: {scheduling_pool: {engine: kueue, node_pool: quebec-a100, resource: nvidia.com/gpu}}", ""), `pools["quebec-a100"].scheduling_pool`, `one of engine "kueue", and department research of "kai"`},
	"one flavor for two pools": {
		with("kueue", "a: {scheduling_pool: {name: gpus, node_pool: a, resource: nvidia.com/gpu}}, b: {scheduling_pool: {name: gpus, node_pool: b, resource: nvidia.com/gpu}}", ""), `pools["b"].scheduling_pool`, "Pools a and b both have the ResourceFlavor gpus"},
	"a resource that is none": {
		with("kai", "quebec-a100: {resource: gpu}", ""), `pools["quebec-a100"].resource`, `"gpu" is not a resource that device plugins offer`},
	"a quota above the capacity of the pool": {
		with("kai", poolWith("gpu: {quota: 25}"), ""), `pools["quebec-a100"].gpu.quota`, "Department research has a quota of 25 GPUs, pool quebec-a100 has 24 GPUs"},
	"a quota above the capacity of the scheduling pool": {
		with("kueue", "quebec-a100: {scheduling_pool: {node_pool: quebec-a100, resource: nvidia.com/gpu, capacity: 16}, gpu: {quota: 17}}", ""), `pools["quebec-a100"].gpu.quota`, "a quota of 17 GPUs, pool quebec-a100 has 16 GPUs"},
	"a quota above the slices of MIG devices": {
		with("kai", "mig: {resource: nvidia.com/mig-3g.40gb, capacity: 4, gpu: {quota: 15}}", ""), `pools["mig"].gpu.quota`, "a quota of 15 GPUs, pool mig has 12 GPUs (4 devices of nvidia.com/mig-3g.40gb, 3 each)"},
	"MIG counted as cards": {
		with("kai", "mig: {resource: nvidia.com/mig-3g.40gb, capacity: 4, gpu: {quota: 4}}", ""), `pools["mig"].gpu.quota`, "warning: Department research has a quota of 4 GPUs in pool mig, which offers nvidia.com/mig-3g.40gb. KAI counts each of these devices as 3"},
	"a MIG limit counted as cards": {
		with("kai", "mig: {resource: nvidia.com/mig-2g.20gb, gpu: {quota: 4, limit: 5}}", ""), `pools["mig"].gpu.limit`, "warning: Department research has a limit of 5 GPUs"},
	"a MIG profile that KAI does not count": {
		with("kai", "mig: {resource: nvidia.com/mig-1g.10gb.me, gpu: {quota: 4}}", ""), `pools["mig"].gpu.quota`, "takes a profile with anything behind it as 0 GPUs"},
	"weight 0 with room above the quota": {
		with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 8, over_quota_weight: 0}")), `projects["vision"].pools["quebec-a100"].gpu.over_quota_weight`, "warning: Project vision has weight 0 in pool quebec-a100 with room above its quota of 8 GPUs"},
	"GPU quota 0 where Deployments are expected": {
		with("kai", poolWith(sixteen), projectWith("vision", `cpu: {limit: "4"}`)), `projects["vision"].pools["quebec-a100"].gpu`, "warning: GPU quota 0: vision in pool quebec-a100. Only preemptible work can run there"},
	"a part of a GPU on Kueue": {
		with("kueue", poolWith(sixteen), projectWith("vision", "gpu: {quota: 0.5}")), `projects["vision"].pools["quebec-a100"].gpu.quota`, "Project vision has a quota of 0.5 GPUs in pool quebec-a100. Kueue counts whole devices only"},
	"a limit of a part of a GPU on Kueue": {
		with("kueue", poolWith("gpu: {quota: 1, limit: 1.5}"), ""), `pools["quebec-a100"].gpu.limit`, "a limit of 1.5 GPUs in pool quebec-a100. Kueue counts whole devices only"},
	"CPU finer than a millicore": {
		with("kai", poolWith("cpu: {quota: 100u}"), ""), `pools["quebec-a100"].cpu`, "finer than schedulers count"},
	"memory finer than a byte": {
		with("kai", poolWith("memory: {limit: 100m}"), ""), `pools["quebec-a100"].memory`, "finer than schedulers count"},
	"a name that KAI uses itself": {
		strings.Replace(with("kai", "queue: {resource: nvidia.com/gpu}", ""), "name: research", "name: default", 1), "name", `the name "default-queue" is reserved`},
	"a queue name too long for a label": {
		with("kai", poolWith(sixteen), projectWith(strings.Repeat("a", 52), "gpu: {quota: 1}")), `projects["` + strings.Repeat("a", 52) + `"]`, "has 64 characters; workloads name their queue in a label, which takes at most 63"},
	"a project called as its department": {
		with("kai", poolWith(sixteen), projectWith("research", "gpu: {quota: 1}")), `projects["research"]`, "The queue of project research in pool quebec-a100 would be called research-quebec-a100, and so would that of department research"},
	"two projects of one name": {
		with("kai", poolWith(sixteen), vision+", other: {name: vision, pools: {quebec-a100: {gpu: {quota: 1}}}}"), `projects["vision"]`, "would be called vision-quebec-a100, and so would that of project other"},
	"names that meet across pools": {
		with("kai", "b-c: {resource: nvidia.com/gpu}, c: {resource: nvidia.com/gpu}", "a: {pools: {b-c: {gpu: {quota: 0, limit: 0}}}}, a-b: {pools: {c: {gpu: {quota: 0, limit: 0}}}}"), `projects["a-b"]`, "would be called a-b-c, and so would that of project a in pool b-c"},
	"two ClusterQueues of one name": {
		with("kueue", poolWith(sixteen), vision+", other: {name: vision, namespaces: [x], pools: {quebec-a100: {gpu: {quota: 1}}}}"), `projects["vision"]`, "The queue of project vision would be called vision"},
	"a department that is its own parent": {
		strings.Replace(with("kueue", poolWith(sixteen), ""), "name: research", "name: k0smos", 1), "name", "would be its own parent"},
	"enforcement without namespaces": {
		with("kai", poolWith(sixteen), "vision: {enforce_namespaces: true, pools: {quebec-a100: {gpu: {quota: 8}}}}"), `projects["vision"].enforce_namespaces`, "enforces its namespaces and has none"},
	"a ClusterQueue that no namespace can use": {
		with("kueue", poolWith(sixteen), "vision: {pools: {quebec-a100: {gpu: {quota: 8}}}}"), `projects["vision"].namespaces`, "warning: Project vision lists no namespaces. A ClusterQueue without a namespaceSelector admits work from no namespace"},
	"a priority on Kueue": {
		with("kueue", poolWith(sixteen), "", "priority: 200"), "priority", "warning: priority: queues of Kueue have no priority"},
	"a project's priority on Kueue": {
		with("kueue", poolWith(sixteen), "vision: {namespaces: [v], priority: 1, pools: {quebec-a100: {gpu: {quota: 8}}}}"), `projects["vision"].priority`, "warning: projects[\"vision\"].priority: queues of Kueue have no priority"},
	"minimum runtimes on Kueue": {
		with("kueue", poolWith(sixteen), "vision: {namespaces: [v], preempt_min_runtime: 5m, pools: {quebec-a100: {gpu: {quota: 8}}}}"), `projects["vision"].preempt_min_runtime`, "warning: projects[\"vision\"].preempt_min_runtime: Kueue has no time in which work cannot be preempted"},
	"protection from reclaim on Kueue": {
		with("kueue", poolWith(sixteen), "", "reclaim_min_runtime: 30m"), "reclaim_min_runtime", "warning: reclaim_min_runtime: Kueue has no time"},
	"another weight for CPU on Kueue": {
		with("kueue", poolWith(sixteen), projectWith("vision", `gpu: {quota: 8, over_quota_weight: 2}, memory: {over_quota_weight: 2}, cpu: {over_quota_weight: 3}`)), `projects["vision"].pools["quebec-a100"].cpu.over_quota_weight`, "warning: cpu.over_quota_weight of project vision in pool quebec-a100 is 3 and that of gpu is 2"},
	"another weight in another pool on Kueue": {
		with("kueue", "a: {resource: nvidia.com/gpu, gpu: {over_quota_weight: 2}, cpu: {over_quota_weight: 2}, memory: {over_quota_weight: 2}}, b: {resource: amd.com/gpu}", ""), `pools["b"].gpu.over_quota_weight`, "warning: research has weight 2 in pool a and 1 in pool b"},
	"oversubscription on Kueue": {
		with("kueue", poolWith(sixteen), projectWith("vision", "gpu: {quota: 20}"), "oversubscribe: allow"), `pools["quebec-a100"].gpu.quota`, "warning: Department research has 16 GPUs in pool quebec-a100 and its projects ask 20. On Kueue the quota of a department adds"},
}

func TestAWrongTreeIsFoundInThePlan(t *testing.T) {
	if len(wrongTrees) < 40 {
		t.Errorf("there are %d", len(wrongTrees))
	}
	for name, c := range wrongTrees {
		t.Run(name, func(t *testing.T) {
			all := found(compositetest.Model(t, Kind, c.config))
			for _, line := range all {
				if strings.HasPrefix(line, c.at+": "+c.says) || strings.HasPrefix(line, c.at+": ") && strings.Contains(line, c.says) && strings.HasPrefix(c.says, "warning") == strings.Contains(line, ": warning: ") {
					return
				}
			}
			t.Errorf("nothing says %q at %s, but\n%s", c.says, c.at, strings.Join(all, "\n"))
		})
	}
}

func found(m Model) []string {
	var out []string
	for _, check := range Kind.Checks {
		for _, f := range check(m) {
			out = append(out, line(f))
		}
	}
	return out
}

func line(f composite.Finding) string {
	level := ""
	if f.Warning {
		level = "warning: "
	}
	return f.Path.String() + ": " + level + f.Detail
}

func TestAGoodTreeIsNotComplainedAbout(t *testing.T) {
	for name, config := range map[string]string{
		"quotas that use up the department": with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 8.5, limit: 12}")+", "+projectWith("language", "gpu: {quota: 7.5}")),
		"equal amounts in other spelling":   with("kai", poolWith(sixteen+`, cpu: {quota: "1"}, memory: {quota: 1Ti}`), projectWith("a", `gpu: {quota: 8}, cpu: {quota: 1000m}, memory: {quota: 1024Gi}`)),
		"tenths that are no exact numbers":  with("kai", poolWith("gpu: {quota: 0.3}"), projectWith("a", "gpu: {quota: 0.1}")+", "+projectWith("b", "gpu: {quota: 0.2}")),
		"an unlimited department":           with("kai", poolWith(sixteen), projectWith("vision", `gpu: {quota: 16}, cpu: {quota: 1M}`)),
		"oversubscription that is allowed":  with("kai", poolWith(sixteen), projectWith("vision", "gpu: {quota: 17}"), "oversubscribe: allow"),
		"whole MIG devices":                 with("kai", "mig: {resource: nvidia.com/mig-3g.40gb, capacity: 4, gpu: {quota: 12, limit: 12}}", ""),
		"MIG devices on Kueue":              with("kueue", "mig: {resource: nvidia.com/mig-1g.10gb.me, capacity: 4, gpu: {quota: 4}}", ""),
		"a name that only KAI reserves":     with("kueue", poolWith(sixteen), "default: {namespaces: [d], pools: {quebec-a100: {gpu: {quota: 8}}}}"),
		"no GPUs meant":                     with("kai", poolWith(sixteen), projectWith("vision", `gpu: {limit: 0}, cpu: {limit: "4"}`)),
		"weight 0 without room":             with("kai", poolWith(sixteen), projectWith("vision", `gpu: {quota: 8, limit: 8, over_quota_weight: 0}`)),
		"two vendors on Kueue":              with("kueue", "a: {resource: nvidia.com/gpu, gpu: {quota: 2}}, b: {resource: amd.com/gpu, gpu: {quota: 2}}", "vision: {namespaces: [v], pools: {a: {gpu: {quota: 1}}, b: {gpu: {quota: 1}}}}"),
		"what is not known yet":             with("kai", "quebec-a100: {scheduling_pool: (not known yet), gpu: {quota: (not known yet)}}", "vision: {name: (not known yet), namespaces: (not known yet), enforce_namespaces: true, pools: {quebec-a100: {gpu: (not known yet)}}}"),
		"an engine that is not known yet":   with("(not known yet)", poolWith(sixteen), vision),
	} {
		t.Run(name, func(t *testing.T) {
			if all := found(compositetest.Model(t, Kind, config)); len(all) > 0 {
				t.Errorf("it is: %s", strings.Join(all, "\n"))
			}
		})
	}
}
