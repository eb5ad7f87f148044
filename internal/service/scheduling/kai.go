package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
)

// KAIQueue is a Queue with these shares. All nine numbers are always written: to the scheduler a number that is left out is 0,
// and with a limit of 0 nothing runs.
func KAIQueue(s Shares) kai.Queue {
	numbers := func(r Resource) kai.QueueResource {
		share := s.Of(r)
		return kai.QueueResource{Quota: share.Quota.Float(r), Limit: share.Limit.Float(r), OverQuotaWeight: share.Weight}
	}
	return kai.Queue{Spec: kai.QueueSpec{Resources: &kai.QueueResources{GPU: numbers(GPU), CPU: numbers(CPU), Memory: numbers(Memory)}}}
}

// Priority is a priority as the API has it.
func Priority(v types.Int64) *int {
	if v.IsNull() || v.IsUnknown() {
		return nil
	}
	n := int(v.ValueInt64())
	return &n
}
