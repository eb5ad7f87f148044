package usage

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// amounts are what a queue has of one resource in one flavor.
type amounts struct {
	quota, borrow scheduling.Amount
	capped        bool // what may be borrowed has a limit
	used          scheduling.Amount
}

type cells map[string]map[scheduling.Resource]amounts // by flavor

// kueueNodes are Cohorts and ClusterQueues, one entry for each flavor that they, or those below them, have quotas of. The quota
// of a Cohort is what it promises in all: its own and that of its members.
func kueueNodes(cohorts []kueue.Cohort, queues []kueue.ClusterQueue) (nodes []node, problems []string) {
	below := map[string][]cells{}
	for _, q := range queues {
		own := cellsOf(q.Spec.ResourceGroups)
		for _, usage := range q.Status.FlavorsUsage {
			for _, r := range usage.Resources {
				add(own, usage.Name, r.Name, func(a *amounts, n scheduling.Amount) { a.used = a.used.Plus(n) }, r.Total)
			}
		}
		if q.Spec.CohortName != "" {
			below[q.Spec.CohortName] = append(below[q.Spec.CohortName], own)
		}
		head := Queue{Kind: types.StringValue(kueue.ClusterQueueKind.Kind), DisplayName: tf.TextOrNull(q.Annotations[scheduling.AnnotationDisplayName]),
			Pending: types.Int64Value(int64(q.Status.PendingWorkloads)), Admitted: types.Int64Value(int64(q.Status.AdmittedWorkloads))}
		if q.Status.FairSharing != nil {
			head.WeightedShare = types.Int64Value(q.Status.FairSharing.WeightedShare)
		}
		nodes = append(nodes, entries(head, q.Name, q.Spec.CohortName, q.Labels[scheduling.LabelDepartment], own, scheduling.WeightOf(q.Spec.FairSharing))...)
		for _, c := range q.Status.Conditions {
			if c.Type == kueue.ConditionActive && c.Status != "True" {
				problems = append(problems, fmt.Sprintf("ClusterQueue %s admits no work: %s (%s)", q.Name, strings.TrimSuffix(c.Message, "."), c.Reason))
			}
		}
	}
	totals := map[string]cells{}
	parents := map[string]kueue.Cohort{}
	for _, c := range cohorts {
		parents[c.Name] = c
	}
	for _, c := range cohorts {
		total := totalOf(c.Name, parents, below, totals, map[string]bool{})
		head := Queue{Kind: types.StringValue(kueue.CohortKind.Kind), DisplayName: tf.TextOrNull(c.Annotations[scheduling.AnnotationDisplayName])}
		nodes = append(nodes, entries(head, c.Name, c.Spec.ParentName, c.Name, total, scheduling.WeightOf(c.Spec.FairSharing))...)
	}
	return nodes, problems
}

// totalOf adds up a Cohort and its members. A circle adds nothing.
func totalOf(name string, cohorts map[string]kueue.Cohort, below map[string][]cells, done map[string]cells, way map[string]bool) cells {
	if out, ok := done[name]; ok {
		return out
	}
	if way[name] {
		return cells{}
	}
	way[name] = true
	out := cellsOf(cohorts[name].Spec.ResourceGroups)
	parts := below[name]
	for _, child := range sortedKeys(cohorts) {
		if cohorts[child].Spec.ParentName == name {
			parts = append(parts, totalOf(child, cohorts, below, done, way))
		}
	}
	for _, part := range parts {
		for flavor, resources := range part {
			for r, a := range resources {
				if out[flavor] == nil {
					out[flavor] = map[scheduling.Resource]amounts{}
				}
				sum := out[flavor][r]
				quota, _ := said(r, a)
				sum.quota, sum.used = sum.quota.Plus(quota), sum.used.Plus(a.used)
				out[flavor][r] = sum
			}
		}
	}
	done[name] = out
	return out
}

func cellsOf(groups []kueue.ResourceGroup) cells {
	out := cells{}
	for _, g := range groups {
		for _, f := range g.Flavors {
			out[f.Name] = map[scheduling.Resource]amounts{}
			for _, r := range f.Resources {
				add(out, f.Name, r.Name, func(a *amounts, n scheduling.Amount) { a.quota = a.quota.Plus(n) }, r.NominalQuota)
				if !r.BorrowingLimit.IsZero() {
					add(out, f.Name, r.Name, func(a *amounts, n scheduling.Amount) { a.borrow, a.capped = a.borrow.Plus(n), true }, r.BorrowingLimit)
				}
			}
		}
	}
	return out
}

func add(to cells, flavor, name string, change func(a *amounts, n scheduling.Amount), amount api.Quantity) {
	r, ok := resourceOf(name)
	q, err := resource.ParseQuantity(amount.String())
	if !ok || err != nil {
		return
	}
	n := scheduling.Amount{Units: q.ScaledValue(resource.Micro)}
	if r != scheduling.GPU {
		n, _ = scheduling.QuantityAmount(r, q)
	}
	if to[flavor] == nil {
		to[flavor] = map[scheduling.Resource]amounts{}
	}
	a := to[flavor][r]
	change(&a, n)
	to[flavor][r] = a
}

func resourceOf(name string) (scheduling.Resource, bool) {
	switch {
	case name == "cpu":
		return scheduling.CPU, true
	case name == "memory":
		return scheduling.Memory, true
	case strings.Contains(name, "/"):
		return scheduling.GPU, true
	}
	return "", false
}

// entries is a queue once for each flavor.
func entries(head Queue, name, parent, department string, of cells, weight float64) []node {
	var out []node
	for _, flavor := range sortedKeys(of) {
		q, w := head, types.Float64Value(weight)
		q.Name, q.Parent, q.Pool = types.StringValue(name), tf.TextOrNull(parent), types.StringValue(flavor)
		gpu := of[flavor][scheduling.GPU]
		quota, limit := said(scheduling.GPU, gpu)
		q.GPU = tf.ObjectOf(GPUs{Quota: gpusOf(quota), Limit: gpusOf(limit), OverQuotaWeight: w, Allocated: gpusOf(gpu.used)})
		quantities := func(r scheduling.Resource) tf.Object[Quantities] {
			a := of[flavor][r]
			quota, limit := said(r, a)
			return tf.ObjectOf(Quantities{Quota: quantityOf(r, quota), Limit: quantityOf(r, limit), OverQuotaWeight: w, Allocated: tf.QuantityOf(a.used.Quantity(r)), Requested: tf.NullQuantity()})
		}
		q.CPU, q.Memory = quantities(scheduling.CPU), quantities(scheduling.Memory)
		out = append(out, node{name: name, parent: parent, pool: flavor, department: department, queue: q})
	}
	return out
}

// said is what a cell means: the limit is the quota and what may be borrowed, and what stands for unlimited is that again.
func said(r scheduling.Resource, a amounts) (quota, limit scheduling.Amount) {
	if a.quota.Unlimited {
		return a.quota, a.quota
	}
	share := scheduling.ShareOf(r, scheduling.Cell{Nominal: a.quota, Borrow: scheduling.Amount{Unlimited: !a.capped, Units: a.borrow.Units}}, scheduling.Amount{})
	return share.Quota, share.Limit
}

// kueueProblem: to Kueue a parent that does not exist is one without limits, and is meant so for the root of departments.
func kueueProblem(node, *node) string { return "" }
