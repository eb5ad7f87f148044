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
	migConfig   = regexp.MustCompile(`^all-((\d)g\.(\d+)gb(\S*))$`)
	shareConfig = regexp.MustCompile(`^(?:time-slicing|mps)-(\d+)$`)
	cardMemory  = regexp.MustCompile(`(\d+)GB`)
	// amdPartitions is how many devices one card is in each mode.
	amdPartitions = map[string]int64{"spx": 1, "dpx": 2, "tpx": 3, "qpx": 4, "cpx": 8}
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
				name = "nvidia.com/mig-" + mig[1]
			}
			return name, migInstances(labels["k0smos.io/gpu-model"], mig)
		}
		if share := shareConfig.FindStringSubmatch(plugin); share != nil {
			return "nvidia.com/gpu", parseCount(share[1])
		}
		return "nvidia.com/gpu", 1
	case "amd":
		profile := strings.ToLower(labels["dcm.amd.com/gpu-config-profile"])
		for _, name := range slices.Sorted(maps.Keys(amdPartitions)) {
			if strings.HasPrefix(profile, name) {
				return "amd.com/gpu", amdPartitions[name]
			}
		}
		return "amd.com/gpu", 1
	}
	return "", 0
}

// migInstances is how many instances one card has room for: of seven compute slices, and of its memory if its name says
// how much that is. The media engines of a card are in one instance at most.
func migInstances(model string, profile []string) int64 {
	if profile[4] == ".me" {
		return 1
	}
	slices, memory := parseCount(profile[2]), parseCount(profile[3])
	count := 7 / max(1, slices)
	if whole := cardMemory.FindStringSubmatch(model); whole != nil {
		count = min(count, parseCount(whole[1])/max(1, memory))
	}
	return count
}

func parseCount(digits string) int64 {
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}
