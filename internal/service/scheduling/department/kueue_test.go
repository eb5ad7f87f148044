//go:build kueue

package department_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// department is a department with the 16 GPUs of one pool, and projects as given.
func (r *rig) department(name, projects string, more ...string) string {
	return r.ProviderBlock() + fmt.Sprintf(`
locals {
  cluster = { namespace = "geo", name = "train" }
}

resource "k0smos_scheduling_pool" "this" {
  name      = "a100"
  cluster   = local.cluster
  engine    = "kueue"
  node_pool = "a100"
  resource  = "nvidia.com/gpu"
  capacity  = 16
}

resource "k0smos_department" "this" {
  name    = %[1]q
  cluster = local.cluster
  engine  = "kueue"
  pools = {
    a100 = { scheduling_pool = k0smos_scheduling_pool.this.ref, gpu = { quota = 16, limit = 16 } }
  }
  projects = {
    %[2]s
  }
  %[3]s
}
`, name, projects, strings.Join(more, "\n  "))
}

// project is a project with a namespace of its own name.
func project(name, gpu string, more ...string) string {
	return fmt.Sprintf("%s = {\n      namespaces = [%q]\n      pools      = { a100 = { gpu = { %s } } }\n      %s\n    }\n    ", name, name, gpu, strings.Join(more, "\n      "))
}

// then runs part of a story when a step has been applied.
func then(f func()) resource.TestCheckFunc {
	return func(*terraform.State) error { f(); return nil }
}

// TestKueueLendsReclaimsAndHoldsLimits is the life of a department with work in it.
func TestKueueLendsReclaimsAndHoldsLimits(t *testing.T) {
	r := newRig(t)
	steady := project("vision", "quota = 8, limit = 12") + project("language", "quota = 8")
	moved := project("vision", "quota = 8, limit = 14, over_quota_weight = 3") +
		project("language", "quota = 6", `display_name = "Language models"`) + project("audio", "quota = 2")
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{
				Config: r.department("research", steady),
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr("k0smos_department.this", "pod_labels.vision.a100.kueue.x-k8s.io/queue-name", "vision"),
					then(func() { r.lendAndReclaim(t) }),
				),
			},
			{
				Config: r.department("research", moved, `display_name = "Research"`),
				Check:  then(func() { r.changeWhileWorkRuns(t) }),
			},
			{
				Config: r.department("research", moved, `display_name = "Research"`, "force_destroy = true"),
			},
		},
		CheckDestroy: then(func() {
			for _, name := range []string{"vision", "language", "audio"} {
				if r.Find(t, kube.Key{Kind: queueKind, Name: name}) != nil {
					t.Errorf("ClusterQueue %s is still there", name)
				}
			}
			for _, name := range []string{"small", "six"} {
				if !r.suspended(t, "vision", name) {
					t.Errorf("job %s outlived its queue", name)
				}
			}
		}),
	})
}

// lendAndReclaim: 8 and 8 GPUs, and a limit of 12 for vision.
func (r *rig) lendAndReclaim(t *testing.T) {
	r.submit(t, "vision", "large", "vision", 12)
	r.mustRun(t, "vision", "large") // 4 of them are lent by language
	r.submit(t, "vision", "small", "vision", 1)
	r.mustWait(t, "vision", "small", "insufficient") // 4 are idle, and not for vision

	r.submit(t, "language", "eight", "language", 8)
	r.mustRun(t, "language", "eight") // it has a right to all of its 8
	if !r.suspended(t, "vision", "large") {
		t.Error("vision kept 12 of 16 GPUs although language asked for its 8")
	}
	if why := r.condition(t, "vision", "large", "Evicted", "True"); !strings.HasPrefix(why, "Preempted") {
		t.Errorf("job large was not preempted but: %s", why)
	}
	r.mustRun(t, "vision", "small") // it fits into vision's own quota
	r.mustWait(t, "vision", "large", "insufficient")
	there, all := r.peak("vision")
	if there != 12 || all > 16 {
		t.Errorf("vision had up to %d GPUs, its limit is 12; all had up to %d of 16", there, all)
	}
	r.end(t, "vision", "large")
}

