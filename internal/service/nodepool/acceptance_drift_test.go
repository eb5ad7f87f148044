package nodepool_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
)

// TestAccChangesOfPoolsByOthersAreTakenBack: a change by hand is taken back in place, one by a tool that declares the field is an
// error, and an import finds all that was declared.
func TestAccChangesOfPoolsByOthersAreTakenBack(t *testing.T) {
	t.Parallel()
	l := newLot(t, "drift", 5)
	config := l.config(l.hosts("a1", "b2"), `labels = { team = "vision" }`, `drain = { timeout = "2m" }`)
	drain := []string{"spec", "template", "spec", "deletion", "nodeDrainTimeoutSeconds"}
	var runs map[string]string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{Config: config},
			{ResourceName: lotAddress, ImportState: true, ImportStateId: yardName + "/drift", ImportStateVerify: true},
			{ResourceName: lotAddress, ImportState: true, ImportStateKind: resource.ImportBlockWithID, ImportStateId: yardName + "/drift"}, // fails if the plan is not empty
			{
				PreConfig: func() {
					runs = l.runs("1", "2")
					l.EditAs(t, "kubectl-edit", l.deployment(), func(object map[string]any) {
						_ = unstructured.SetNestedField(object, int64(7), drain...)
						_ = unstructured.SetNestedField(object, int64(1), "spec", "rollout", "strategy", "rollingUpdate", "maxSurge")
					})
					l.EditAs(t, "kubectl-edit", l.key(infrastructure.PooledRemoteMachineKind, "drift-a"), func(object map[string]any) {
						_ = unstructured.SetNestedField(object, "nobody", "spec", "machine", "user")
					})
				},
				Config:           config,
				ConfigPlanChecks: updated(),
				Check: func(*terraform.State) error {
					seconds, _, _ := unstructured.NestedInt64(l.Get(t, l.deployment()).Object, drain...)
					user, _, _ := unstructured.NestedString(l.Get(t, l.key(infrastructure.PooledRemoteMachineKind, "drift-a")).Object, "spec", "machine", "user")
					if seconds != 120 || user != "root" {
						return fmt.Errorf("the drain may take %d s, and the user is %q", seconds, user)
					}
					if now := l.runs("1", "2"); fmt.Sprint(now) != fmt.Sprint(runs) {
						return fmt.Errorf("hosts ran %v and run %v", runs, now)
					}
					return nil
				},
			},
			{
				PreConfig: func() {
					l.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: drift, namespace: %s, labels: {team: fleet}}}", yardName))
				},
				Config:      config,
				ExpectError: regexp.MustCompile(`managed by "fleet"`),
			},
			{Config: strings.Replace(config, "\n}", "\n  force_conflicts = true\n}", 1)},
		},
	})
}

const handMade = `
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: rack1-left, namespace: yard}, spec: {pool: old-fleet, machine: {address: 198.18.6.1, port: 22, user: root, sshKeyRef: {name: lab-ssh}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: rack1-right, namespace: yard}, spec: {pool: old-fleet, machine: {address: 198.18.6.2, port: 22, user: root, sshKeyRef: {name: lab-ssh}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachineTemplate, metadata: {name: hosts-v1, namespace: yard}, spec: {template: {spec: {pool: old-fleet}}}}
---
{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: K0sWorkerConfigTemplate, metadata: {name: workers-v3, namespace: yard}, spec: {template: {spec: {version: v1.35.7+k0s.0, args: ["--labels=team=vision"], preK0sCommands: [modprobe nbd]}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: old-fleet, namespace: yard, labels: {cluster.x-k8s.io/cluster-name: yard}}, spec: {clusterName: yard, replicas: 2,
  selector: {matchLabels: {cluster.x-k8s.io/cluster-name: yard, cluster.x-k8s.io/deployment-name: old-fleet}}, rollout: {strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}},
  template: {metadata: {labels: {cluster.x-k8s.io/cluster-name: yard, cluster.x-k8s.io/deployment-name: old-fleet}}, spec: {clusterName: yard, version: v1.35.7+k0s.0,
    bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: K0sWorkerConfigTemplate, name: workers-v3}}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachineTemplate, name: hosts-v1}}}}}`

// createByHand makes the objects as kubectl create does.
func (l *lot) createByHand(t *testing.T) {
	t.Helper()
	kinds := []api.Kind{infrastructure.PooledRemoteMachineKind, infrastructure.PooledRemoteMachineKind, infrastructure.RemoteMachineTemplateKind, bootstrap.K0sWorkerConfigTemplateKind, clusterapi.MachineDeploymentKind}
	for i, text := range strings.Split(handMade, "\n---\n") {
		made := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &made.Object); err != nil {
			t.Fatal(err)
		}
		if _, err := resourceOf(l.Client, kinds[i], l.namespace).Create(t.Context(), made, metav1.CreateOptions{FieldManager: "kubectl-create"}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAccAFleetMadeByKubectlIsTakenOverAsItIs imports a pool with its own names of objects and templates: the apply that takes it
// over replaces no host, and a later change does.
func TestAccAFleetMadeByKubectlIsTakenOverAsItIs(t *testing.T) {
	t.Parallel()
	l := newLot(t, "old-fleet", 6)
	hosts := l.hosts(`a1:object_name = "rack1-left"`, `b2:object_name = "rack1-right"`)
	imported := fmt.Sprintf("import {\n  to = %s\n  id = \"%s/old-fleet\"\n}\n", lotAddress, yardName)
	lines := []string{hosts, `labels = { team = "vision" }`, `pre_k0s_commands = ["modprobe nbd"]`}
	var machines []string
	var runs map[string]string
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             l.gone(t),
		Steps: []resource.TestStep{
			{
				PreConfig: func() {
					l.createByHand(t)
					acctest.Eventually(t, "the fleet runs", func() bool {
						now := l.machines(t)
						return len(now) == 2 && !slices.ContainsFunc(now, func(m unstructured.Unstructured) bool {
							return conditionOf(&m, clusterapi.ConditionAvailable) != "True"
						})
					})
					machines, runs = names(l.machines(t)), l.runs("1", "2")
				},
				Config: imported + l.config(lines...),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
					plancheck.ExpectResourceAction(lotAddress, plancheck.ResourceActionUpdate),
				}},
				Check: resource.ComposeTestCheckFunc(
					resource.TestCheckResourceAttr(lotAddress, "templates.bootstrap", "workers-v3"),
					resource.TestCheckResourceAttr(lotAddress, "templates.infrastructure", "hosts-v1"),
					func(*terraform.State) error {
						if now := l.entries(t); !slices.Equal(now, []string{"rack1-left", "rack1-right"}) {
							return fmt.Errorf("hosts are %q", now)
						}
						return l.still(t, machines, runs)
					}),
			},
			{
				Config:           l.config(lines...),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
			},
			{
				Config:           l.config(hosts, `labels = { team = "vision" }`, `pre_k0s_commands = ["modprobe rbd"]`),
				ConfigPlanChecks: updated(),
				Check: func(*terraform.State) error {
					if now := names(l.machines(t)); len(now) != 2 || slices.Contains(now, machines[0]) || slices.Contains(now, machines[1]) {
						return fmt.Errorf("Machines were %q and are %q", machines, now)
					}
					if l.Find(t, l.key(infrastructure.RemoteMachineTemplateKind, "hosts-v1")) != nil || l.Find(t, l.key(bootstrap.K0sWorkerConfigTemplateKind, "workers-v3")) != nil {
						return fmt.Errorf("the old templates are still there")
					}
					return nil
				},
			},
		},
	})
}
