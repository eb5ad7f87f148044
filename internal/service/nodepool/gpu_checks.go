package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

var gpuChecks = []composite.Check[Model]{gpuPartitioning, gpuScheduling}

var (
	gpuPath          = path.Root("gpu")
	partitioningPath = gpuPath.AtName("partitioning")
)

func gpuFault(at path.Path, summary, detail string) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: detail}
}

func gpuWarning(at path.Path, summary, detail string) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: detail, Warning: true}
}

// gpuPartitioning: device plugins, MIG manager and device config manager say what is wrong only in their logs, once a host has
// been drained and the cards are gone from its node.
func gpuPartitioning(m Model) []composite.Finding {
	g, ok := m.GPU.Get()
	if !ok {
		return nil
	}
	c := cardsOf(g)
	if !c.known {
		return nil
	}
	if of := map[string]string{modeMIG: vendorNVIDIA, modeTimeSlicing: vendorNVIDIA, modeMPS: vendorNVIDIA, modeAMDPartition: vendorAMD}[c.mode]; of != "" && c.vendor != of {
		return []composite.Finding{gpuFault(partitioningPath.AtName("mode"), "Not a mode of this vendor", fmt.Sprintf(
			"gpu.partitioning.mode is %q, which cards of %s do not have. Cards of nvidia take mig, time_slicing and mps; those of amd take amd_partition.", c.mode, c.vendor))}
	}
	out := unusedParts(g, c)
	if name := c.config; name != "" {
		if wrong := validation.IsValidLabelValue(name); len(wrong) > 0 {
			out = append(out, gpuFault(partitioningPath.AtName("config"), "Not the value of a label", fmt.Sprintf(
				"The node gets the name as a label, and %q cannot be one: %s.", name, strings.Join(wrong, "; "))))
		}
	}
	switch c.mode {
	case modeMIG:
		return append(out, migPossible(c)...)
	case modeAMDPartition:
		return append(out, amdPossible(c)...)
	case modeTimeSlicing, modeMPS:
		if c.replicas == 0 && c.config == "" {
			out = append(out, gpuFault(partitioningPath.AtName("replicas"), "Missing replicas", fmt.Sprintf(
				"With mode %s, replicas says into how many shares each card goes, 2 or more. Set it, or config with a configuration of the device plugin that you have written yourself.", c.mode)))
		}
	}
	return out
}

// unusedParts: a part that another mode reads would be ignored silently.
func unusedParts(g GPU, c cards) []composite.Finding {
	p, _ := g.Partitioning.Get()
	var out []composite.Finding
	unused := func(part, modes string) {
		out = append(out, gpuFault(partitioningPath.AtName(part), "Unused "+part, fmt.Sprintf(
			"gpu.partitioning.%s goes with mode %s; the mode is %s, where it would do nothing. Remove it, or change the mode.", part, modes, c.mode)))
	}
	divided := c.mode == modeMIG || c.mode == modeAMDPartition
	if !p.Replicas.IsNull() && !c.shared() {
		unused("replicas", "time_slicing or mps")
	}
	if !p.Profile.IsNull() && !divided {
		unused("profile", "mig or amd_partition")
	}
	if !p.Strategy.IsNull() && !divided {
		unused("strategy", "mig or amd_partition")
	}
	if !p.Config.IsNull() && c.mode == modeNone {
		unused("config", "mig, time_slicing, mps or amd_partition")
	}
	return out
}

func migPossible(c cards) []composite.Finding {
	at := partitioningPath.AtName("profile")
	switch {
	case c.profile == "" && c.config == "":
		return []composite.Finding{gpuFault(at, "Missing profile", "With mode mig, set profile to cut every card into instances of one kind, for example \"1g.10gb\", or config to the name of a configuration of the MIG manager, for example \"all-balanced\".")}
	case c.profile != "" && c.config != "":
		return []composite.Finding{gpuFault(at, "Profile and config", "A configuration of the MIG manager says the profiles itself. Set profile or config, not both.")}
	case c.profile != "" && !migProfile.MatchString(c.profile):
		hint := ""
		if spelled := strings.Replace(c.profile, "gb.", "gb+", 1); migProfile.MatchString(spelled) {
			hint = fmt.Sprintf(" %q is meant.", spelled)
		}
		return []composite.Finding{gpuFault(at, "Not a MIG profile", fmt.Sprintf(
			"%q is no profile of a GPU instance. A profile is compute slices and memory, and for some +me, +me.all, -me or +gfx: \"1g.10gb\", \"1g.10gb+me\", \"3g.40gb\".%s Compute instances inside of one (\"1c.2g.20gb\") take a configuration of the MIG manager, named by config.", c.profile, hint))}
	}
	candidates := migCandidates(c)
	if c.config == "all-balanced" && c.strategy == strategySingle {
		return []composite.Finding{gpuFault(partitioningPath.AtName("strategy"), "Instances that differ", "all-balanced makes instances of several kinds, and with strategy single (the default) the device plugin offers none of them, since all must be equal. Set strategy = \"mixed\".")}
	}
	if len(candidates) == 0 {
		return []composite.Finding{gpuWarning(gpuPath.AtName("model"), "Instances of this card are not known", fmt.Sprintf(
			"The provider does not know how many instances %q has, so it cannot check the profile, and gpu_capacity stays empty. It knows %s. If it is one of these, write its name so; if it is newer, give capacities where a scheduling pool asks for them.", c.model, strings.Join(migNames(), ", ")))}
	}
	profile := migProfileOf(c)
	if profile == "" {
		return nil // a configuration of the user's own
	}
	if _, possible := migInstances(c); possible {
		return nil
	}
	if !slices.ContainsFunc(candidates, func(card migCard) bool { return card.profiles[profile] > 0 }) {
		return []composite.Finding{gpuFault(at, "Impossible profile", fmt.Sprintf(
			"%s cannot be cut into instances %s. Possible are %s.", described(candidates), profile, strings.Join(profilesOf(candidates), ", ")))}
	}
	return []composite.Finding{gpuFault(gpuPath.AtName("memory"), "Which card?", fmt.Sprintf(
		"%q may be %s, and these differ in how many instances %s they have. Set memory, the memory of one card, for example \"80Gi\".", c.model, described(candidates), profile))}
}

