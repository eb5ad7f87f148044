package nodepool_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
)

// templates are the templates of the pool that are there, of both kinds.
func (l *lot) templates(t *testing.T) []string {
	t.Helper()
	all := append(l.list(t, l.Client, bootstrap.K0sWorkerConfigTemplateKind, l.namespace, ""), l.list(t, l.Client, infrastructure.RemoteMachineTemplateKind, l.namespace, "")...)
	return slices.DeleteFunc(names(all), func(name string) bool { return !strings.HasPrefix(name, l.name+"-") })
}

// pace is what a rollout did to a pool: the Machines before and after, and the fewest that were available.
type pace struct {
	machines  []string
	templates []string
	fewest    func() int
}

func (l *lot) begin(t *testing.T, size int) *pace {
	return &pace{machines: names(l.machines(t)), templates: l.templates(t), fewest: l.witness(t, size)}
}

// over tells whether a rollout is through: new Machines from new templates on every host, the old ones gone, and at no time was
// more than one host away.
func (l *lot) over(t *testing.T, p *pace, size int) error {
	fewest, now, made := p.fewest(), names(l.machines(t)), l.templates(t)
	if fewest != size-1 {
		return fmt.Errorf("there were only %d Machines of %d at a time", fewest, size)
	}
	if len(now) != size || slices.ContainsFunc(now, func(name string) bool { return slices.Contains(p.machines, name) }) {
		return fmt.Errorf("Machines were %q and are %q", p.machines, now)
	}
	if len(made) != 2 || made[0] != made[1] || slices.Contains(p.templates, made[0]) {
		return fmt.Errorf("templates were %q and are %q", p.templates, made)
	}
	return nil
}

// still tells whether nothing was rolled.
func (l *lot) still(t *testing.T, machines []string, runs map[string]string) error {
	if now := names(l.machines(t)); !slices.Equal(now, machines) {
		return fmt.Errorf("Machines were %q and are %q", machines, now)
	}
	if now := l.runs(slices.Collect(maps.Keys(runs))...); !maps.Equal(now, runs) {
		return fmt.Errorf("hosts ran %v and run %v", runs, now)
	}
	return nil
}

// TestAccChangesOfHostsRollAndOthersDoNot: what changes a host replaces the hosts one after the other, and the apply lasts until
// that is done; everything else reaches running nodes.
func TestAccChangesOfHostsRollAndOthersDoNot(t *testing.T) {
	t.Parallel()
	l := newLot(t, "rolls", 2)
	ends := []string{"1", "2", "3", "4"}
	hosts := l.hosts("a1", "b2", "c3", "d4")
	moved := l.hosts(`a1:labels = { rack = "r2" }`, "b2", "c3", "d4")
	provider, byDefault := l.provider, strings.Replace(l.provider, "\n}", "\n  default_labels = { owner = \"research\" }\n}", 1)
	config := func(provider string, lines ...string) string { return provider + l.pool(lines...) }
	var machines, made []string
	var runs map[string]string
	var rollout *pace
	note := func() { machines, made, runs = names(l.machines(t)), l.templates(t), l.runs(ends...) }
	nothing := func(*terraform.State) error {
		if now := l.templates(t); !slices.Equal(now, made) {
			return fmt.Errorf("templates were %q and are %q", made, now)
		}
		return l.still(t, machines, runs)
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{Config: config(provider, hosts, `labels = { team = "vision" }`, `taints = { old = { value = "x" } }`)},
			{ // nothing of this changes a host
				PreConfig:        note,
				Config:           config(byDefault, moved, `labels = { team = "speech", "node-role.kubernetes.io/gpu" = "" }`, `taints = { gpu = { value = "present", effect = "PreferNoSchedule" } }`, `annotations = { note = "moved" }`, `scheduler_pool = "a100"`),
				ConfigPlanChecks: updated(),
				Check: resource.ComposeTestCheckFunc(nothing, func(*terraform.State) error {
					owner, note := l.Get(t, l.deployment()).GetLabels()["owner"], l.Get(t, l.deployment()).GetAnnotations()["note"]
					if owner != "research" || note != "moved" {
						return fmt.Errorf("the MachineDeployment has owner %q and note %q", owner, note)
					}
					racked := ""
					for _, node := range l.nodes(t) {
						labels := node.GetLabels()
						_, role := labels["node-role.kubernetes.io/gpu"]
						if labels["team"] != "speech" || labels["kai.scheduler/node-pool"] != "a100" || fmt.Sprint(taintsOn(node)) != "[gpu=present:PreferNoSchedule]" {
							return fmt.Errorf("node %s has labels %v and taints %v", node.GetName(), labels, taintsOn(node))
						}
						if !role { // Cluster API brings these from the Machines to the nodes by itself
							acctest.Eventually(t, "the nodes have their role", func() bool {
								return len(l.list(t, l.hosted, core.NodeKind, "", "node-role.kubernetes.io/gpu,k0smos.io/node-pool=rolls")) == len(ends)
							})
						}
						racked += labels["node.cluster.x-k8s.io/rack"]
					}
					if racked != "r2" {
						acctest.Eventually(t, "a node has its rack", func() bool {
							return len(l.list(t, l.hosted, core.NodeKind, "", "node.cluster.x-k8s.io/rack=r2,k0smos.io/node-pool=rolls")) == 1
						})
					}
					return nil
				}),
			},
			{
				PreConfig:        func() { rollout = l.begin(t, 4) },
				Config:           config(provider, hosts, `pre_k0s_commands = ["modprobe nbd"]`),
				ConfigPlanChecks: updated(),
				Check: func(*terraform.State) error {
					for _, end := range ends {
						if host := l.Dev.StandIn().Host(l.net + end); host.Bootstraps != 2 || !slices.Contains(host.Commands, "modprobe nbd") {
							return fmt.Errorf("on host %s, %s, was run %q", end, host, host.Commands)
						}
					}
					return l.over(t, rollout, 4)
				},
			},
		},
	})
}

