package nodepool_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

// updated is an update in place, in which the address of what holds the size stays known.
func updated() resource.ConfigPlanChecks {
	return resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction(lotAddress, plancheck.ResourceActionUpdate),
		plancheck.ExpectKnownValue(lotAddress, tfjsonpath.New("scaling").AtMapKey("uid"), knownvalue.NotNull()),
	}}
}

// TestAccHostsAreAddedAndReleasedOneByOne takes hosts out of a pool, puts them in, drains them, replaces them and builds them
// anew. The test framework plans again after every step and fails if that plan is not empty.
func TestAccHostsAreAddedAndReleasedOneByOne(t *testing.T) {
	t.Parallel()
	l := newLot(t, "hosts", 1)
	var before map[string]string
	// run has hosts with these last parts of their addresses, of which the ones that are kept run what they ran before.
	run := func(has, kept string, built map[string]int) resource.TestCheckFunc {
		return func(*terraform.State) error {
			ends := strings.Fields(has)
			now := l.runs(ends...)
			for _, end := range strings.Fields(kept) {
				if now[end] != before[end] {
					return fmt.Errorf("host %s ran %q and runs %q", end, before[end], now[end])
				}
			}
			var on []string
			for _, end := range ends {
				host := l.Dev.StandIn().Host(l.net + end)
				if want, ok := built[end]; ok && host.Bootstraps != want {
					return fmt.Errorf("host %s is %s, not built %d times", end, host, want)
				}
				if host.Machine.Name != "" {
					on = append(on, host.Machine.Name)
				}
			}
			slices.Sort(on)
			if got := names(l.machines(t)); !slices.Equal(got, on) || len(names(l.nodes(t))) != len(on) {
				return fmt.Errorf("hosts run %q, Machines are %q and nodes %q", on, got, names(l.nodes(t)))
			}
			before = now
			return nil
		}
	}
	entries := func(keys string) resource.TestCheckFunc {
		return func(*terraform.State) error {
			var want []string
			for _, key := range keys {
				want = append(want, "hosts-"+string(key))
			}
			if got := l.entries(t); !slices.Equal(got, want) {
				return fmt.Errorf("the pool lists %q", got)
			}
			return nil
		}
	}
	more := []string{`labels = { team = "vision", "node-role.kubernetes.io/gpu" = "" }`, `taints = { gpu = { value = "present" } }`}
	config := func(lines ...string) string { return l.config(append(slices.Clone(more), lines...)...) }
	const rack = `:labels = { rack = "r1" }`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{Config: config(l.hosts("a1"+rack, "b2", "c3", "d4")), Check: resource.ComposeTestCheckFunc(
				run("1 2 3 4", "", map[string]int{"1": 1, "2": 1, "3": 1, "4": 1}), entries("abcd"), func(*terraform.State) error { return l.joined(t) })},
			{Config: config(l.hosts("a1"+rack, "b2")), ConfigPlanChecks: updated(), Check: resource.ComposeTestCheckFunc(run("1 2 3 4", "1 2", map[string]int{"3": 1, "4": 1}), entries("ab"))},
			{Config: config(l.hosts("a1"+rack, "b2", "c3", "d4")), ConfigPlanChecks: updated(), Check: resource.ComposeTestCheckFunc(run("1 2 3 4", "1 2", map[string]int{"3": 2, "4": 2}), entries("abcd"))},
			{ // one is drained, one goes, one comes
				Config: config(l.hosts("a1"+rack, "b2", `d4:state = "drain"`, "e5")), ConfigPlanChecks: updated(),
				Check: resource.ComposeTestCheckFunc(run("1 2 3 4 5", "1 2", map[string]int{"3": 2, "4": 2, "5": 1}), entries("abe")),
			},
			{ // another address is another host
				Config: config(l.hosts("a1"+rack, "b22", `d4:state = "drain"`, "e5")), ConfigPlanChecks: updated(),
				Check: resource.ComposeTestCheckFunc(run("1 2 22 4 5", "1 5 4", map[string]int{"2": 1, "22": 1}), entries("abe")),
			},
			{
				Config: config(l.hosts("a1"+rack, "b22", "e5"), `reprovision = { a = "a new disk" }`), ConfigPlanChecks: updated(),
				Check: resource.ComposeTestCheckFunc(run("1 22 5", "22 5", map[string]int{"1": 2}), entries("abe")),
			},
			{Config: config(l.hosts("a1"+rack, "b22", "e5"), `reprovision = { a = "a new disk" }`, "replicas = 1"), ConfigPlanChecks: updated(), Check: func(*terraform.State) error {
				if got := names(l.machines(t)); len(got) != 1 || !strings.Contains(strings.Join(slices.Collect(maps.Values(before)), " "), got[0]) {
					return fmt.Errorf("Machines are %q after %v", got, before)
				}
				return entries("abe")(nil)
			}},
			{Config: config(l.hosts("a1"+rack, "b22", "e5"), `reprovision = { a = "a new disk" }`), ConfigPlanChecks: updated(), Check: run("1 22 5", "", nil)},
		},
	})
}

// joined tells whether nodes came with all that was declared.
func (l *lot) joined(t *testing.T) error {
	racks := 0
	for _, node := range l.nodes(t) {
		id, _, _ := unstructured.NestedString(node.Object, "spec", "providerID")
		labels := node.GetLabels()
		for key, want := range map[string]string{"team": "vision", "node-role.kubernetes.io/gpu": "", "k0smos.io/site": "lab", "topology.kubernetes.io/region": "ca-quebec"} {
			if got, ok := labels[key]; !ok || got != want {
				return fmt.Errorf("node %s has label %s %q", node.GetName(), key, got)
			}
		}
		if labels["node.cluster.x-k8s.io/rack"] == "r1" {
			racks++
		}
		if taints := fmt.Sprint(taintsOn(node)); taints != "[gpu=present:NoSchedule]" || !strings.HasPrefix(id, "remote-machine://"+l.net) {
			return fmt.Errorf("node %s is %s with taints %s", node.GetName(), id, taints)
		}
	}
	if racks != 1 {
		return fmt.Errorf("%d nodes are in rack r1", racks)
	}
	return nil
}

func taintsOn(node unstructured.Unstructured) []string {
	list, _, _ := unstructured.NestedSlice(node.Object, "spec", "taints")
	var out []string
	for _, item := range list {
		if taint, ok := item.(map[string]any); ok {
			out = append(out, fmt.Sprintf("%v=%v:%v", taint["key"], taint["value"], taint["effect"]))
		}
	}
	return out
}
