package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Share is what a queue gets of one resource, with the defaults filled in: of GPUs nothing is guaranteed, of all else
// everything, and nothing is limited.
type Share struct {
	Quota, Limit  Amount
	Weight        float64
	WeightUnknown bool
	Inexact       bool // CPU finer than a millicore, or memory finer than a byte
}

// Of returns the share of one resource.
func (s Shares) Of(r Resource) Share {
	switch r {
	case GPU:
		gpu, set := s.GPU.Get()
		share := Share{Quota: gpus(gpu.Quota, Amount{}), Limit: gpus(gpu.Limit, Amount{Unlimited: true})}
		share.Weight, share.WeightUnknown = weight(gpu.OverQuotaWeight)
		return share.unknownIf(!set && s.GPU.IsUnknown())
	case CPU:
		return quantityShare(CPU, s.CPU)
	default:
		return quantityShare(Memory, s.Memory)
	}
}

func quantityShare(r Resource, object tf.Object[QuantityShare]) Share {
	q, set := object.Get()
	quota, exactQuota := quantity(r, q.Quota)
	limit, exactLimit := quantity(r, q.Limit)
	share := Share{Quota: quota, Limit: limit, Inexact: !exactQuota || !exactLimit}
	share.Weight, share.WeightUnknown = weight(q.OverQuotaWeight)
	return share.unknownIf(!set && object.IsUnknown())
}

func (s Share) unknownIf(unknown bool) Share {
	if unknown {
		return Share{Quota: Amount{Unknown: true}, Limit: Amount{Unknown: true}, Weight: 1, WeightUnknown: true}
	}
	return s
}

func gpus(v types.Float64, unset Amount) Amount {
	switch {
	case v.IsUnknown():
		return Amount{Unknown: true}
	case v.IsNull():
		return unset
	}
	return GPUs(v.ValueFloat64())
}

func quantity(r Resource, v tf.Quantity) (Amount, bool) {
	if v.IsUnknown() {
		return Amount{Unknown: true}, true
	}
	q, ok := v.Get()
	if !ok {
		return Amount{Unlimited: true}, true
	}
	return QuantityAmount(r, q)
}

func weight(v types.Float64) (float64, bool) {
	if v.IsUnknown() || v.IsNull() {
		return 1, v.IsUnknown()
	}
	return v.ValueFloat64(), false
}

// Known tells whether every number of the shares is known.
func (s Shares) Known() bool {
	for _, r := range Resources {
		if share := s.Of(r); share.Quota.Unknown || share.Limit.Unknown || share.WeightUnknown {
			return false
		}
	}
	return true
}
