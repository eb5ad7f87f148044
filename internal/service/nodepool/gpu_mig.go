package nodepool

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// migCard is one kind of card that NVIDIA can cut into instances.
type migCard struct {
	names    []string // words that its name has, all of them
	memory   int64    // GB, as the name of the largest profile says
	profiles map[string]int64
	balanced map[string]int64 // what the MIG manager's configuration all-balanced makes of it
	devices  []string         // PCI device and vendor, as the MIG manager filters by them
}

// sevenSlices are the profiles of a card with seven compute and eight memory slices: with one, two, four and eight memory
// slices of a, b, c and d GB. The counts are those of https://docs.nvidia.com/datacenter/tesla/mig-user-guide.
func sevenSlices(a, b, c, d int64, names []string, devices ...string) migCard {
	p := func(slices, gb int64) string { return fmt.Sprintf("%dg.%dgb", slices, gb) }
	return migCard{names: names, memory: d, devices: devices,
		profiles: map[string]int64{p(1, a): 7, p(1, a) + "+me": 1, p(1, b): 4, p(2, b): 3, p(3, c): 2, p(4, c): 1, p(7, d): 1},
		balanced: map[string]int64{p(1, a): 2, p(2, b): 1, p(3, c): 1}}
}

// migCards are the cards that are known here. The device numbers are those in the configuration of github.com/NVIDIA/mig-parted.
var migCards = []migCard{
	{names: []string{"A30"}, memory: 24, devices: []string{"0x20B710DE"},
		profiles: map[string]int64{"1g.6gb": 4, "1g.6gb+me": 1, "2g.12gb": 2, "2g.12gb+me": 1, "4g.24gb": 1},
		balanced: map[string]int64{"1g.6gb": 2, "2g.12gb": 1}},
	sevenSlices(5, 10, 20, 40, []string{"A100"}, "0x20B010DE", "0x20B110DE", "0x20F110DE", "0x20F610DE"),
	sevenSlices(10, 20, 40, 80, []string{"A100"}, "0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"),
	sevenSlices(5, 10, 20, 40, []string{"A800"}, "0x20B010DE", "0x20B110DE", "0x20F110DE", "0x20F610DE"),
	sevenSlices(10, 20, 40, 80, []string{"A800"}, "0x20B210DE", "0x20B510DE", "0x20F310DE", "0x20F510DE"),
	sevenSlices(10, 20, 40, 80, []string{"H100"}, "0x233010DE", "0x233110DE"),
	sevenSlices(12, 24, 47, 94, []string{"H100"}, "0x232110DE"),
	sevenSlices(12, 24, 48, 96, []string{"H100"}, "0x233D10DE"),
	sevenSlices(10, 20, 40, 80, []string{"H800"}, "0x232210DE", "0x232410DE"),
	sevenSlices(12, 24, 47, 94, []string{"H800"}, "0x233A10DE"),
	sevenSlices(12, 24, 48, 96, []string{"H20"}, "0x232910DE"),
	sevenSlices(18, 35, 71, 141, []string{"H200"}, "0x233510DE", "0x233B10DE"),
	sevenSlices(12, 24, 48, 96, []string{"GH200"}, "0x234210DE"),
	sevenSlices(18, 36, 72, 144, []string{"GH200"}, "0x234810DE"),
	sevenSlices(23, 45, 90, 180, []string{"B200"}, "0x290110DE"),
	sevenSlices(23, 47, 93, 186, []string{"GB200"}, "0x294110DE"),
	sevenSlices(34, 67, 135, 269, []string{"B300"}, "0x318210DE"),
	sevenSlices(35, 70, 139, 278, []string{"GB300"}, "0x31C210DE"),
	{names: []string{"RTX", "PRO", "6000"}, memory: 96, devices: []string{"0x2BB510DE"},
		profiles: map[string]int64{
			"1g.24gb": 4, "1g.24gb+me": 1, "1g.24gb+gfx": 4, "1g.24gb+me.all": 1, "1g.24gb-me": 4,
			"2g.48gb": 2, "2g.48gb+gfx": 2, "2g.48gb+me.all": 1, "2g.48gb-me": 2, "4g.96gb": 1, "4g.96gb+gfx": 1},
		balanced: map[string]int64{"1g.24gb": 2, "2g.48gb": 1}},
}

