package department

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

var checks = []composite.Check[Model]{poolsAreWhole, sharesHold, projectsFit, namesAreFree, namespacesServe, gpusForWhatMayNotBePreempted, kueueHasNoWordFor}

// engineOf is the engine, or nothing while it is not known.
func engineOf(m Model) string { return m.Engine.ValueString() }

// poolsAreWhole finds pools of which not enough is said, or two different things.
func poolsAreWhole(m Model) []composite.Finding {
	var out []composite.Finding
	flavors := map[string]string{}
	for _, key := range m.Pools.Keys() {
		p, known := m.Pools.Known()[key].Get()
		if !known {
			continue
		}
		refuse := func(at path.Path, summary, detail string, args ...any) {
			out = append(out, composite.Finding{Path: at, Summary: summary, Detail: fmt.Sprintf(detail, args...)})
		}
		at := atPool(key)
		ref, set := p.SchedulingPool.Get()
		switch {
		case p.SchedulingPool.IsUnknown():
			continue
		case !set && p.Resource.IsNull():
			refuse(at, "Nothing is known of the pool", "Pool %s has neither scheduling_pool nor resource, so nobody knows what its GPUs are offered as. Set scheduling_pool = k0smos_scheduling_pool.<name>.ref, or resource, such as %q, and capacity.", key, scheduling.NVIDIAGPU)
		case set && !p.Resource.IsNull():
			refuse(at.AtName("resource"), "The resource is given twice", "Pool %s has scheduling_pool and resource. The scheduling pool says what its GPUs are offered as; remove resource.", key)
		case set && !p.Capacity.IsNull():
			refuse(at.AtName("capacity"), "The capacity is given twice", "Pool %s has scheduling_pool and capacity. The scheduling pool says how many there are; remove capacity, and set it there.", key)
		}
		if !set {
			ref.Resource = p.Resource
		}
		if label := ref.NodePool.ValueString(); label != "" && label != key {
			refuse(at.AtName("scheduling_pool"), "Another pool", "The key of the pool is %q, and its scheduling pool is of the nodes with %s=%s. Queues and workloads would carry a label that no node of the pool has. Use %q as the key.", key, scheduling.LabelNodePool, label, label)
		}
		if engine := ref.Engine.ValueString(); engine != "" && engineOf(m) != "" && engine != engineOf(m) {
			refuse(at.AtName("scheduling_pool"), "Pool of another engine", "Pool %s is one of engine %q, and department %s of %q. Use a scheduling pool of the same engine.", key, engine, m.Name.ValueString(), engineOf(m))
		}
		if set && ref.Resource.IsNull() && !ref.Resource.IsUnknown() {
			refuse(at.AtName("scheduling_pool"), "Nothing is known of the pool", "The scheduling pool of %s says no resource, so nobody knows what its GPUs are offered as. Set resource there, such as %q.", key, scheduling.NVIDIAGPU)
		}
		if resource := ref.Resource.ValueString(); resource != "" && (strings.Count(resource, "/") != 1 || strings.ContainsAny(resource, " =:")) {
			where := at.AtName("resource")
			if set {
				where = at.AtName("scheduling_pool")
			}
			refuse(where, "Not a resource of devices", "%q is not a resource that device plugins offer. Allowed: a vendor's domain, a slash and a name, such as %q, %q or %q.", resource, scheduling.NVIDIAGPU, scheduling.AMDGPU, scheduling.MIGPrefix+"3g.40gb")
		}
		if engineOf(m) == scheduling.EngineKueue && set && ref.Name.ValueString() != "" {
			if other, twice := flavors[ref.Name.ValueString()]; twice {
				refuse(at.AtName("scheduling_pool"), "One flavor for two pools", "Pools %s and %s both have the ResourceFlavor %s. Kueue takes each flavor once in a queue; use a scheduling pool for each.", other, key, ref.Name.ValueString())
			}
			flavors[ref.Name.ValueString()] = key
		}
	}
	return out
}