// TestAccARolloutCanBeHeldBack: with on_delete a host changes when somebody deletes its Machine, while paused not at all, and in
// both cases the apply does not wait.
func TestAccARolloutCanBeHeldBack(t *testing.T) {
	t.Parallel()
	l := newLot(t, "held", 7)
	ends, hosts := []string{"1", "2", "3"}, l.hosts("a1", "b2", "c3")
	var machines []string
	var runs map[string]string
	var rollout *pace
	note := func() { machines, runs = names(l.machines(t)), l.runs(ends...) }
	command := func(text string) string { return fmt.Sprintf("pre_k0s_commands = [%q]", text) }
	const onDelete, paused = `rollout = { strategy = "on_delete" }`, `rollout = { paused = true }`
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{Config: l.config(hosts)},
			{ // nobody deletes anything
				PreConfig:        note,
				Config:           l.config(hosts, command("modprobe rbd"), onDelete),
				ConfigPlanChecks: updated(),
				Check: func(*terraform.State) error {
					if now := l.templates(t); len(now) != 4 {
						return fmt.Errorf("templates are %q", now)
					}
					return l.still(t, machines, runs)
				},
			},
			{ // somebody deletes one; the rest waits, also for another change
				PreConfig: func() {
					l.Delete(t, l.key(clusterapi.MachineKind, machines[0]))
					acctest.Eventually(t, "another Machine is there", func() bool {
						now := l.machines(t)
						return len(now) == 3 && !slices.Contains(names(now), machines[0]) && !slices.ContainsFunc(now, func(m unstructured.Unstructured) bool {
							return conditionOf(&m, clusterapi.ConditionAvailable) != "True"
						})
					})
					machines, runs = names(l.machines(t)), l.runs(ends...)
				},
				Config:           l.config(hosts, command("modprobe rbd"), onDelete),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check:            func(*terraform.State) error { return l.still(t, machines, runs) },
			},
			{
				Config:           l.config(hosts, command("modprobe ceph"), paused),
				ConfigPlanChecks: updated(),
				Check:            func(*terraform.State) error { return l.still(t, machines, runs) },
			},
			{ // it goes on, and whatever was made from earlier templates is replaced
				PreConfig:        func() { rollout = l.begin(t, 3) },
				Config:           l.config(hosts, command("modprobe ceph")),
				ConfigPlanChecks: updated(),
				Check: func(*terraform.State) error {
					if now := l.templates(t); len(now) != 2 {
						return fmt.Errorf("templates are %q", now)
					}
					rollout.templates = nil // the newest were made while it was paused
					return l.over(t, rollout, 3)
				},
			},
		},
	})
}

