package scheduling

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// CheckShrink finds quotas and limits below what a queue has allocated now. Nothing is evicted for a limit; what is above the
// quota can be reclaimed.
func CheckShrink(pool Pool, n Node, allocated, pinned map[Resource]Amount) []composite.Finding {
	var out []composite.Finding
	warn := func(at path.Path, detail string, args ...any) {
		out = append(out, composite.Finding{Warning: true, Path: at, Summary: "Below what is allocated now", Detail: fmt.Sprintf(detail, args...)})
	}
	for _, r := range Resources {
		s := n.Shares.Of(r)
		has, must := allocated[r], pinned[r]
		switch {
		case s.Limit.Known() && has.Above(s.Limit):
			warn(n.path(r, "limit"), "%s has %s allocated now in pool %s, and its limit is %s. Nothing is evicted: it stays above until its work ends, and nothing new starts until then.", upper(n.Who), has.Said(r), pool.Label, s.Limit.Text(r))
		case s.Quota.Known() && must.Above(s.Quota):
			warn(n.path(r, "quota"), "%s has %s allocated now in pool %s to work that must not be preempted, and its quota is %s. Nothing is evicted; no more such work starts until it is below.", upper(n.Who), must.Said(r), pool.Label, s.Quota.Text(r))
		case s.Quota.Known() && s.Quota.Units > 0 && has.Above(s.Quota):
			warn(n.path(r, "quota"), "%s has %s allocated now in pool %s, and its quota is %s. Others may reclaim what is above.", upper(n.Who), has.Said(r), pool.Label, s.Quota.Text(r))
		}
	}
	return out
}
