package department

import (
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// composeKAI returns a tree of Queues for each pool, parents first: a queue without its parent is dropped by the scheduler.
func composeKAI(m Model) ([]composite.Object, error) {
	var out []composite.Object
	name, projects := m.Name.ValueString(), projectsOf(m)
	for _, pool := range poolsOf(m) {
		annotations, err := annotated(recordOf(m, pool.key), "")
		if err != nil {
			return nil, err
		}
		q := scheduling.KAIQueue(pool.shares)
		q.Labels = map[string]string{scheduling.LabelNodePool: pool.key, scheduling.LabelDepartment: name}
		q.Annotations = annotations
		q.Spec.DisplayName, q.Spec.Priority, q.Spec.ReclaimMinRuntime = m.DisplayName.ValueString(), scheduling.Priority(m.Priority), m.ReclaimMinRuntime.ValueString()
		o, err := composite.NewObject(kai.QueueKind, "", scheduling.QueueName(name, pool.key), q)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
		for _, p := range projects {
			shares, has := p.pools[pool.key]
			if !has {
				continue
			}
			o, err := kaiProject(name, pool.key, p, shares)
			if err != nil {
				return nil, err
			}
			out = append(out, o)
		}
	}
	return out, nil
}

func kaiProject(department, pool string, p project, shares scheduling.Shares) (composite.Object, error) {
	annotations, err := annotated(p.record(), "")
	if err != nil {
		return composite.Object{}, err
	}
	q := scheduling.KAIQueue(shares)
	q.Labels = map[string]string{scheduling.LabelNodePool: pool, scheduling.LabelDepartment: department, scheduling.LabelProjectOf: p.name}
	q.Annotations = annotations
	q.Spec.ParentQueue = scheduling.QueueName(department, pool)
	q.Spec.DisplayName, q.Spec.Priority = p.DisplayName.ValueString(), scheduling.Priority(p.Priority)
	q.Spec.PreemptMinRuntime, q.Spec.ReclaimMinRuntime = p.PreemptMinRuntime.ValueString(), p.ReclaimMinRuntime.ValueString()
	return composite.NewObject(kai.QueueKind, "", scheduling.QueueName(p.name, pool), q)
}
