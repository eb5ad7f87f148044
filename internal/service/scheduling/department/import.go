package department

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/admission"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// locate names the objects of an import that have a name of their own.
func locate(m Model, _ composite.Live) []composite.Ref {
	name := m.Name.ValueString()
	var out []composite.Ref
	if engineOf(m) == scheduling.EngineKueue {
		out = append(out, composite.Ref{Kind: kueue.CohortKind, Name: name})
	}
	return append(out, composite.Ref{Kind: admission.ValidatingAdmissionPolicyKind, Name: policyName(name)},
		composite.Ref{Kind: admission.ValidatingAdmissionPolicyBindingKind, Name: policyName(name)})
}

// locateQueries selects the queues of an import.
func locateQueries(m Model, _ composite.Live) []composite.Query {
	selector := scheduling.LabelDepartment + "=" + m.Name.ValueString()
	if engineOf(m) == scheduling.EngineKueue {
		return []composite.Query{{Kind: kueue.ClusterQueueKind, Selector: selector}, {Kind: kueue.LocalQueueKind, Selector: selector}}
	}
	return []composite.Query{{Kind: kai.QueueKind, Selector: selector}}
}

// imported finds out which pools and projects there are, and leaves their shares to decompose.
func imported(live composite.Live, m Model) Model {
	found := &finding{pools: map[string]Pool{}, projects: map[string]*foundProject{}}
	if engineOf(m) == scheduling.EngineKueue {
		found.kueue(live, m.Name.ValueString())
	} else {
		found.kai(composite.All[kai.Queue](live, kai.QueueKind))
	}
	m.Oversubscribe = tf.TextOrNull(found.oversubscribe)
	pools := map[string]tf.Object[Pool]{}
	for key, p := range found.pools {
		pools[key] = tf.ObjectOf(p)
	}
	m.Pools = tf.MapOf(pools)
	projects := map[string]tf.Object[Project]{}
	for name, p := range found.projects {
		key, project := p.project(name)
		projects[key] = tf.ObjectOf(project)
	}
	if len(projects) > 0 {
		m.Projects = tf.MapOf(projects)
	}
	return decompose(live, m)
}

// finding collects what an import finds.
type finding struct {
	oversubscribe string
	pools         map[string]Pool
	projects      map[string]*foundProject // by name
}

type foundProject struct {
	projectRecord
	pools []string
}

func (f *finding) project(name string, r projectRecord, pools ...string) {
	p := f.projects[name]
	if p == nil {
		p = &foundProject{projectRecord: r}
		f.projects[name] = p
	}
	p.pools = append(p.pools, pools...)
}

func (p *foundProject) project(name string) (key string, out Project) {
	out.CreateNamespaces, out.EnforceNamespaces = types.BoolPointerValue(p.CreateNamespaces), types.BoolPointerValue(p.EnforceNamespaces)
	if len(p.Namespaces) > 0 {
		var list []types.String
		for _, n := range p.Namespaces {
			list = append(list, types.StringValue(n))
		}
		out.Namespaces = tf.ListOf(list...)
	}
	parts := map[string]tf.Object[ProjectPool]{}
	for _, key := range p.pools {
		parts[key] = tf.ObjectOf(ProjectPool{})
	}
	out.Pools = tf.MapOf(parts)
	if p.Key != "" && p.Key != name {
		out.Name = types.StringValue(name)
		return p.Key, out
	}
	return name, out
}

func (f *finding) kai(queues []kai.Queue) {
	for _, q := range queues {
		key, project := q.Labels[scheduling.LabelNodePool], q.Labels[scheduling.LabelProjectOf]
		if project != "" {
			f.project(project, recorded[projectRecord](q.Annotations), key)
			continue
		}
		r := recorded[departmentRecord](q.Annotations)
		f.oversubscribe, f.pools[key] = r.Oversubscribe, r.Pools[key].pool()
	}
}

func (f *finding) kueue(live composite.Live, name string) {
	cohort, _ := composite.As[kueue.Cohort](live, kueue.CohortKind, name)
	r := recorded[departmentRecord](cohort.Annotations)
	f.oversubscribe = r.Oversubscribe
	keys := map[string]string{} // by flavor
	for key, p := range r.Pools {
		pool := p.pool()
		flavor := key
		if ref, ok := pool.SchedulingPool.Get(); ok && ref.Name.ValueString() != "" {
			flavor = ref.Name.ValueString()
		}
		f.pools[key], keys[flavor] = pool, key
	}
	for _, g := range cohort.Spec.ResourceGroups { // of Cohorts that others made
		for _, flavor := range g.Flavors {
			if _, known := keys[flavor.Name]; !known {
				keys[flavor.Name], f.pools[flavor.Name] = flavor.Name, Pool{Resource: types.StringValue(scheduling.DeviceOf(flavor))}
			}
		}
	}
	for _, q := range composite.All[kueue.ClusterQueue](live, kueue.ClusterQueueKind) {
		project := recorded[projectRecord](q.Annotations)
		if s := q.Spec.NamespaceSelector; s != nil {
			for _, e := range s.MatchExpressions {
				if e.Key == scheduling.LabelNamespaceName {
					project.Namespaces = slices.Sorted(slices.Values(e.Values))
				}
			}
		}
		f.project(q.Name, project)
		for _, g := range q.Spec.ResourceGroups {
			for _, flavor := range g.Flavors {
				if key, ok := keys[flavor.Name]; ok {
					f.project(q.Name, project, key)
				}
			}
		}
	}
}
