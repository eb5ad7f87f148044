package standin

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// cardsPerHost is how many GPUs a host has, unless a test says otherwise.
const cardsPerHost = 8

var (
	migConfig   = regexp.MustCompile(`^all-((\d)g\.\d+gb.*)$`)
	shareConfig = regexp.MustCompile(`^(?:time-slicing|mps)-(\d+)$`)
	// migSlices is how many instances of so many compute slices one card has room for.
	migSlices = map[string]int64{"1": 7, "2": 3, "3": 2, "4": 1, "7": 1}
	// amdPartitions is how many devices one card is in each mode.
	amdPartitions = map[string]int64{"spx": 1, "dpx": 2, "qpx": 4, "cpx": 8}
)

// resources are what a node offers. The GPUs are those that the device plugins of the vendors would offer on a host with
// these labels; nothing that runs in the hosted cluster is asked.
func (h *host) resources(mode hostMode) map[string]any {
	out := map[string]any{"cpu": "64", "memory": "512Gi", "ephemeral-storage": "1Ti", "pods": "110"}
	name, count := devices(h.labels)
	if name == "" {
		return out
	}
	cards := int64(cardsPerHost)
	if mode.cards != nil {
		cards = *mode.cards
	}
	out[name] = strconv.FormatInt(cards*count, 10)
	return out
}

// devices are the resource name of the devices and how many one card is; no name without GPUs.
func devices(labels map[string]string) (string, int64) {
	switch labels["k0smos.io/gpu-vendor"] {
	case "nvidia":
		plugin := labels["nvidia.com/device-plugin.config"]
		if mig := migConfig.FindStringSubmatch(labels["nvidia.com/mig.config"]); mig != nil {
			name := "nvidia.com/gpu"
			if plugin == "mig-mixed" {
				name = "nvidia.com/mig-" + strings.ReplaceAll(mig[1], "+", ".")
			}
			return name, migSlices[mig[2]]
		}
		if share := shareConfig.FindStringSubmatch(plugin); share != nil {
			count, err := strconv.ParseInt(share[1], 10, 64)
			if err == nil {
				return "nvidia.com/gpu", count
			}
		}
		return "nvidia.com/gpu", 1
	case "amd":
		profile := labels["dcm.amd.com/gpu-config-profile"]
		for _, name := range slices.Sorted(maps.Keys(amdPartitions)) {
			if strings.HasPrefix(profile, name) {
				return "amd.com/gpu", amdPartitions[name]
			}
		}
		return "amd.com/gpu", 1
	}
	return "", 0
}
