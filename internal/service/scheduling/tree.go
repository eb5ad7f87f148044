package scheduling

import (
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Values of oversubscribe: what quotas that add up to more than there is are.
const (
	OversubscribeError = "error"
	OversubscribeWarn  = "warn"
	OversubscribeAllow = "allow"
)

var oversubscribes = []tf.Choice{
	{Value: OversubscribeError, Meaning: "an error in the plan"},
	{Value: OversubscribeWarn, Meaning: "a warning in each plan"},
	{Value: OversubscribeAllow, Meaning: "nobody's business"},
}

// OversubscribeAttribute is the schema of the attribute oversubscribe.
func OversubscribeAttribute() schema.StringAttribute {
	return schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.OneOf(OversubscribeError, OversubscribeWarn, OversubscribeAllow)},
		MarkdownDescription: "What it is when quotas add up to more than their parent has, or a quota is above the capacity of its pool. No scheduler refuses that: guarantees are then worth less than they say. " + tf.Choices(oversubscribes...) + " Changed in place."}
}

// CheckSum compares the quotas of children with that of their parent, and their limits with the parent's limit. The
// children of an unlimited parent may have any quota.
func CheckSum(pool Pool, parent Node, children []Node, oversubscribe string) []composite.Finding {
	var out []composite.Finding
	for _, r := range Resources {
		has := parent.Shares.Of(r)
		sum, asked := Amount{}, 0
		for _, child := range children {
			s := child.Shares.Of(r)
			out = append(out, limitAbove(pool, r, parent, child)...)
			switch {
			case s.Quota.Unknown:
			case s.Quota.Unlimited && has.Quota.Known():
				if f, told := oversubscribed(oversubscribe, child.path(r, "quota"), fmt.Sprintf("%s has no quota of %s in pool %s, which means unlimited, and %s has %s. Give it a quota within that, or take the %s quota of %s away.",
					upper(child.Who), r, pool.Label, parent.Who, has.Quota.Said(r), r, parent.Who)); told {
					out = append(out, f)
				}
			default:
				sum = sum.Plus(s.Quota)
				asked++
			}
		}
		if !has.Quota.Known() || !sum.Known() || !sum.Above(has.Quota) {
			continue
		}
		if f, told := oversubscribed(oversubscribe, parent.path(r, "quota"), fmt.Sprintf("%s %s, %s has %s in pool %s. Raise the quota of %s to %s, or lower those below it%s.",
			asks(asked), sum.Said(r), parent.Who, has.Quota.Text(r), pool.Label, parent.Who, sum.Text(r), wayOut(oversubscribe))); told {
			out = append(out, f)
		}
	}
	return out
}

// wayOut names the switch, where it is not set yet.
func wayOut(oversubscribe string) string {
	if oversubscribe == OversubscribeWarn {
		return ""
	}
	return ", or set oversubscribe = \"warn\" if guarantees may be worth less than they say"
}

func asks(n int) string {
	if n == 1 {
		return "One project asks"
	}
	return "Projects ask"
}

func limitAbove(pool Pool, r Resource, parent, child Node) []composite.Finding {
	limit, most := child.Shares.Of(r).Limit, parent.Shares.Of(r).Limit
	if !limit.Known() || !limit.Above(most) {
		return nil
	}
	return []composite.Finding{{Warning: true, Path: child.path(r, "limit"), Summary: "Limit above that of the parent", Detail: fmt.Sprintf(
		"%s may use %s in pool %s by its own limit, but %s ends at %s: more than that never runs. Lower the limit, or raise that of %s.", upper(child.Who), limit.Said(r), pool.Label, parent.Who, most.Text(r), parent.Who)}}
}

// CheckCapacity compares a quota with what the pool has.
func CheckCapacity(engine string, pool Pool, n Node, oversubscribe string) []composite.Finding {
	has, counted := pool.GPUs(engine)
	quota := n.Shares.Of(GPU).Quota
	if !counted || has.Units == 0 && MIGSlices(pool.Resource) == 0 || !quota.Known() || !quota.Above(has) {
		return nil
	}
	what := has.Said(GPU)
	if engine == EngineKAI && MIGSlices(pool.Resource) > 1 {
		what += fmt.Sprintf(" (%d devices of %s, %d each)", pool.Capacity, pool.Resource, MIGSlices(pool.Resource))
	}
	if f, told := oversubscribed(oversubscribe, n.path(GPU, "quota"), fmt.Sprintf("%s has a quota of %s, pool %s has %s. Lower the quota, or add nodes to the pool first.",
		upper(n.Who), quota.Said(GPU), pool.Label, what)); told {
		f.Summary = "Quota above the capacity of the pool"
		return []composite.Finding{f}
	}
	return nil
}

func oversubscribed(how string, at path.Path, detail string) (composite.Finding, bool) {
	return composite.Finding{Path: at, Summary: "Quotas do not add up", Detail: detail, Warning: how == OversubscribeWarn}, how != OversubscribeAllow
}

// Cycle returns the way from a queue to itself over its parents, or nothing. parents has the parent of each queue.
func Cycle(name string, parents map[string]string) []string {
	way := []string{name}
	for seen := map[string]bool{name: true}; ; {
		parent := parents[way[len(way)-1]]
		switch {
		case parent == "":
			return nil
		case parent == name:
			return append(way, name)
		case seen[parent]:
			return nil // a cycle above, which is not of this queue's making
		}
		seen[parent] = true
		way = append(way, parent)
	}
}

// Loop returns the first cycle among the ancestors of a queue, itself included: work below it would stop the scheduler.
func Loop(name string, parents map[string]string) []string {
	for seen := map[string]bool{}; name != "" && !seen[name]; name = parents[name] {
		if cycle := Cycle(name, parents); cycle != nil {
			return cycle
		}
		seen[name] = true
	}
	return nil
}

// Way spells a cycle: "a -> b -> a".
func Way(cycle []string) string { return strings.Join(cycle, " -> ") }
