package department

import (
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose reads the shares of queues, and what else of them is an attribute, where it differs from the model. Whatever has
// no queue stays as it is; that it is missing shows as drift.
func decompose(live composite.Live, m Model) Model {
	if engineOf(m) == scheduling.EngineKueue {
		return decomposeKueue(live, m)
	}
	return decomposeKAI(live, m)
}

// edit is a model that is being changed in some pools and projects.
type edit struct {
	Model
	pools    map[string]tf.Object[Pool]
	projects map[string]tf.Object[Project]
}

func editOf(m Model) edit { return edit{m, m.Pools.Known(), m.Projects.Known()} }

// done puts the pools and projects back, where there are any.
func (e edit) done() Model {
	if len(e.pools) > 0 {
		e.Pools = tf.MapOf(e.pools)
	}
	if len(e.projects) > 0 {
		e.Projects = tf.MapOf(e.projects)
	}
	return e.Model
}

func (e edit) pool(key string, shares map[scheduling.Resource]scheduling.Share) {
	if p, ok := e.pools[key].Get(); ok {
		p.Shares = p.With(shares)
		e.pools[key] = tf.ObjectOf(p)
	}
}

// project changes a project, and its part of a pool.
func (e edit) project(key, pool string, shares map[scheduling.Resource]scheduling.Share, change func(p *Project)) {
	p, ok := e.projects[key].Get()
	if !ok {
		return
	}
	parts := p.Pools.Known()
	if part, ok := parts[pool].Get(); ok {
		part.Shares = part.With(shares)
		parts[pool] = tf.ObjectOf(part)
		p.Pools = tf.MapOf(parts)
	}
	change(&p)
	e.projects[key] = tf.ObjectOf(p)
}

func decomposeKAI(live composite.Live, m Model) Model {
	e, queues := editOf(m), byName(composite.All[kai.Queue](live, kai.QueueKind))
	name := m.Name.ValueString()
	var kept bool // what the model says of the department is true of one of its queues: another one differs, as drift
	for _, key := range m.Pools.Keys() {
		if q, ok := queues[scheduling.QueueName(name, key)]; ok {
			e.pool(key, scheduling.KAIShares(q))
			kept = kept || sameHead(e.Model, q)
		}
	}
	for _, key := range m.Pools.Keys() {
		if q, ok := queues[scheduling.QueueName(name, key)]; ok && !kept {
			e.DisplayName, e.Priority = scheduling.TextWith(e.DisplayName, q.Spec.DisplayName), scheduling.PriorityWith(e.Priority, q.Spec.Priority)
			e.ReclaimMinRuntime = scheduling.DurationWith(e.ReclaimMinRuntime, q.Spec.ReclaimMinRuntime)
			break
		}
	}
	for _, p := range projectsOf(m) {
		head, same := (*kai.Queue)(nil), false
		for _, key := range p.sortedPools() {
			if q, ok := queues[scheduling.QueueName(p.name, key)]; ok {
				e.project(p.key, key, scheduling.KAIShares(q), func(*Project) {})
				if head == nil {
					head = &q
				}
				same = same || sameProject(p.Project, q)
			}
		}
		if head != nil && !same {
			e.project(p.key, "", nil, func(x *Project) {
				x.DisplayName, x.Priority = scheduling.TextWith(x.DisplayName, head.Spec.DisplayName), scheduling.PriorityWith(x.Priority, head.Spec.Priority)
				x.PreemptMinRuntime, x.ReclaimMinRuntime = scheduling.DurationWith(x.PreemptMinRuntime, head.Spec.PreemptMinRuntime), scheduling.DurationWith(x.ReclaimMinRuntime, head.Spec.ReclaimMinRuntime)
			})
		}
	}
	return e.done()
}

func sameHead(m Model, q kai.Queue) bool {
	return m.DisplayName.ValueString() == q.Spec.DisplayName && scheduling.PriorityWith(m.Priority, q.Spec.Priority).Equal(m.Priority) && m.ReclaimMinRuntime.ValueString() == q.Spec.ReclaimMinRuntime
}

func sameProject(p Project, q kai.Queue) bool {
	return p.DisplayName.ValueString() == q.Spec.DisplayName && scheduling.PriorityWith(p.Priority, q.Spec.Priority).Equal(p.Priority) &&
		p.PreemptMinRuntime.ValueString() == q.Spec.PreemptMinRuntime && p.ReclaimMinRuntime.ValueString() == q.Spec.ReclaimMinRuntime
}

func byName(queues []kai.Queue) map[string]kai.Queue {
	out := make(map[string]kai.Queue, len(queues))
	for _, q := range queues {
		out[q.Name] = q
	}
	return out
}

func decomposeKueue(live composite.Live, m Model) Model {
	e := editOf(m)
	queues := map[string]kueue.ClusterQueue{}
	for _, q := range composite.All[kueue.ClusterQueue](live, kueue.ClusterQueueKind) {
		queues[q.Name] = q
	}
	projects, pools := projectsOf(m), poolsOf(m)
	sums := map[string]map[scheduling.Resource]scheduling.Amount{} // what projects have, as it is live
	add := func(pool string, r scheduling.Resource, a scheduling.Amount) {
		if sums[pool] == nil {
			sums[pool] = map[scheduling.Resource]scheduling.Amount{}
		}
		sums[pool][r] = sums[pool][r].Plus(a)
	}
	for _, p := range projects {
		q, there := queues[p.name]
		weighed := false
		for _, pool := range pools {
			shares, has := p.pools[pool.key]
			if !has {
				continue
			}
			changed := map[scheduling.Resource]scheduling.Share{}
			for _, r := range scheduling.Resources {
				wanted := scheduling.QueueCell(r, shares.Of(r))
				cell, ok := cellIn(q.Spec.ResourceGroups, pool.Pool, r)
				if !there || !ok {
					cell = wanted
				}
				if cell != wanted {
					changed[r] = weighted(scheduling.ShareOf(r, cell, scheduling.Amount{}), shares.Of(r))
				}
				add(pool.key, r, cell.Nominal)
			}
			if !weighed && there {
				changed = reweighted(changed, shares, scheduling.WeightOf(q.Spec.FairSharing))
			}
			weighed = true
			e.project(p.key, pool.key, changed, func(x *Project) {
				if there {
					x.DisplayName = scheduling.TextWith(x.DisplayName, q.Annotations[scheduling.AnnotationDisplayName])
				}
			})
		}
	}
	if cohort, ok := composite.As[kueue.Cohort](live, kueue.CohortKind, m.Name.ValueString()); ok {
		e.DisplayName = scheduling.TextWith(e.DisplayName, cohort.Annotations[scheduling.AnnotationDisplayName])
		for i, pool := range pools {
			changed := map[scheduling.Resource]scheduling.Share{}
			for _, r := range scheduling.Resources {
				was := sumOf(projects, pool.key, r)
				cell, ok := cellIn(cohort.Spec.ResourceGroups, pool.Pool, r)
				if now := sums[pool.key][r]; ok && (cell != scheduling.CohortCell(r, pool.shares.Of(r), was) || now != was && cell != scheduling.CohortCell(r, pool.shares.Of(r), now)) {
					changed[r] = weighted(scheduling.ShareOf(r, cell, now), pool.shares.Of(r))
				}
			}
			if i == 0 {
				changed = reweighted(changed, pool.shares, scheduling.WeightOf(cohort.Spec.FairSharing))
			}
			e.pool(pool.key, changed)
		}
	}
	return e.done()
}

// weighted keeps the weight of the model: Kueue has one for all.
func weighted(s, was scheduling.Share) scheduling.Share {
	s.Weight = was.Weight
	return s
}

// reweighted notes another weight, which is that of GPUs.
func reweighted(changed map[scheduling.Resource]scheduling.Share, shares scheduling.Shares, weight float64) map[scheduling.Resource]scheduling.Share {
	share, ok := changed[scheduling.GPU]
	if !ok {
		share = shares.Of(scheduling.GPU)
	}
	if share.Weight != weight {
		share.Weight = weight
		changed[scheduling.GPU] = share
	}
	return changed
}

// cellIn finds what a queue has of a resource in a pool.
func cellIn(groups []kueue.ResourceGroup, pool scheduling.Pool, r scheduling.Resource) (scheduling.Cell, bool) {
	for _, g := range groups {
		for _, f := range g.Flavors {
			if f.Name == pool.Flavor {
				return scheduling.CellOf(f, r, pool.Resource)
			}
		}
	}
	return scheduling.Cell{}, false
}
