package management_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "data.k0smos_management.this"

// says checks one attribute of the data source.
func says(check knownvalue.Check, steps ...string) statecheck.StateCheck {
	at := tfjsonpath.New(steps[0])
	for _, s := range steps[1:] {
		at = at.AtMapKey(s)
	}
	return statecheck.ExpectKnownValue(address, at, check)
}

func TestAccAManagementClusterIsTold(t *testing.T) {
	c := acctest.Cluster(t)
	uid := string(c.Get(t, kube.Key{Kind: acctest.Namespaces, Name: "kube-system"}).GetUID())
	yes, no := knownvalue.Bool(true), knownvalue.Bool(false)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{{
			Config: c.ProviderBlock() + `data "k0smos_management" "this" {}`,
			ConfigStateChecks: []statecheck.StateCheck{
				says(knownvalue.StringExact(uid), "uid"),
				says(knownvalue.StringExact("v1.36.3"), "kubernetes_version"),
				says(yes, "cluster_api", "installed"), says(yes, "cluster_api", "supported"),
				says(yes, "k0smotron", "installed"), says(yes, "k0smotron", "supported"),
				says(no, "kueue", "installed"), says(no, "kueue", "supported"),
				says(knownvalue.ListSizeExact(0), "kueue", "versions"),
				says(no, "k0rdent", "installed"), says(no, "sveltos", "installed"), says(no, "kai", "installed"),
			},
		}},
	})
}

func TestAccABareClusterHasNoOperators(t *testing.T) {
	api := acctest.SharedServer(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: acctest.Providers(),
		Steps: []resource.TestStep{{
			// A user without any rights of its own may still ask what is served, and needs the UID of kube-system.
			Config: acctest.ProviderBlock(`config_path = "`+api.As(t, "onlooker", `[{apiGroups: [""], resources: [namespaces], verbs: [get]}]`)+`"`) + `data "k0smos_management" "this" {}`,
			ConfigStateChecks: []statecheck.StateCheck{
				says(knownvalue.NotNull(), "uid"),
				says(knownvalue.Bool(false), "cluster_api", "installed"), says(knownvalue.Bool(false), "k0smotron", "supported"),
			},
		}},
	})
}
