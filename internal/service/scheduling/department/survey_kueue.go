package department

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// surveyKueue compares the declaration with the Cohorts and ClusterQueues that there are.
func surveyKueue(m Model, live composite.Live) []composite.Finding {
	var out []composite.Finding
	name, projects, pools := m.Name.ValueString(), projectsOf(m), poolsOf(m)
	parents := map[string]string{name: scheduling.RootCohort}
	for _, c := range composite.All[kueue.Cohort](live, kueue.CohortKind) {
		if c.Name != name {
			parents[c.Name] = c.Spec.ParentName
		}
	}
	if cycle := scheduling.Loop(name, parents); cycle != nil {
		out = append(out, composite.Finding{Path: path.Root("name"), Summary: "A cycle of Cohorts", Detail: fmt.Sprintf(
			"The Cohorts %s would be each other's parents. Kueue then admits no work in any of them. Change the parent of the one that somebody else made.", scheduling.Way(cycle))})
	}
	ours := map[string]project{}
	for _, p := range projects {
		ours[p.name] = p
	}
	var guests []string
	for _, q := range composite.All[kueue.ClusterQueue](live, kueue.ClusterQueueKind) {
		p, mine := ours[q.Name]
		switch {
		case mine:
			for _, pool := range pools {
				if _, has := p.pools[pool.key]; has {
					out = append(out, scheduling.CheckShrink(scheduling.Pool{Label: pool.key}, p.node(pool.key), usageOf(q, pool.Pool), nil)...)
				}
			}
		case q.Spec.CohortName == name && q.Labels[scheduling.LabelDepartment] != name:
			guests = append(guests, q.Name)
		}
	}
	if len(guests) > 0 {
		out = append(out, composite.Finding{Warning: true, Path: path.Root("pools"), Summary: "Quotas of others add to the department", Detail: fmt.Sprintf(
			"ClusterQueues that are not part of this resource are in Cohort %s: %s. On Kueue their quotas add to that of the department, which has that much more than is written here.", name, scheduling.Few(guests))})
	}
	return out
}

// usageOf is what a ClusterQueue uses of a pool.
func usageOf(q kueue.ClusterQueue, pool scheduling.Pool) map[scheduling.Resource]scheduling.Amount {
	list := api.ResourceList{}
	for _, f := range q.Status.FlavorsUsage {
		for _, r := range f.Resources {
			if f.Name == pool.Flavor {
				list[r.Name] = r.Total
			}
		}
	}
	out := map[scheduling.Resource]scheduling.Amount{}
	for name, text := range list {
		parsed, err := resource.ParseQuantity(text.String())
		if err != nil {
			continue
		}
		switch {
		case name == "cpu":
			out[scheduling.CPU], _ = scheduling.QuantityAmount(scheduling.CPU, parsed)
		case name == "memory":
			out[scheduling.Memory], _ = scheduling.QuantityAmount(scheduling.Memory, parsed)
		case name == pool.Resource && !strings.HasPrefix(name, "requests."):
			out[scheduling.GPU] = scheduling.Amount{Units: parsed.ScaledValue(resource.Micro)}
		}
	}
	return out
}
