package controlplane_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

const sourceAddress = "data.k0smos_cluster.this"

func source(namespace, name, more string) string {
	return fmt.Sprintf("data \"k0smos_cluster\" \"this\" {\n  name = %q\n  namespace = %q\n  %s\n}\n", name, namespace, more)
}

func sourceSays(attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(sourceAddress, tfjsonpath.New(attribute), check)
}

// TestAccAClusterIsReadWhereverItWasMade reads a cluster in the run that makes it and in later ones, as a user who has just
// the documented role.
func TestAccAClusterIsReadWhereverItWasMade(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns, provider := c.Namespace(t), c.LeastRole(t)
	version := `version = "v1.35.7+k0s.0"`
	both := config(provider, ns, "told", version) + source(ns, "told", "uid = k0smos_hosted_control_plane.this.cluster.uid")
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		CheckDestroy:             gone(t, c, ns, "told"),
		Steps: []resource.TestStep{
			{
				Config:      provider + source(ns, "told", ""),
				ExpectError: regexp.MustCompile(`There is no hosted cluster ` + ns + `/told(.|\n)*kubectl\s+get\s+clusters`),
			},
			{
				Config: both,
				ConfigStateChecks: []statecheck.StateCheck{
					sourceSays("version", knownvalue.StringExact("v1.35.7+k0s.0")),
					sourceSays("endpoint", knownvalue.StringExact("https://api.example.net:6443")),
					sourceSays("replicas", knownvalue.Int64Exact(1)),
					sourceSays("ready_replicas", knownvalue.Int64Exact(1)),
					sourceSays("ready", knownvalue.Bool(true)),
					sourceSays("not_ready_because", knownvalue.Null()),
					sourceSays("conditions", knownvalue.MapPartial(map[string]knownvalue.Check{
						"ControlPlaneInitialized": knownvalue.ObjectPartial(map[string]knownvalue.Check{"status": knownvalue.StringExact("True")}),
					})),
					statecheck.ExpectKnownValue(sourceAddress, tfjsonpath.New("cluster").AtMapKey("uid"), knownvalue.NotNull()),
				},
			},
			{
				PreConfig: func() {
					c.Dev.StandIn().Fail(ns, "told", "the power is out")
					acctest.Eventually(t, "the control plane is unavailable", func() bool {
						return available(c.Get(t, key(planeKind, ns, "told")).Object) == "False"
					})
				},
				Config:           both,
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
				ConfigStateChecks: []statecheck.StateCheck{
					sourceSays("ready", knownvalue.Bool(false)),
					sourceSays("not_ready_because", knownvalue.StringRegexp(regexp.MustCompile("the power is out"))),
				},
			},
			{
				Config:      config(provider, ns, "told", version) + source(ns, "told", `uid = "00000000-0000-0000-0000-000000000000"`),
				ExpectError: regexp.MustCompile("was made anew"),
			},
		},
	})
}

func available(plane map[string]any) string {
	status, _ := plane["status"].(map[string]any)
	conditions, _ := status["conditions"].([]any)
	for _, c := range conditions {
		if c, ok := c.(map[string]any); ok && c["type"] == "Available" {
			s, _ := c["status"].(string)
			return s
		}
	}
	return ""
}

// TestAccAnOldClusterAPIIsSaidToBeOld: its kinds are there, in a version that is not read.
func TestAccAnOldClusterAPIIsSaidToBeOld(t *testing.T) {
	t.Parallel()
	api := acctest.OwnServer(t)
	api.ApplyAs(t, "acctest", `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: clusters.cluster.x-k8s.io, annotations: {api-approved.kubernetes.io: unapproved}}
spec:
  group: cluster.x-k8s.io
  names: {kind: Cluster, listKind: ClusterList, plural: clusters, singular: cluster}
  scope: Namespaced
  versions:
  - {name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{{
			PreConfig: func() {
				acctest.Eventually(t, "the old kind is served", func() bool {
					return api.TryApplyAs(t.Context(), "acctest", "{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: old, namespace: default}}") == nil
				})
			},
			Config:      api.ProviderBlock() + source("default", "old", ""),
			ExpectError: regexp.MustCompile(`Unsupported version of Cluster API(.|\n)*only\s+in\s+v1beta1`),
		}},
	})
}
