package usage

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// kaiNodes are the Queues of KAI. Their status has ordinary quantities.
func kaiNodes(queues []kai.Queue) (nodes []node, problems []string) {
	for _, q := range queues {
		pool := q.Labels[scheduling.LabelNodePool]
		shares := scheduling.KAIShares(q)
		gpu, cpu, memory := shares[scheduling.GPU], shares[scheduling.CPU], shares[scheduling.Memory]
		n := node{name: q.Name, parent: q.Spec.ParentQueue, pool: pool, department: q.Labels[scheduling.LabelDepartment]}
		n.queue = Queue{Name: types.StringValue(q.Name), Kind: types.StringValue(kai.QueueKind.Kind), DisplayName: tf.TextOrNull(q.Spec.DisplayName), Parent: tf.TextOrNull(q.Spec.ParentQueue), Pool: tf.TextOrNull(pool),
			GPU: tf.ObjectOf(GPUs{Quota: gpusOf(gpu.Quota), Limit: gpusOf(gpu.Limit), OverQuotaWeight: types.Float64Value(gpu.Weight),
				Allocated: types.Float64Value(devices(q.Status.Allocated)), Requested: types.Float64Value(devices(q.Status.Requested))}),
			CPU: tf.ObjectOf(Quantities{Quota: quantityOf(scheduling.CPU, cpu.Quota), Limit: quantityOf(scheduling.CPU, cpu.Limit), OverQuotaWeight: types.Float64Value(cpu.Weight),
				Allocated: live(q.Status.Allocated, "cpu"), Requested: live(q.Status.Requested, "cpu")}),
			Memory: tf.ObjectOf(Quantities{Quota: quantityOf(scheduling.Memory, memory.Quota), Limit: quantityOf(scheduling.Memory, memory.Limit), OverQuotaWeight: types.Float64Value(memory.Weight),
				Allocated: live(q.Status.Allocated, "memory"), Requested: live(q.Status.Requested, "memory")}),
		}
		var none []string
		for _, r := range scheduling.Resources {
			if limit := shares[r].Limit; limit == (scheduling.Amount{}) {
				none = append(none, string(r))
			}
		}
		if len(none) > 0 {
			problems = append(problems, fmt.Sprintf("Queue %s has a limit of 0 for %s: no work that asks for any runs in it. A limit that is not written is 0 to KAI", q.Name, strings.Join(none, " and ")))
		}
		nodes = append(nodes, n)
	}
	return nodes, problems
}

// kaiProblem: KAI takes a queue whose parent it does not see out of its tree, and all below it.
func kaiProblem(n node, parent *node) string {
	if parent == nil {
		return fmt.Sprintf("Queue %s has the parent %s, which does not exist: new work of it and of all queues below it is not scheduled (QueueDoesNotExist)", n.name, n.parent)
	}
	return fmt.Sprintf("Queue %s of pool %s has the parent %s, which is of pool %s: the scheduler of its pool does not see that one, and schedules no work of it or below it", n.name, named(n.pool), parent.name, named(parent.pool))
}

func named(pool string) string {
	if pool == "" {
		return "(no label)"
	}
	return pool
}

// devices adds up GPUs as KAI counts them: a MIG device counts as its slices.
func devices(list api.ResourceList) float64 {
	var sum float64
	for name, amount := range list {
		if q, err := resource.ParseQuantity(amount.String()); err == nil && strings.Contains(name, "/") {
			sum += q.AsApproximateFloat64() * float64(scheduling.MIGSlices(name))
		}
	}
	return sum
}

func gpusOf(a scheduling.Amount) types.Float64 {
	if a.Unlimited {
		return types.Float64Null()
	}
	return types.Float64Value(a.Float(scheduling.GPU))
}

func quantityOf(r scheduling.Resource, a scheduling.Amount) tf.Quantity {
	if a.Unlimited {
		return tf.NullQuantity()
	}
	return tf.QuantityOf(a.Quantity(r))
}

func live(list api.ResourceList, name string) tf.Quantity {
	if _, err := tf.ParseQuantity(list[name].String()); err != nil {
		return tf.QuantityOf("0")
	}
	return tf.QuantityOf(list[name].String())
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
