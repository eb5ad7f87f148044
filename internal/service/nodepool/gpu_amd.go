package nodepool

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// partition is how an AMD Instinct card is divided: its compute dies into devices, its memory into domains.
type partition struct {
	compute string // SPX, DPX, TPX, QPX or CPX
	domains int64  // NPS1, NPS2, NPS4 or NPS8
}

// String is the spelling of the device plugin, which makes the resource amd.com/cpx_nps4 of it.
func (p partition) String() string {
	return strings.ToLower(p.compute) + "_nps" + strconv.FormatInt(p.domains, 10)
}

// memory is the spelling of the device config manager.
func (p partition) memory() string { return "NPS" + strconv.FormatInt(p.domains, 10) }

// partitionSpelling takes the spelling of the device plugin, and the two words apart as AMD's documents have them.
var partitionSpelling = regexp.MustCompile(`^(?i)([sdtqc]px)(?:[_/ -]nps([1248]))?$`)

// parsePartition reads "cpx_nps4", "CPX/NPS4" or "CPX", which is CPX with one memory domain.
func parsePartition(text string) (partition, bool) {
	m := partitionSpelling.FindStringSubmatch(text)
	if m == nil {
		return partition{}, false
	}
	p := partition{compute: strings.ToUpper(m[1]), domains: 1}
	if m[2] != "" {
		p.domains, _ = strconv.ParseInt(m[2], 10, 64) // one digit
	}
	return p, true
}

// amdDies are the compute dies of the cards that can be partitioned, by what the driver's documents say of them:
// https://instinct.docs.amd.com/projects/amdgpu-docs/en/latest/gpu-partitioning.
var amdDies = map[string]int64{"MI300A": 6, "MI300X": 8, "MI325X": 8, "MI350X": 8, "MI355X": 8}

// amdWhole are cards of AMD that cannot be partitioned.
var amdWhole = []string{"MI100", "MI210", "MI250", "MI250X"}

// amdDiesOf are the compute dies of a card, 8 where the card is not known. whole tells a card that cannot be partitioned.
func amdDiesOf(model string) (dies int64, known, whole bool) {
	for _, w := range modelWords(model) {
		if n, ok := amdDies[w]; ok {
			return n, true, false
		}
		if slices.Contains(amdWhole, w) {
			return 1, true, true
		}
	}
	return 8, false, false
}

// devices is into how many devices a partition divides a card, or zero where the card cannot do it.
func (p partition) devices(dies int64) int64 {
	n := map[string]int64{"SPX": 1, "DPX": 2, "TPX": 3, "QPX": 4, "CPX": dies}[p.compute]
	if n == 0 || dies%n != 0 || p.domains > n { // every device must have a memory domain of its own, or share one
		return 0
	}
	return n
}

// possiblePartitions lists what a card can do, for messages.
func possiblePartitions(dies int64) []string {
	var out []string
	for _, compute := range []string{"SPX", "DPX", "TPX", "QPX", "CPX"} {
		for _, domains := range []int64{1, 2, 4, 8} {
			if p := (partition{compute, domains}); p.devices(dies) > 0 {
				out = append(out, p.String())
			}
		}
	}
	return out
}