// changeWhileWorkRuns: language has 8 GPUs in use and 6 by quota now, vision 1 of 8. A new project has 2.
func (r *rig) changeWhileWorkRuns(t *testing.T) {
	r.submit(t, "audio", "two", "audio", 2)
	r.mustRun(t, "audio", "two") // so Kueue has gone by the new quotas
	r.mustNeverHaveLeft(t, "language", "eight")
	r.mustNeverHaveLeft(t, "vision", "small")

	// What is above the new quota is borrowed: it goes when another project asks for its own.
	r.submit(t, "vision", "six", "vision", 6)
	r.mustRun(t, "vision", "six")
	r.mustWait(t, "language", "eight", "insufficient")
	r.mustNeverHaveLeft(t, "vision", "small")
	r.mustNeverHaveLeft(t, "audio", "two")
	if _, all := r.peak("vision"); all > 16 {
		t.Errorf("all projects had up to %d GPUs together, the pool has 16", all)
	}
}

// TestKueueKeepsNamespacesToTheirQueues is about those who are not entitled.
func TestKueueKeepsNamespacesToTheirQueues(t *testing.T) {
	r := newRig(t)
	r.ApplyAs(t, "admin", "{apiVersion: v1, kind: Namespace, metadata: {name: elsewhere}}")
	const back = `{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: %s, namespace: elsewhere}, spec: {clusterQueue: serving}}`
	open := project("serving", "quota = 8") + project("batch", "quota = 4")
	closed := project("serving", "quota = 8", "enforce_namespaces = true") + project("batch", "quota = 4")
	resource.UnitTest(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{
			{
				Config: r.department("product", open),
				Check: then(func() {
					r.submit(t, "elsewhere", "straight", "serving", 1)
					r.submit(t, "elsewhere", "back", "sneak", 1)
					r.ApplyAs(t, "user", fmt.Sprintf(back, "sneak"))
					r.mustWait(t, "elsewhere", "back", "namespace")
					r.mustWait(t, "elsewhere", "straight", "serving")
					r.submit(t, "serving", "own", "serving", 8)
					r.mustRun(t, "serving", "own")
				}),
			},
			{
				Config: r.department("product", closed),
				Check: then(func() {
					r.await(t, "the policy is in force", func() bool { return r.refused(t, job("serving", "late", "batch", 1)) != "" })
					for what, document := range map[string]string{
						"a job of the project in another queue": job("serving", "late", "batch", 1),
						"a pod of the project in another queue": "{apiVersion: v1, kind: Pod, metadata: {name: late, namespace: serving, labels: {kueue.x-k8s.io/queue-name: batch}}, spec: {containers: [{name: work, image: none}]}}",
					} {
						if why := r.refused(t, document); !strings.Contains(why, "may not use queue") || !strings.Contains(why, "product") {
							t.Errorf("%s: %q", what, why)
						}
					}
					for what, document := range map[string]string{
						"a job of a project without enforcement, in its own queue": job("batch", "late", "batch", 1),
						"a job elsewhere, whose label names a LocalQueue there":    job("elsewhere", "late", "serving", 1),
						"a LocalQueue elsewhere, which admits nothing":             fmt.Sprintf(back, "second"),
					} {
						if why := r.refused(t, document); why != "" {
							t.Errorf("%s: %s", what, why)
						}
					}
					r.mustNeverHaveLeft(t, "serving", "own")
					r.end(t, "serving", "own")
					r.submit(t, "serving", "next", "serving", 2)
					r.mustRun(t, "serving", "next")
					for _, name := range []string{"back", "straight"} {
						if !r.suspended(t, "elsewhere", name) {
							t.Errorf("job %s runs", name)
						}
					}
					r.endAll(t) // work that waits from elsewhere would hold the queue, too
				}),
			},
		},
	})
}
