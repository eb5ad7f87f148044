package pool

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = []composite.Check[Model]{levels, knownArgs, counted, capacityOfSomething, expressible}

const hostname = "kubernetes.io/hostname"

// levels: both engines refuse these at apply, with rules in CEL.
func levels(m Model) []composite.Finding {
	var out []composite.Finding
	list := m.Topology.Known()
	seen := map[string]int{}
	for i, level := range list {
		if level.IsUnknown() {
			continue
		}
		at, label := path.Root("topology").AtListIndex(i), level.ValueString()
		first, again := seen[label]
		switch {
		case level.IsNull() || len(validation.IsQualifiedName(label)) > 0:
			out = append(out, composite.Finding{Path: at, Summary: "Invalid level", Detail: fmt.Sprintf(
				"Level %d of topology is %q, which is no label of a node. Allowed: a label key, such as \"topology.kubernetes.io/zone\".", i, label)})
		case again:
			out = append(out, composite.Finding{Path: at, Summary: "Level twice", Detail: fmt.Sprintf(
				"Levels %d and %d of topology are both %q. Remove one of them.", first, i, label)})
		case label == hostname && i != len(list)-1:
			out = append(out, composite.Finding{Path: at, Summary: "Level at the wrong place", Detail: fmt.Sprintf(
				"Level %d of topology is %s, with %d below it, and no two nodes are the same host. Put it last.", i, hostname, len(list)-1-i)})
		}
		if !again {
			seen[label] = i
		}
	}
	return out
}

// counted: KAI has one number of GPUs, which NVIDIA's and AMD's devices and the slices of MIG profiles feed.
func counted(m Model) []composite.Finding {
	resource := m.Resource.ValueString()
	if m.Engine.ValueString() != scheduling.EngineKAI || resource == "" || resource == scheduling.NVIDIAGPU || resource == scheduling.AMDGPU {
		return nil
	}
	if len(resource) > len(scheduling.MIGPrefix) && resource[:len(scheduling.MIGPrefix)] == scheduling.MIGPrefix && scheduling.MIGSlices(resource) > 0 {
		return nil
	}
	return []composite.Finding{{Path: path.Root("resource"), Warning: true, Summary: "KAI does not count these as GPUs", Detail: fmt.Sprintf(
		"resource is %q, and KAI counts as GPUs only %s, %s and MIG profiles without a suffix such as %s3g.40gb. GPU quotas and limits would never bind in this pool: anybody takes as many as there are. Use such a resource, or Kueue, which counts every resource by its name.",
		resource, scheduling.NVIDIAGPU, scheduling.AMDGPU, scheduling.MIGPrefix)}}
}

func capacityOfSomething(m Model) []composite.Finding {
	if m.Resource.IsNull() && !m.Capacity.IsNull() && !m.Capacity.IsUnknown() && m.Capacity.ValueInt64() > 0 {
		return []composite.Finding{{Path: path.Root("capacity"), Summary: "Capacity of nothing", Detail: fmt.Sprintf(
			"capacity is %d, and resource does not say of what. Set resource to the name that nodes offer the GPUs as, such as %s, or remove capacity.", m.Capacity.ValueInt64(), scheduling.NVIDIAGPU)}}
	}
	return nil
}

// expressible names what Kueue is not told, and why.
func expressible(m Model) []composite.Finding {
	if m.Engine.ValueString() != scheduling.EngineKueue {
		return nil
	}
	var out []composite.Finding
	lost := func(set bool, attribute, why string) {
		if set {
			out = append(out, composite.Finding{Path: path.Root(attribute), Warning: true, Summary: "Not on Kueue",
				Detail: attribute + " has no effect with engine = \"kueue\": " + why + " It is left out; remove it to silence this warning."})
		}
	}
	lost(!m.Placement.IsNull(), "placement", "Kueue decides when work starts, and the scheduler of Kubernetes on which nodes.")
	lost(!m.MinRuntime.IsNull(), "min_runtime", "Kueue has no time in which work cannot be preempted or reclaimed.")
	lost(!m.Args.IsNull(), "args", "these are flags of KAI's scheduler, and Kueue has no scheduler for each pool.")
	lost(!m.FairShareHistory.IsNull(), "fair_share_history", "Kueue weighs past use for its whole installation (admissionFairSharing in its configuration), not for a pool.")
	return out
}

func levelsOf(m Model) []string { return scheduling.Texts(m.Topology) }