// sharesHold checks each queue by itself, and sums, limits and capacities down the tree.
func sharesHold(m Model) []composite.Finding {
	var out []composite.Finding
	projects, engine, how := projectsOf(m), engineOf(m), m.Oversubscribe.ValueString()
	for _, p := range poolsOf(m) {
		top, below := departmentNode(m, p), children(projects, p.key)
		p.Label = p.key
		out = append(out, scheduling.CheckNode(engine, p.Pool, top)...)
		for _, child := range below {
			out = append(out, scheduling.CheckNode(engine, p.Pool, child)...)
		}
		out = append(out, scheduling.CheckCapacity(engine, p.Pool, top, how)...)
		if !m.Oversubscribe.IsUnknown() {
			out = append(out, scheduling.CheckSum(p.Pool, top, below, how)...)
		}
	}
	return out
}

// projectsFit finds pools of projects that the department does not have: their queues would have no parent, and the
// scheduler drops a queue without one, with everything below it.
func projectsFit(m Model) []composite.Finding {
	if m.Pools.IsUnknown() {
		return nil
	}
	var out []composite.Finding
	has := m.Pools.Known()
	for _, p := range projectsOf(m) {
		for _, key := range p.sortedPools() {
			if _, ok := has[key]; !ok {
				out = append(out, composite.Finding{Path: atProject(p.key).AtName("pools").AtMapKey(key), Summary: "No parent in this pool", Detail: fmt.Sprintf(
					"Project %s asks for pool %s, of which department %s has nothing: its queue would have no parent, and the scheduler ignores such queues. The department has %s. Add the pool to its pools, or take it from the project.",
					p.name, key, m.Name.ValueString(), quotedList(m.Pools.Keys()))})
			}
		}
	}
	return out
}

// namesAreFree finds names that the scheduler takes for itself, that do not fit into a label, or that two queues share.
func namesAreFree(m Model) []composite.Finding {
	if m.Name.IsUnknown() || engineOf(m) == "" {
		return nil
	}
	var out []composite.Finding
	owner := map[string]string{}
	take := func(at path.Path, name, who string) {
		if wrong := scheduling.WrongQueueName(engineOf(m), name); wrong != "" {
			out = append(out, composite.Finding{Path: at, Summary: "Unusable name of a queue", Detail: fmt.Sprintf("The queue of %s cannot be made: %s. Choose another name.", who, wrong)})
		}
		if other, taken := owner[name]; taken {
			out = append(out, composite.Finding{Path: at, Summary: "Two queues of one name", Detail: fmt.Sprintf("The queue of %s would be called %s, and so would that of %s. Names of queues are unique in a cluster, over all pools. Choose another name.", who, name, other)})
		}
		owner[name] = who
	}
	projects := projectsOf(m)
	if engineOf(m) == scheduling.EngineKueue {
		if m.Name.ValueString() == scheduling.RootCohort {
			out = append(out, composite.Finding{Path: path.Root("name"), Summary: "Unusable name of a queue", Detail: fmt.Sprintf("The Cohort %q is the parent of all departments; a department of that name would be its own parent, and Kueue stops every queue in such a cycle. Choose another name.", scheduling.RootCohort)})
		}
		for _, p := range projects {
			if p.named {
				take(atName(p), p.name, "project "+p.key)
			}
		}
		return out
	}
	for _, key := range m.Pools.Keys() {
		take(path.Root("name"), scheduling.QueueName(m.Name.ValueString(), key), "department "+m.Name.ValueString()+" in pool "+key)
	}
	for _, p := range projects {
		for _, key := range p.sortedPools() {
			if p.named {
				take(atName(p), scheduling.QueueName(p.name, key), "project "+p.key+" in pool "+key)
			}
		}
	}
	return out
}

func atName(p project) path.Path {
	if p.Name.IsNull() {
		return atProject(p.key)
	}
	return atProject(p.key).AtName("name")
}

func quotedList(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