// TestAccThePoolIsUpgradedAfterItsControlPlane changes one version, which both have, in one apply.
func TestAccThePoolIsUpgradedAfterItsControlPlane(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	l := &lot{yard: &yard{ManagementCluster: c}, name: "upgraded", namespace: c.Namespace(t), provider: c.LeastRole(t), net: "198.18.3."}
	c.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: lab-ssh, namespace: %s}, stringData: {value: a key}}", l.namespace))
	config := func(version string) string {
		return l.provider + fmt.Sprintf(`
resource "k0smos_hosted_control_plane" "this" {
  name                = "upgraded"
  namespace           = %[1]q
  create_namespace    = false
  deletion_protection = false
  version             = %[2]q
  expose              = { external_address = "api.example.net" }
  storage             = { etcd = { auto_delete = true } }
}
resource "k0smos_node_pool" "this" {
  name    = "upgraded"
  cluster = k0smos_hosted_control_plane.this.cluster
  site    = { name = "lab", namespace = %[1]q, ssh = { secret = "lab-ssh" } }
  version = k0smos_hosted_control_plane.this.version
  %[3]s
}
data "k0smos_node_pool" "this" {
  name       = k0smos_node_pool.this.name
  namespace  = %[1]q
  depends_on = [k0smos_node_pool.this]
}
`, l.namespace, version, l.hosts("a1", "b2"))
	}
	var rollout *pace
	var plane chan string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{Config: config("v1.35.7+k0s.0")},
			{
				PreConfig: func() { rollout, plane = l.begin(t, 2), l.planeAtRollout(t) },
				Config:    config("v1.36.2+k0s.0"),
				ConfigPlanChecks: resource.ConfigPlanChecks{
					PreApply:             []plancheck.PlanCheck{plancheck.ExpectResourceAction(lotAddress, plancheck.ResourceActionUpdate)},
					PostApplyPostRefresh: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()},
				},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr("data.k0smos_node_pool.this", "version", "v1.36.2+k0s.0"),
					resource.TestCheckResourceAttr("data.k0smos_node_pool.this", "up_to_date_replicas", "2"),
					resource.TestCheckResourceAttr("data.k0smos_node_pool.this", "other_machines.%", "0"),
					func(*terraform.State) error {
						if at := <-plane; !strings.HasPrefix(at, "v1.36.2") {
							return fmt.Errorf("the first host was replaced while the control plane ran %s", at)
						}
						l.hosted = dialHosted(t, c, l.namespace, "upgraded")
						for _, node := range l.nodes(t) {
							if runs, _, _ := unstructured.NestedString(node.Object, "status", "nodeInfo", "kubeletVersion"); !strings.HasPrefix(runs, "v1.36.2") {
								return fmt.Errorf("node %s runs %s", node.GetName(), runs)
							}
						}
						return l.over(t, rollout, 2)
					}),
			},
		},
	})
}

// planeAtRollout tells what version the control plane runs at the time when the first Machine is being deleted.
func (l *lot) planeAtRollout(t *testing.T) chan string {
	t.Helper()
	ctx, stop := context.WithTimeout(context.WithoutCancel(t.Context()), 5*time.Minute)
	t.Cleanup(stop)
	watch, err := resourceOf(l.Client, clusterapi.MachineKind, l.namespace).Watch(ctx, metav1.ListOptions{LabelSelector: l.selector()})
	if err != nil {
		t.Fatal(err)
	}
	seen := make(chan string, 1)
	go func() {
		defer close(seen)
		for event := range watch.ResultChan() {
			machine, ok := event.Object.(*unstructured.Unstructured)
			if !ok || machine.GetDeletionTimestamp() == nil {
				continue
			}
			planes, err := resourceOf(l.Client, controlplane.K0smotronControlPlaneKind, l.namespace).List(ctx, metav1.ListOptions{})
			if err != nil || len(planes.Items) != 1 {
				seen <- fmt.Sprint(len(planes.Items), " of them ", err)
				return
			}
			version, _, _ := unstructured.NestedString(planes.Items[0].Object, "status", "version")
			seen <- version
			return
		}
	}()
	return seen
}
