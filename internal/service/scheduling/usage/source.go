package usage

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Source is the k0smos_queue_usage data source.
var Source = composite.Source[Model]{
	Name:    "queue_usage",
	Schema:  dataSchema,
	Target:  func(m Model) tf.Object[composite.ClusterRef] { return m.Cluster },
	Queries: queries,
	Read:    read,
}

// queries asks for all queues: a parent may be anybody's.
func queries(m Model, _ composite.Live) []composite.Query {
	if m.Engine.ValueString() == scheduling.EngineKueue {
		return []composite.Query{{Kind: kueue.CohortKind}, {Kind: kueue.ClusterQueueKind}}
	}
	return []composite.Query{{Kind: kai.QueueKind}}
}

func read(m *Model, seen composite.Seen) []composite.Finding {
	var nodes []node
	var problems, of []string
	problem := kaiProblem
	if m.Engine.ValueString() == scheduling.EngineKueue {
		nodes, of = kueueNodes(composite.All[kueue.Cohort](seen.Live, kueue.CohortKind), composite.All[kueue.ClusterQueue](seen.Live, kueue.ClusterQueueKind))
		problem = kueueProblem
	} else {
		nodes, of = kaiNodes(composite.All[kai.Queue](seen.Live, kai.QueueKind))
	}
	nodes, problems = forest(nodes, problem)
	problems = append(problems, of...)
	if pool := m.NodePool.ValueString(); pool != "" {
		nodes = slices.DeleteFunc(nodes, func(n node) bool { return n.pool != pool })
	}
	var findings []composite.Finding
	if department := m.Department.ValueString(); department != "" {
		if nodes = under(nodes, department); len(nodes) == 0 {
			findings = append(findings, composite.Finding{Path: path.Root("department"), Warning: true, Summary: "No such department", Detail: fmt.Sprintf(
				"No queue is called %s or %s-<pool>, or says that it is of this department. Check the name, or leave department out to see all queues of the cluster.", department, department)})
		}
	}
	m.Queues = listOf(nodes)
	slices.Sort(problems)
	list := []types.String{}
	for _, p := range slices.Compact(problems) {
		list = append(list, types.StringValue(p))
	}
	m.Problems = tf.ListOf(list...)
	return findings
}
