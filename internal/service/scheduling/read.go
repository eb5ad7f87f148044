package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// With returns shares that say what is live. Whatever is the same keeps its spelling, and what is a default is left out.
// GPUs without an end cannot be said; they show as drift.
func (s Shares) With(live map[Resource]Share) Shares {
	for r, now := range live {
		was := s.Of(r)
		if was.Quota == now.Quota && was.Limit == now.Limit && was.Weight == now.Weight {
			continue
		}
		switch r {
		case GPU:
			gpu, _ := s.GPU.Get()
			if was.Quota != now.Quota && !now.Quota.Unlimited {
				gpu.Quota = gpusOrNull(now.Quota, Amount{})
			}
			if was.Limit != now.Limit {
				gpu.Limit = gpusOrNull(now.Limit, Amount{Unlimited: true})
			}
			gpu.OverQuotaWeight = weightOrNull(gpu.OverQuotaWeight, was, now)
			s.GPU = tf.ObjectOf(gpu)
		case CPU:
			s.CPU = quantityWith(s.CPU, r, was, now)
		case Memory:
			s.Memory = quantityWith(s.Memory, r, was, now)
		}
	}
	return s
}

func quantityWith(object tf.Object[QuantityShare], r Resource, was, now Share) tf.Object[QuantityShare] {
	q, _ := object.Get()
	if was.Quota != now.Quota {
		q.Quota = quantityOrNull(r, now.Quota)
	}
	if was.Limit != now.Limit {
		q.Limit = quantityOrNull(r, now.Limit)
	}
	q.OverQuotaWeight = weightOrNull(q.OverQuotaWeight, was, now)
	return tf.ObjectOf(q)
}

func gpusOrNull(a, unset Amount) types.Float64 {
	if a == unset {
		return types.Float64Null()
	}
	return types.Float64Value(a.Float(GPU))
}

func quantityOrNull(r Resource, a Amount) tf.Quantity {
	if a.Unlimited {
		return tf.NullQuantity()
	}
	return tf.QuantityOf(a.Quantity(r))
}

func weightOrNull(spelled types.Float64, was, now Share) types.Float64 {
	switch {
	case was.Weight == now.Weight:
		return spelled
	case now.Weight == 1:
		return types.Float64Null()
	default:
		return types.Float64Value(now.Weight)
	}
}

// KAIShares reads the nine numbers of a Queue.
func KAIShares(q kai.Queue) map[Resource]Share {
	out := map[Resource]Share{}
	if q.Spec.Resources == nil {
		return out
	}
	for r, n := range map[Resource]kai.QueueResource{GPU: q.Spec.Resources.GPU, CPU: q.Spec.Resources.CPU, Memory: q.Spec.Resources.Memory} {
		out[r] = Share{Quota: FromFloat(r, n.Quota), Limit: FromFloat(r, n.Limit), Weight: n.OverQuotaWeight}
	}
	return out
}

// PriorityWith reads a priority of the API where it differs from what the model says.
func PriorityWith(spelled types.Int64, live *int) types.Int64 {
	switch {
	case live == nil:
		return types.Int64Null()
	case spelled.ValueInt64() == int64(*live) && !spelled.IsNull():
		return spelled
	default:
		return types.Int64Value(int64(*live))
	}
}

// DurationWith reads a duration of the API where it differs from what the model says.
func DurationWith(spelled tf.Duration, live string) tf.Duration {
	switch {
	case live == "":
		return tf.NullDuration()
	case spelled.ValueString() == live:
		return spelled
	default:
		return tf.DurationOf(live)
	}
}

// TextWith reads a text of the API where it differs from what the model says.
func TextWith(spelled types.String, live string) types.String {
	switch {
	case spelled.ValueString() == live:
		return spelled
	case live == "":
		return types.StringNull()
	default:
		return types.StringValue(live)
	}
}