// migNames are the cards that are known here, once each.
func migNames() []string {
	var out []string
	for _, card := range migCards {
		if name := strings.Join(card.names, " "); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func described(candidates []migCard) string {
	var out []string
	for _, card := range candidates {
		out = append(out, fmt.Sprintf("%s with %d GB", strings.Join(card.names, " "), card.memory))
	}
	return strings.Join(out, " or ")
}

func profilesOf(candidates []migCard) []string {
	all := map[string]bool{}
	for _, card := range candidates {
		for p := range card.profiles {
			all[p] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func amdPossible(c cards) []composite.Finding {
	at := partitioningPath.AtName("profile")
	dies, known, whole := amdDiesOf(c.model)
	p, ok := parsePartition(c.profile)
	switch {
	case whole:
		return []composite.Finding{gpuFault(partitioningPath.AtName("mode"), "Card without partitions", fmt.Sprintf("%s cannot be partitioned; Instinct cards can from the MI300 series on. Remove partitioning.", c.model))}
	case c.profile == "" && c.config == "":
		return []composite.Finding{gpuFault(at, "Missing profile", "With mode amd_partition, set profile to how every card is divided, compute and memory, for example \"cpx_nps4\", or config to the name of a profile of the device config manager.")}
	case c.profile != "" && c.config != "":
		return []composite.Finding{gpuFault(at, "Profile and config", "A profile of the device config manager says the partitions itself. Set profile or config, not both.")}
	case c.profile == "":
		return nil
	case !ok:
		return []composite.Finding{gpuFault(at, "Not a partition", fmt.Sprintf("%q is no partition. A partition is the compute mode SPX, DPX, TPX, QPX or CPX and the memory mode NPS1, NPS2, NPS4 or NPS8: \"cpx_nps4\". Without a memory mode it is NPS1.", c.profile))}
	case p.devices(dies) == 0:
		return []composite.Finding{gpuFault(at, "Impossible partition", fmt.Sprintf("%s cannot be divided as %s. Possible are %s, as far as its driver and firmware take them.", c.model, p, strings.Join(possiblePartitions(dies), ", ")))}
	case !known:
		return []composite.Finding{gpuWarning(gpuPath.AtName("model"), "Partitions of this card are not known", fmt.Sprintf(
			"The provider does not know how many compute dies %q has, so it takes it for one with %d, and gpu_capacity stays empty for CPX. It knows %s.", c.model, dies, strings.Join(slices.Sorted(maps.Keys(amdDies)), ", ")))}
	}
	return nil
}

// gpuScheduling: KAI counts what it finds in the resources of nodes, and shares cards by itself.
func gpuScheduling(m Model) []composite.Finding {
	g, ok := m.GPU.Get()
	if !ok || m.SchedulerPool.IsNull() || m.SchedulerPool.ValueString() == "" && !m.SchedulerPool.IsUnknown() {
		return nil
	}
	c := cardsOf(g)
	if !c.known {
		return nil
	}
	switch profile := migProfileOf(c); {
	case c.shared():
		return []composite.Finding{gpuWarning(partitioningPath.AtName("mode"), "Shared twice", fmt.Sprintf(
			"KAI gives out fractions of cards by itself (annotations gpu-fraction and gpu-memory) and takes each %s of a node for a whole card. With mode %s each card counts as several: quotas count shares, not cards, and pods with a fraction land on a card that others share already, with nothing between their memories. "+
				"For fractions, leave partitioning out. To keep %s, use no fractions in this pool and count its quotas in shares.", nvidiaGPU, c.mode, c.mode))}
	case c.mode == modeMIG && c.strategy == strategyMixed && strings.ContainsAny(profile, "+-"):
		return []composite.Finding{gpuWarning(partitioningPath.AtName("profile"), "Not counted by KAI", fmt.Sprintf(
			"KAI does not take %s for a GPU, because of what follows the memory, so these instances count as 0 in its quotas. Use a plain profile, or strategy = \"single\", which offers them as %s.", migResource(profile), nvidiaGPU))}
	case c.mode == modeAMDPartition && c.strategy == strategyMixed:
		return []composite.Finding{gpuWarning(partitioningPath.AtName("strategy"), "Not counted by KAI", fmt.Sprintf(
			"KAI counts %s and no other resource of AMD, so with strategy mixed these devices count as 0 in its quotas. Use strategy = \"single\".", amdGPU))}
	}
	return nil
}
