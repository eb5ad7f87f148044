package department

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// pool is a pool of the department with its defaults filled in.
type pool struct {
	scheduling.Pool
	key    string
	shares scheduling.Shares
	open   bool // not all of it is known
}

// project is a project with its defaults filled in.
type project struct {
	Project
	key, name string
	named     bool // the name is known
	pools     map[string]scheduling.Shares
	enforce   bool
	create    bool
}

// pools lists the pools in the order of their keys.
func poolsOf(m Model) []pool {
	var out []pool
	for _, key := range m.Pools.Keys() {
		p, known := m.Pools.Known()[key].Get()
		ref, set := p.SchedulingPool.Get()
		if !set {
			ref = scheduling.PoolRef{Resource: p.Resource, Capacity: p.Capacity}
		}
		ref.NodePool = types.StringValue(key)
		out = append(out, pool{Pool: scheduling.PoolOf(ref), key: key, shares: p.Shares,
			open: !known || p.SchedulingPool.IsUnknown() || ref.Name.IsUnknown() || ref.Resource.IsUnknown() || !p.Known()})
	}
	return out
}

// projectsOf lists the projects in the order of their keys.
func projectsOf(m Model) []project {
	known := m.Projects.Known()
	var out []project
	for _, key := range slices.Sorted(maps.Keys(known)) {
		p, ok := known[key].Get()
		one := project{Project: p, key: key, name: key, named: ok && !p.Name.IsUnknown(), pools: map[string]scheduling.Shares{},
			enforce: p.EnforceNamespaces.ValueBool(), create: p.CreateNamespaces.IsNull() || p.CreateNamespaces.ValueBool()}
		if name := p.Name.ValueString(); name != "" {
			one.name = name
		}
		for k, shares := range p.Pools.Known() {
			if s, ok := shares.Get(); ok {
				one.pools[k] = s.Shares
			} else {
				one.pools[k] = unknownShares
			}
		}
		out = append(out, one)
	}
	return out
}

var unknownShares = scheduling.Shares{GPU: tf.UnknownObject[scheduling.GPUShare](), CPU: tf.UnknownObject[scheduling.QuantityShare](), Memory: tf.UnknownObject[scheduling.QuantityShare]()}

// namespaces are the known namespaces of a project, sorted: their order means nothing.
func (p project) namespaces() []string {
	return slices.Compact(slices.Sorted(slices.Values(scheduling.Texts(p.Namespaces))))
}

// sortedPools are the keys of a project's pools.
func (p project) sortedPools() []string { return slices.Sorted(maps.Keys(p.pools)) }

func atPool(key string) path.Path    { return path.Root("pools").AtMapKey(key) }
func atProject(key string) path.Path { return path.Root("projects").AtMapKey(key) }

// department is the department in the tree of a pool.
func departmentNode(m Model, p pool) scheduling.Node {
	return scheduling.Node{Who: "department " + m.Name.ValueString(), At: atPool(p.key), Shares: p.shares}
}

func (p project) node(key string) scheduling.Node {
	return scheduling.Node{Who: "project " + p.name, At: atProject(p.key).AtName("pools").AtMapKey(key), Shares: p.pools[key]}
}

// children are the projects that have a part of a pool.
func children(projects []project, key string) []scheduling.Node {
	var out []scheduling.Node
	for _, p := range projects {
		if _, ok := p.pools[key]; ok {
			out = append(out, p.node(key))
		}
	}
	return out
}
