package department

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// composeKueue returns a Cohort for the department, a ClusterQueue for each project and its LocalQueues.
func composeKueue(m Model) ([]composite.Object, error) {
	pools, projects := poolsOf(m), projectsOf(m)
	name, devices := m.Name.ValueString(), devicesOf(pools)

	annotations, err := annotated(recordOf(m, m.Pools.Keys()...), m.DisplayName.ValueString())
	if err != nil {
		return nil, err
	}
	cohort := kueue.Cohort{Spec: kueue.CohortSpec{ParentName: scheduling.RootCohort}}
	cohort.Labels, cohort.Annotations = map[string]string{scheduling.LabelDepartment: name}, annotations
	group := scheduling.ResourceGroup(devices)
	for _, p := range pools {
		group.Flavors = append(group.Flavors, scheduling.Flavor(p.Pool, devices, func(r scheduling.Resource) scheduling.Cell {
			return scheduling.CohortCell(r, p.shares.Of(r), sumOf(projects, p.key, r))
		}))
	}
	if len(pools) > 0 { // an import of what is broken may find none
		cohort.Spec.ResourceGroups, cohort.Spec.FairSharing = []kueue.ResourceGroup{group}, scheduling.Weight(pools[0].shares)
	}
	top, err := composite.NewObject(kueue.CohortKind, "", name, cohort)
	if err != nil {
		return nil, err
	}
	out := []composite.Object{top}
	for _, p := range projects {
		queues, err := kueueProject(name, p, pools, devices)
		if err != nil {
			return nil, err
		}
		out = append(out, queues...)
	}
	return out, nil
}

// devicesOf lists what the GPUs of all pools are offered as. Every flavor of a resource group must list every resource of it,
// in one order.
func devicesOf(pools []pool) []string {
	seen := map[string]bool{}
	for _, p := range pools {
		seen[p.Resource] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// sumOf is what the projects have of a pool together.
func sumOf(projects []project, key string, r scheduling.Resource) scheduling.Amount {
	var sum scheduling.Amount
	for _, p := range projects {
		if shares, has := p.pools[key]; has {
			sum = sum.Plus(scheduling.Amount{Units: scheduling.QueueCell(r, shares.Of(r)).Nominal.Units})
		}
	}
	return sum
}

// kueueProject returns the ClusterQueue of a project and its LocalQueue in each namespace.
func kueueProject(department string, p project, pools []pool, devices []string) ([]composite.Object, error) {
	record := p.record()
	record.Namespaces = nil // they show
	annotations, err := annotated(record, p.DisplayName.ValueString())
	if err != nil {
		return nil, err
	}
	labels := map[string]string{scheduling.LabelDepartment: department, scheduling.LabelProjectOf: p.name}
	queue := kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{
		CohortName: department,
		Preemption: scheduling.Preemption(),
	}}
	queue.Labels, queue.Annotations = labels, annotations
	group := scheduling.ResourceGroup(devices)
	for _, pool := range pools {
		shares, has := p.pools[pool.key]
		if !has {
			continue
		}
		if queue.Spec.FairSharing == nil {
			queue.Spec.FairSharing = scheduling.Weight(shares)
		}
		group.Flavors = append(group.Flavors, scheduling.Flavor(pool.Pool, devices, func(r scheduling.Resource) scheduling.Cell { return scheduling.QueueCell(r, shares.Of(r)) }))
	}
	if len(group.Flavors) > 0 {
		queue.Spec.ResourceGroups = []kueue.ResourceGroup{group}
	}
	if namespaces := p.namespaces(); len(namespaces) > 0 {
		queue.Spec.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: scheduling.LabelNamespaceName, Operator: metav1.LabelSelectorOpIn, Values: namespaces}}}
	}
	first, err := composite.NewObject(kueue.ClusterQueueKind, "", p.name, queue)
	if err != nil {
		return nil, err
	}
	out := []composite.Object{first}
	for _, namespace := range p.namespaces() {
		local := kueue.LocalQueue{Spec: kueue.LocalQueueSpec{ClusterQueue: p.name}}
		local.Labels = maps.Clone(labels)
		o, err := composite.NewObject(kueue.LocalQueueKind, namespace, p.name, local)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
