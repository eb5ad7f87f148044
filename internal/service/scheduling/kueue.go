package scheduling

import (
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
)

// Weight is the one weight that Kueue has for a queue: that of its GPUs.
func Weight(s Shares) *kueue.FairSharing {
	text := strconv.FormatFloat(s.Of(GPU).Weight, 'f', -1, 64)
	if q, err := resource.ParseQuantity(text); err == nil {
		text = q.String() // as Kueue would write it back
	}
	return &kueue.FairSharing{Weight: api.NewQuantity(text)}
}

// WeightOf reads a weight; none is 1.
func WeightOf(f *kueue.FairSharing) float64 {
	if f == nil {
		return 1
	}
	q, err := resource.ParseQuantity(f.Weight.String())
	if err != nil {
		return 1
	}
	return q.AsApproximateFloat64()
}

// Preemption is what work of a queue may take: within it from work of lower priority, and from other queues whatever these
// have borrowed, as KAI does.
func Preemption() *kueue.Preemption {
	return &kueue.Preemption{WithinClusterQueue: kueue.PreemptLower, ReclaimWithinCohort: kueue.PreemptAny}
}

// Names of CPU and memory in quotas.
const (
	kueueCPU    = "cpu"
	kueueMemory = "memory"
)

// ResourceGroup is the one group that all flavors of a queue are in: CPU, memory and every kind of GPU, in the order in which
// each flavor must have them.
func ResourceGroup(devices []string) kueue.ResourceGroup {
	return kueue.ResourceGroup{CoveredResources: append([]string{kueueCPU, kueueMemory}, devices...)}
}

// Flavor is what a queue has of one pool. Of GPUs that are not those of the pool it has none.
func Flavor(pool Pool, devices []string, cell func(r Resource) Cell) kueue.FlavorQuotas {
	out := kueue.FlavorQuotas{Name: pool.Flavor, Resources: []kueue.ResourceQuota{quotaOf(kueueCPU, CPU, cell(CPU)), quotaOf(kueueMemory, Memory, cell(Memory))}}
	for _, device := range devices {
		c := Cell{Borrow: Amount{}}
		if device == pool.Resource {
			c = cell(GPU)
		}
		out.Resources = append(out.Resources, quotaOf(device, GPU, c))
	}
	return out
}

func quotaOf(name string, r Resource, c Cell) kueue.ResourceQuota {
	q := kueue.ResourceQuota{Name: name, NominalQuota: api.NewQuantity(c.Nominal.Quantity(r))}
	if !c.Borrow.Unlimited {
		q.BorrowingLimit = api.NewQuantity(c.Borrow.Quantity(r))
	}
	return q
}

// CellOf reads what a flavor has of a resource; device is what its GPUs are offered as.
func CellOf(f kueue.FlavorQuotas, r Resource, device string) (Cell, bool) {
	name := map[Resource]string{GPU: device, CPU: kueueCPU, Memory: kueueMemory}[r]
	for _, q := range f.Resources {
		if q.Name != name {
			continue
		}
		nominal, ok := amountOf(r, q.NominalQuota)
		if !ok {
			return Cell{}, false
		}
		cell := Cell{Nominal: nominal, Borrow: Amount{Unlimited: true}}
		if !q.BorrowingLimit.IsZero() {
			if cell.Borrow, ok = amountOf(r, q.BorrowingLimit); !ok {
				return Cell{}, false
			}
		}
		return cell, true
	}
	return Cell{}, false
}

// amountOf reads a quantity of Kueue.
func amountOf(r Resource, q api.Quantity) (Amount, bool) {
	parsed, err := resource.ParseQuantity(q.String())
	if err != nil {
		return Amount{}, false
	}
	if r == GPU {
		return Amount{Units: parsed.ScaledValue(resource.Micro)}, true
	}
	amount, _ := QuantityAmount(r, parsed)
	return amount, true
}

// DeviceOf is what the GPUs of a flavor are offered as: the resource that it has some of.
func DeviceOf(f kueue.FlavorQuotas) string {
	device := ""
	for _, q := range f.Resources {
		if q.Name == kueueCPU || q.Name == kueueMemory {
			continue
		}
		if device == "" || q.NominalQuota.String() != "0" {
			device = q.Name
		}
	}
	return device
}
