package scheduling

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Why Kueue is not told something, for warnings.
const (
	KueueNoPriority = "queues of Kueue have no priority among themselves. Give workloads a WorkloadPriorityClass, or queues an over_quota_weight; it is left out."
	KueueNoRuntime  = "Kueue has no time in which work cannot be preempted or reclaimed; it is left out."
)

// Texts are the known texts of a list.
func Texts(l tf.List[types.String]) []string {
	var out []string
	for _, t := range l.Known() {
		if !t.IsNull() && !t.IsUnknown() {
			out = append(out, t.ValueString())
		}
	}
	return out
}
