package quota

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose reads caps and defaults where they differ from the model. Caps that have no attribute are those of others.
func decompose(live composite.Live, m Model) Model {
	name := m.Name.ValueString()
	if quota, ok := composite.As[core.ResourceQuota](live, core.ResourceQuotaKind, name); ok {
		caps := quota.Spec.Hard
		m.CPU, m.Memory = quantityWith(m.CPU, caps[requestsCPU]), quantityWith(m.Memory, caps[requestsMemory])
		m.Pods = countWith(m.Pods, caps[pods])
		m.GPUs = devicesWith(m.GPUs, caps)
	}
	if limits, ok := composite.As[core.LimitRange](live, core.LimitRangeKind, name); ok {
		for _, item := range limits.Spec.Limits {
			if item.Type == core.LimitTypeContainer {
				m.DefaultLimits = defaultsWith(m.DefaultLimits, item)
				break
			}
		}
	}
	return m
}

func defaultsWith(was tf.Object[Defaults], item core.LimitRangeItem) tf.Object[Defaults] {
	d, set := was.Get()
	if !set {
		d = Defaults{tf.NullQuantity(), tf.NullQuantity(), tf.NullQuantity(), tf.NullQuantity()}
	}
	now := Defaults{
		CPU: quantityWith(d.CPU, item.Default["cpu"]), Memory: quantityWith(d.Memory, item.Default["memory"]),
		CPURequest: quantityWith(d.CPURequest, item.DefaultRequest["cpu"]), MemoryRequest: quantityWith(d.MemoryRequest, item.DefaultRequest["memory"]),
	}
	if !set && now.CPU.IsNull() && now.Memory.IsNull() && now.CPURequest.IsNull() && now.MemoryRequest.IsNull() {
		return was
	}
	return tf.ObjectOf(now)
}

// quantityWith keeps the spelling of what is the same amount.
func quantityWith(was tf.Quantity, live api.Quantity) tf.Quantity {
	now, ok := parsed(live)
	if !ok {
		return tf.NullQuantity()
	}
	if before, set := was.Get(); set && before.Cmp(now) == 0 {
		return was
	}
	return tf.QuantityOf(live.String())
}

func countWith(was types.Int64, live api.Quantity) types.Int64 {
	now, ok := parsed(live)
	switch {
	case !ok:
		return types.Int64Null()
	case !was.IsNull() && was.ValueInt64() == now.Value():
		return was
	}
	return types.Int64Value(now.Value())
}

// devicesWith reads the caps of resources with a domain. Those that a foreign quota has under limits.* have no attribute.
func devicesWith(was tf.Map[types.Int64], caps api.ResourceList) tf.Map[types.Int64] {
	now := map[string]types.Int64{}
	for key, amount := range caps {
		name, ok := strings.CutPrefix(key, requests)
		if n, number := parsed(amount); ok && number && strings.Contains(name, "/") {
			now[name] = types.Int64Value(n.Value())
		}
	}
	known := was.Known()
	same := len(known) == len(now)
	for name, n := range now {
		same = same && known[name].Equal(n)
	}
	switch {
	case same:
		return was
	case len(now) == 0:
		return tf.NullMap[types.Int64]()
	}
	return tf.MapOf(now)
}

func parsed(q api.Quantity) (resource.Quantity, bool) {
	if q.IsZero() {
		return resource.Quantity{}, false
	}
	out, err := tf.ParseQuantity(q.String())
	return out, err == nil
}

// locate names the objects of an import.
func locate(m Model, _ composite.Live) []composite.Ref {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	return []composite.Ref{{Kind: core.ResourceQuotaKind, Namespace: namespace, Name: name}, {Kind: core.LimitRangeKind, Namespace: namespace, Name: name}}
}
