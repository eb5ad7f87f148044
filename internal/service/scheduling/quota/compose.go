package quota

import (
	"strconv"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Keys of a ResourceQuota. Extended resources have no overcommit, so that only what is asked for is capped: Kubernetes
// takes no limits.nvidia.com/gpu.
const (
	requests       = "requests."
	requestsCPU    = requests + "cpu"
	requestsMemory = requests + "memory"
	pods           = "pods"
)

// compose returns the ResourceQuota of m, and a LimitRange where defaults are given.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	quota, err := composite.NewObject(core.ResourceQuotaKind, namespace, name, core.ResourceQuota{Spec: core.ResourceQuotaSpec{Hard: hard(m)}})
	if err != nil {
		return nil, err
	}
	d, _ := m.DefaultLimits.Get()
	item := core.LimitRangeItem{Type: core.LimitTypeContainer,
		Default:        list("cpu", d.CPU, "memory", d.Memory),
		DefaultRequest: list("cpu", d.CPURequest, "memory", d.MemoryRequest)}
	if len(item.Default)+len(item.DefaultRequest) == 0 {
		return []composite.Object{quota}, nil
	}
	limits, err := composite.NewObject(core.LimitRangeKind, namespace, name, core.LimitRange{Spec: core.LimitRangeSpec{Limits: []core.LimitRangeItem{item}}})
	return []composite.Object{quota, limits}, err
}

// hard are the caps.
func hard(m Model) api.ResourceList {
	out := list(requestsCPU, m.CPU, requestsMemory, m.Memory)
	for name, n := range m.GPUs.Known() {
		if !n.IsNull() {
			out[requests+name] = api.NewQuantity(strconv.FormatInt(n.ValueInt64(), 10))
		}
	}
	if !m.Pods.IsNull() {
		out[pods] = api.NewQuantity(strconv.FormatInt(m.Pods.ValueInt64(), 10))
	}
	return out
}

// list writes amounts in one spelling, so that another spelling of the user's is no change.
func list(cpuKey string, cpu tf.Quantity, memoryKey string, memory tf.Quantity) api.ResourceList {
	out := api.ResourceList{}
	if q, ok := cpu.Get(); ok {
		amount, _ := scheduling.QuantityAmount(scheduling.CPU, q)
		out[cpuKey] = api.NewQuantity(amount.Quantity(scheduling.CPU))
	}
	if q, ok := memory.Get(); ok {
		amount, _ := scheduling.QuantityAmount(scheduling.Memory, q)
		out[memoryKey] = api.NewQuantity(amount.Quantity(scheduling.Memory))
	}
	return out
}