// migProfile is the grammar of profiles of whole GPU instances: compute slices, memory, and media engines or graphics.
var migProfile = regexp.MustCompile(`^[1-8]g\.[1-9][0-9]{0,3}gb(\+me|\+me\.all|\+gfx|-me)?$`)

var memoryWord = regexp.MustCompile(`^([1-9][0-9]{1,2})(GB|G|GIB|GI)?$`)

// migCandidates are the cards that a pool may mean: several where the name leaves the memory open.
func migCandidates(c cards) []migCard {
	words := modelWords(c.model)
	var out []migCard
	for _, card := range migCards {
		if !slices.ContainsFunc(card.names, func(name string) bool { return !slices.Contains(words, name) }) {
			out = append(out, card)
		}
	}
	var sizes []float64 // the same size may be meant in GB and in GiB
	for _, w := range words {
		if m := memoryWord.FindStringSubmatch(w); m != nil {
			gb, _ := strconv.ParseFloat(m[1], 64) // three digits at most
			sizes = []float64{gb}
		}
	}
	if sizes == nil && c.memory != nil {
		bytes := c.memory.AsApproximateFloat64()
		sizes = []float64{bytes / (1 << 30), bytes / 1e9}
	}
	return nearest(out, sizes)
}

// nearest keeps the cards whose memory comes closest to one of the sizes: a driver shows a little less than is printed on the
// card. A size far from every card is of no use to tell them apart, and all stay.
func nearest(from []migCard, sizes []float64) []migCard {
	const far = 0.12
	best, kept := far, from
	for _, card := range from {
		for _, size := range sizes {
			switch off := math.Abs(size-float64(card.memory)) / float64(card.memory); {
			case off < best:
				best, kept = off, []migCard{card}
			case off == best && off < far && !slices.ContainsFunc(kept, func(k migCard) bool { return k.memory == card.memory }):
				kept = append(kept, card)
			}
		}
	}
	return kept
}

// migInstances are the instances on one card by profile. It is false where they cannot be told: a card that is not known here,
// one whose memory matters and is not said, or a configuration that only the cluster knows.
func migInstances(c cards) (map[string]int64, bool) {
	candidates := migCandidates(c)
	switch c.config {
	case "all-disabled":
		return nil, true
	case "all-balanced":
		return agreed(candidates, func(card migCard) map[string]int64 { return card.balanced })
	}
	profile := migProfileOf(c)
	if profile == "" {
		return nil, false
	}
	return agreed(candidates, func(card migCard) map[string]int64 {
		if n := card.profiles[profile]; n > 0 {
			return map[string]int64{profile: n}
		}
		return nil
	})
}

// migProfileOf is the one profile on all cards, if it is one: from the profile itself, or from a configuration that is named
// like those that the MIG manager makes of each profile.
func migProfileOf(c cards) string {
	profile := c.profile
	if name, ok := strings.CutPrefix(c.config, "all-"); ok && profile == "" {
		profile = strings.Replace(name, "gb.", "gb+", 1)
	}
	if !migProfile.MatchString(profile) {
		return ""
	}
	return profile
}

// agreed is what all cards that have something to say about it say.
func agreed(candidates []migCard, of func(migCard) map[string]int64) (map[string]int64, bool) {
	var out map[string]int64
	for _, card := range candidates {
		said := of(card)
		switch {
		case said == nil:
		case out == nil:
			out = said
		case !maps.Equal(out, said):
			return nil, false
		}
	}
	return out, out != nil
}

// migConfig is the name of the MIG manager's configuration: its own names spell the plus of a profile as a dot, since it is the
// value of a label.
func migConfig(c cards) string {
	if c.config != "" {
		return c.config
	}
	return "all-" + strings.ReplaceAll(c.profile, "+", ".")
}

// migResource is the resource of a profile under the strategy mixed, as the device plugin spells it.
func migResource(profile string) string {
	return nvidiaMIG + strings.ReplaceAll(profile, "+", ".")
}
