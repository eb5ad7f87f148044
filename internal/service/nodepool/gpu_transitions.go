package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

var gpuTransitions = []composite.Transition[Model]{devicesChange}

// devicesChange: quotas, limits and pods name resources and counts, and nobody rewrites them with the pool.
func devicesChange(prior, plan Model) []composite.Finding {
	was, hadGPU := prior.GPU.Get()
	now, hasGPU := plan.GPU.Get()
	if !hadGPU || plan.GPU.IsUnknown() || !cardsOf(now).known && hasGPU {
		return nil
	}
	before, after := gpuCapacityPerNode(was), gpuCapacityPerNode(now)
	if !hasGPU {
		after = map[string]int64{}
	}
	if maps.Equal(before, after) && (before != nil || gpuFingerprint(was) == gpuFingerprint(now)) {
		return nil
	}
	at, follow := partitioningPath, ""
	if gpuFingerprint(was) == gpuFingerprint(now) {
		at = gpuPath
	}
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, stays := after[name]; !stays {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 && after != nil {
		follow = fmt.Sprintf(" Pods that ask for %s find it in this pool no more and stay pending, and quotas of it no longer limit anything here.", strings.Join(gone, ", "))
	}
	return []composite.Finding{gpuWarning(at, "Devices of each host change", fmt.Sprintf(
		"A host offers %s now and %s after this change, so the same quota means another share of the pool.%s Change the requests of pods and the quotas of this pool (scheduling pools, departments, queues, k0smos_quota) along with it. While hosts are replaced one by one, both are there.",
		offered(before), offered(after), follow))}
}

// offered words a capacity.
func offered(capacity map[string]int64) string {
	if capacity == nil {
		return "devices that the provider cannot tell"
	}
	if len(capacity) == 0 {
		return "no devices"
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(capacity)) {
		out = append(out, fmt.Sprintf("%d %s", capacity[name], name))
	}
	return strings.Join(out, " and ")
}
