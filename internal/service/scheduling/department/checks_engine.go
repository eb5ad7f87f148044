package department

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// namespacesServe finds projects that nobody could use, and promises about namespaces that nothing could keep.
func namespacesServe(m Model) []composite.Finding {
	var out []composite.Finding
	for _, p := range projectsOf(m) {
		none := !p.Namespaces.IsUnknown() && len(p.Namespaces.Elements()) == 0
		if none && p.enforce {
			out = append(out, composite.Finding{Path: atProject(p.key).AtName("enforce_namespaces"), Summary: "Nothing to enforce", Detail: fmt.Sprintf(
				"Project %s enforces its namespaces and has none, so nobody could ever use its queues. List its namespaces, or take enforce_namespaces away.", p.name)})
			continue
		}
		if none && engineOf(m) == scheduling.EngineKueue {
			out = append(out, composite.Finding{Warning: true, Path: atProject(p.key).AtName("namespaces"), Summary: "A queue that no namespace can use", Detail: fmt.Sprintf(
				"Project %s lists no namespaces. A ClusterQueue without a namespaceSelector admits work from no namespace at all, so its quota only is lent to others. List the namespaces of the project.", p.name)})
		}
	}
	return out
}

// gpusForWhatMayNotBePreempted says where work that must not be preempted never starts: it runs within the quota of its queue
// and of every ancestor, and Deployments and notebooks are such work unless their labels say otherwise.
func gpusForWhatMayNotBePreempted(m Model) []composite.Finding {
	if engineOf(m) != scheduling.EngineKAI {
		return nil
	}
	var out []composite.Finding
	for _, pool := range poolsOf(m) {
		var without []string
		at := path.Empty()
		for _, p := range projectsOf(m) {
			shares, has := p.pools[pool.key]
			if s := shares.Of(scheduling.GPU); has && s.Quota.Known() && s.Quota.Units == 0 && (s.Limit.Unlimited || s.Limit.Units > 0) {
				without = append(without, p.name)
				at = p.node(pool.key).At.AtName("gpu")
			}
		}
		if len(without) > 1 {
			at = path.Root("projects")
		}
		if len(without) > 0 {
			out = append(out, composite.Finding{Warning: true, Path: at, Summary: "No guaranteed GPU", Detail: fmt.Sprintf(
				"%s in pool %s. Only preemptible work can run there: Deployments, notebooks and whatever has a priority of 100 or more stay Pending for ever, unless they carry the label %s=preemptible. Set gpu.quota where such work is expected, or gpu.limit = 0 where no GPU is meant.",
				"GPU quota 0: "+scheduling.Few(without), pool.key, scheduling.LabelPreemptible)})
		}
	}
	return out
}

// kueueHasNoWordFor names what the declaration says and Kueue cannot be told.
func kueueHasNoWordFor(m Model) []composite.Finding {
	if engineOf(m) != scheduling.EngineKueue {
		return nil
	}
	var out []composite.Finding
	dropped := func(set bool, at path.Path, reason string) {
		if set {
			out = append(out, composite.Finding{Warning: true, Path: at, Summary: "No effect on Kueue", Detail: fmt.Sprintf("%s: %s", at, reason)})
		}
	}
	dropped(!m.Priority.IsNull(), path.Root("priority"), scheduling.KueueNoPriority)
	dropped(!m.ReclaimMinRuntime.IsNull(), path.Root("reclaim_min_runtime"), scheduling.KueueNoRuntime)
	projects := projectsOf(m)
	for _, p := range projects {
		at := atProject(p.key)
		dropped(!p.Priority.IsNull(), at.AtName("priority"), scheduling.KueueNoPriority)
		dropped(!p.PreemptMinRuntime.IsNull(), at.AtName("preempt_min_runtime"), scheduling.KueueNoRuntime)
		dropped(!p.ReclaimMinRuntime.IsNull(), at.AtName("reclaim_min_runtime"), scheduling.KueueNoRuntime)
		out = append(out, oneWeightForAllPools(p.node, p.name, p.sortedPools())...)
	}
	pools := poolsOf(m)
	keys := make([]string, 0, len(pools))
	for _, p := range pools {
		keys = append(keys, p.key)
		out = append(out, sumsCount(m, p, projects)...)
	}
	byKey := map[string]pool{}
	for _, p := range pools {
		byKey[p.key] = p
	}
	return append(out, oneWeightForAllPools(func(key string) scheduling.Node { return departmentNode(m, byKey[key]) }, m.Name.ValueString(), keys)...)
}

// oneWeightForAllPools: a ClusterQueue or Cohort has one weight, whatever the flavor. That of the first pool is taken.
func oneWeightForAllPools(node func(key string) scheduling.Node, name string, keys []string) []composite.Finding {
	var out []composite.Finding
	for i, key := range keys {
		first, here := node(keys[0]).Shares.Of(scheduling.GPU), node(key).Shares.Of(scheduling.GPU)
		if i > 0 && !first.WeightUnknown && !here.WeightUnknown && first.Weight != here.Weight {
			out = append(out, composite.Finding{Warning: true, Path: node(key).At.AtName("gpu").AtName("over_quota_weight"), Summary: "Kueue has one weight for all pools", Detail: fmt.Sprintf(
				"%s has weight %g in pool %s and %g in pool %s. A queue of Kueue has one weight: that of %s, the first pool, is taken. Use the same weight in all pools, or engine = \"kai\".", name, first.Weight, keys[0], here.Weight, key, keys[0])})
		}
	}
	return out
}

// sumsCount: the quota of a Cohort adds to those of its members, so that a department of Kueue never has less than its
// projects together. Only where oversubscribe lets that pass is there something to say.
func sumsCount(m Model, p pool, projects []project) []composite.Finding {
	if how := m.Oversubscribe.ValueString(); how != scheduling.OversubscribeWarn && how != scheduling.OversubscribeAllow {
		return nil
	}
	var out []composite.Finding
	for _, r := range scheduling.Resources {
		has, sum := p.shares.Of(r).Quota, scheduling.Amount{}
		for _, child := range children(projects, p.key) {
			if q := child.Shares.Of(r).Quota; q.Known() {
				sum = sum.Plus(q)
			}
		}
		if has.Known() && sum.Above(has) {
			out = append(out, composite.Finding{Warning: true, Path: atPool(p.key).AtName(string(r)).AtName("quota"), Summary: "No effect on Kueue", Detail: fmt.Sprintf(
				"Department %s has %s in pool %s and its projects ask %s. On Kueue the quota of a department adds to those of its projects, so it cannot be less than their sum: the department has %s.",
				m.Name.ValueString(), has.Said(r), p.key, sum.Text(r), sum.Text(r))})
		}
	}
	return out
}
