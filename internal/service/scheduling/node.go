package scheduling

import (
	"fmt"
	"math"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Pool is what is known of a pool that shares are given of.
type Pool struct {
	Label    string // value of the node label, and what messages call it
	Flavor   string // of Kueue
	Resource string // that GPUs are offered as; "" is not known
	Capacity int64  // devices
	Counted  bool   // the capacity is known
}

// PoolOf is the pool of a reference. What is not known yet is left out.
func PoolOf(ref PoolRef) Pool {
	p := Pool{Label: ref.NodePool.ValueString(), Flavor: ref.Name.ValueString(), Resource: ref.Resource.ValueString()}
	if p.Flavor == "" {
		p.Flavor = p.Label
	}
	if !ref.Capacity.IsNull() && !ref.Capacity.IsUnknown() {
		p.Capacity, p.Counted = ref.Capacity.ValueInt64(), true
	}
	return p
}

// GPUs is the capacity in the GPUs that an engine counts: KAI counts the slices of MIG devices, Kueue the devices.
func (p Pool) GPUs(engine string) (Amount, bool) {
	each := int64(1)
	if engine == EngineKAI {
		each = MIGSlices(p.Resource)
	}
	if !p.Counted || p.Capacity > math.MaxInt64/perGPU/16 {
		return Amount{}, false
	}
	return Amount{Units: p.Capacity * each * perGPU}, true
}

// Node is a queue in the tree of one pool: a department, or a project.
type Node struct {
	Who    string    // what messages call it: "project vision"
	At     path.Path // of its shares
	Shares Shares
}

func (n Node) path(r Resource, attribute string) path.Path {
	return n.At.AtName(string(r)).AtName(attribute)
}

// CheckNode finds what is wrong with the shares of one node by themselves.
func CheckNode(engine string, pool Pool, n Node) []composite.Finding {
	var out []composite.Finding
	for _, r := range Resources {
		s := n.Shares.Of(r)
		if s.Inexact {
			out = append(out, composite.Finding{Path: n.At.AtName(string(r)), Summary: "Amount too fine", Detail: fmt.Sprintf(
				"The %s of %s in pool %s is finer than schedulers count: CPU is counted in millicores and memory in bytes. Write a multiple of 1m, or whole bytes.", r, n.Who, pool.Label)})
			continue
		}
		if s.Quota.Known() && s.Quota.Above(s.Limit) {
			out = append(out, composite.Finding{Path: n.path(r, "limit"), Summary: "Limit under quota", Detail: fmt.Sprintf(
				"%s has a quota of %s in pool %s and a limit of %s, so part of its quota could never be used. Raise the limit to %s or more, or lower the quota.",
				upper(n.Who), s.Quota.Said(r), pool.Label, s.Limit.Text(r), s.Quota.Text(r))})
		}
		if room := !s.Quota.Unlimited && (s.Limit.Unlimited || s.Limit.Known() && s.Limit.Above(s.Quota)); s.Weight == 0 && !s.WeightUnknown && room && s.Quota.Known() {
			out = append(out, composite.Finding{Warning: true, Path: n.path(r, "over_quota_weight"), Summary: "Work above the quota is always reclaimed first", Detail: fmt.Sprintf(
				"%s has weight 0 in pool %s with room above its quota of %s: work above the quota may start, has no share of what is left over and is the first to be reclaimed. Set limit = %s if none is meant to run above the quota, or a weight above 0.",
				upper(n.Who), pool.Label, s.Quota.Said(r), s.Quota.Text(r))})
		}
	}
	out = append(out, checkGPUs(engine, pool, n)...)
	if engine == EngineKueue {
		out = append(out, oneWeight(pool, n)...)
	}
	return out
}

// checkGPUs finds GPUs that cannot be had.
func checkGPUs(engine string, pool Pool, n Node) []composite.Finding {
	var out []composite.Finding
	s := n.Shares.Of(GPU)
	each := MIGSlices(pool.Resource)
	for _, a := range []struct {
		name   string
		amount Amount
	}{{"quota", s.Quota}, {"limit", s.Limit}} {
		switch {
		case !a.amount.Known():
		case engine == EngineKueue && !a.amount.Whole():
			out = append(out, composite.Finding{Path: n.path(GPU, a.name), Summary: "Part of a GPU on Kueue", Detail: fmt.Sprintf(
				"%s has a %s of %s in pool %s. Kueue counts whole devices only. Write a whole number, or use engine = \"kai\" for fractions of GPUs.", upper(n.Who), a.name, a.amount.Said(GPU), pool.Label)})
		case engine == EngineKAI && each > 1 && a.amount.Units%(each*perGPU) != 0:
			out = append(out, composite.Finding{Warning: true, Path: n.path(GPU, a.name), Summary: "MIG devices are counted in slices", Detail: fmt.Sprintf(
				"%s has a %s of %s in pool %s, which offers %s. KAI counts each of these devices as %d, so %s are no whole number of devices. Count slices: %d for one device, not cards.",
				upper(n.Who), a.name, a.amount.Said(GPU), pool.Label, pool.Resource, each, a.amount.Said(GPU), each)})
		}
	}
	if engine == EngineKAI && each == 0 && s.Quota.Known() && s.Quota.Units > 0 {
		out = append(out, composite.Finding{Path: n.path(GPU, "quota"), Summary: "MIG profile that KAI does not count", Detail: fmt.Sprintf(
			"Pool %s offers %s. KAI counts MIG devices by the number in <n>g.<m>gb and takes a profile with anything behind it as 0 GPUs, so no quota of %s would hold. Use a plain profile, or engine = \"kueue\", which counts devices by their name.",
			pool.Label, pool.Resource, n.Who)})
	}
	return out
}

// oneWeight: Kueue has one weight for each queue, so that those of other resources are not heard.
func oneWeight(pool Pool, n Node) []composite.Finding {
	gpu := n.Shares.Of(GPU)
	var out []composite.Finding
	for _, r := range []Resource{CPU, Memory} {
		s := n.Shares.Of(r)
		if !s.WeightUnknown && !gpu.WeightUnknown && s.Weight != gpu.Weight {
			out = append(out, composite.Finding{Warning: true, Path: n.path(r, "over_quota_weight"), Summary: "Kueue has one weight for all resources", Detail: fmt.Sprintf(
				"%s.over_quota_weight of %s in pool %s is %s and that of gpu is %s. Kueue shares what is left over by one weight for each queue: that of gpu counts, this one has no effect.",
				r, n.Who, pool.Label, number(s.Weight), number(gpu.Weight))})
		}
	}
	return out
}

func number(f float64) string { return fmt.Sprintf("%g", f) }

func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
