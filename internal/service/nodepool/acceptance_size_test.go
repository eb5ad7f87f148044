package nodepool_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
)

// TestAccTheSizeIsLeftToAnAutoscalerAndTakenBack: what an autoscaler does within its bounds is no drift, and none of its traces
// is left when the size is declared again. A health check comes and goes beside it.
func TestAccTheSizeIsLeftToAnAutoscalerAndTakenBack(t *testing.T) {
	t.Parallel()
	l := newLot(t, "size", 4)
	hosts := l.hosts("a1", "b2", "c3")
	scaled := l.config(hosts, `autoscaling = { min = 1, max = 3, cpu = "64", memory = "512Gi" }`, `taints = { gpu = { value = "present" } }`)
	check := l.key(clusterapi.MachineHealthCheckKind, "size")
	scaling := func(attribute string, want knownvalue.Check) statecheck.StateCheck {
		return statecheck.ExpectKnownValue(lotAddress, tfjsonpath.New("scaling").AtMapKey(attribute), want)
	}
	has := func(replicas int64, annotations map[string]string) error {
		live := l.Get(t, l.deployment())
		if n, _, _ := unstructured.NestedInt64(live.Object, "spec", "replicas"); n != replicas || len(l.machines(t)) != int(replicas) {
			return fmt.Errorf("the size is %d, with %d Machines", n, len(l.machines(t)))
		}
		for key, want := range annotations {
			if got := live.GetAnnotations()[key]; got != want {
				return fmt.Errorf("annotation %s is %q", key, got)
			}
		}
		return nil
	}
	const hint = "capacity.cluster-autoscaler.kubernetes.io/"
	var runs map[string]string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{
				Config:            l.config(hosts, "health_check = {}", `taints = { gpu = { value = "present" } }`),
				ConfigStateChecks: []statecheck.StateCheck{scaling("max", knownvalue.Int64Exact(3)), scaling("by", knownvalue.Null()), scaling("uid", knownvalue.NotNull())},
				Check: func(*terraform.State) error {
					most, _, _ := unstructured.NestedFieldNoCopy(l.Get(t, check).Object, "spec", "remediation", "triggerIf", "unhealthyLessThanOrEqualTo")
					if fmt.Sprint(most) != "1" {
						return fmt.Errorf("Machines are rebuilt up to %v at a time", most)
					}
					runs = l.runs("1", "2", "3")
					return nil
				},
			},
			{
				Config:            scaled,
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{scaling("min", knownvalue.Int64Exact(1)), scaling("by", knownvalue.StringExact("cluster_autoscaler"))},
				Check: func(*terraform.State) error {
					if l.Find(t, check) != nil {
						return fmt.Errorf("the health check is still there")
					}
					if now := l.runs("1", "2", "3"); fmt.Sprint(now) != fmt.Sprint(runs) {
						return fmt.Errorf("hosts ran %v and run %v", runs, now)
					}
					return has(3, map[string]string{clusterapi.MinSizeAnnotation: "1", clusterapi.MaxSizeAnnotation: "3", hint + "cpu": "64", hint + "memory": "512Gi", hint + "taints": "gpu=present:NoSchedule"})
				},
			},
			{ // as the autoscaler does
				PreConfig: func() {
					l.EditAs(t, "cluster-autoscaler", l.deployment(), func(object map[string]any) {
						_ = unstructured.SetNestedField(object, int64(1), "spec", "replicas")
					})
					acctest.Eventually(t, "the pool has one Machine", func() bool { return len(l.machines(t)) == 1 })
				},
				Config:           scaled,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				Check:            func(*terraform.State) error { return has(1, nil) },
			},
			{
				Config:            l.config(hosts, "replicas = 2", `taints = { gpu = { value = "present" } }`),
				ConfigPlanChecks:  updated(),
				ConfigStateChecks: []statecheck.StateCheck{scaling("max", knownvalue.Int64Exact(2)), scaling("by", knownvalue.Null())},
				Check: func(*terraform.State) error {
					return has(2, map[string]string{clusterapi.MinSizeAnnotation: "", clusterapi.MaxSizeAnnotation: "", hint + "cpu": "", hint + "taints": ""})
				},
			},
		},
	})
}
