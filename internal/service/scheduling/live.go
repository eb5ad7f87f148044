package scheduling

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// LiveQueue is a Queue of KAI as it is in the cluster.
type LiveQueue struct {
	Name, Parent, Pool string
	Department         string // of this provider; "" is none
	Shares             map[Resource]Share
	Allocated          map[Resource]Amount
	Pinned             map[Resource]Amount // allocated to work that must not be preempted
	Requested          map[Resource]Amount
}

// LiveQueues are all Queues, by name.
func LiveQueues(live composite.Live) map[string]LiveQueue {
	out := map[string]LiveQueue{}
	for _, q := range composite.All[kai.Queue](live, kai.QueueKind) {
		out[q.Name] = LiveQueue{
			Name: q.Name, Parent: q.Spec.ParentQueue, Pool: q.Labels[LabelNodePool], Department: q.Labels[LabelDepartment], Shares: KAIShares(q),
			Allocated: amountsOf(q.Status.Allocated), Pinned: amountsOf(q.Status.AllocatedNonPreemptible), Requested: amountsOf(q.Status.Requested),
		}
	}
	return out
}

// Parents has the parent of each queue.
func Parents(queues map[string]LiveQueue) map[string]string {
	out := make(map[string]string, len(queues))
	for name, q := range queues {
		out[name] = q.Parent
	}
	return out
}

// amountsOf reads what a status says: ordinary quantities by the names of resources. GPUs of all vendors are one number.
func amountsOf(list api.ResourceList) map[Resource]Amount {
	out := map[Resource]Amount{}
	for name, text := range list {
		q, err := resource.ParseQuantity(text.String())
		if err != nil {
			continue
		}
		switch {
		case name == "cpu":
			out[CPU], _ = QuantityAmount(CPU, q)
		case name == "memory":
			out[Memory], _ = QuantityAmount(Memory, q)
		case strings.HasSuffix(name, "/gpu"):
			out[GPU] = out[GPU].Plus(Amount{Units: q.ScaledValue(resource.Micro)})
		}
	}
	return out
}

// Said lists amounts that are not zero: "8 GPUs, 64 CPUs".
func Said(amounts map[Resource]Amount) string {
	var out []string
	for _, r := range Resources {
		if a := amounts[r]; a.Units > 0 {
			out = append(out, a.Said(r))
		}
	}
	return strings.Join(out, ", ")
}

// QuotasOf reads the quotas and limits of a Queue without decoding the rest of it: sums look at a thousand of them.
func QuotasOf(object map[string]any) Shares {
	shares := map[Resource]Share{}
	for _, r := range Resources {
		field := map[string]any{}
		at := object
		for _, step := range []string{"spec", "resources", string(r)} {
			at, _ = at[step].(map[string]any)
		}
		if at != nil {
			field = at
		}
		shares[r] = Share{Quota: FromFloat(r, numberIn(field, "quota")), Limit: FromFloat(r, numberIn(field, "limit")), Weight: 1}
	}
	return Shares{}.With(shares)
}

func numberIn(object map[string]any, field string) float64 {
	switch n := object[field].(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	default:
		return 0
	}
}
