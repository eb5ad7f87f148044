package kubeconfig_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-testing/echoprovider"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

// withEcho is the provider under test, and the one that shows in state what an ephemeral resource gave it.
func withEcho() map[string]func() (tfprotov6.ProviderServer, error) {
	all := acctest.Providers()
	all["echo"] = echoprovider.NewProviderServer()
	return all
}

func controlPlane(namespace, name string, more ...string) string {
	return fmt.Sprintf(`
resource "k0smos_hosted_control_plane" "this" {
  name                = %q
  namespace           = %q
  version             = "v1.35.7+k0s.0"
  create_namespace    = false
  deletion_protection = false
  expose              = { external_address = "api.example.net" }
  storage             = { etcd = { auto_delete = true } }
  %s
}
`, name, namespace, strings.Join(more, "\n  "))
}

// account is a service account of the hosted cluster that may look at namespaces.
const account = `
resource "k0smos_manifest" "account" {
  cluster          = k0smos_hosted_control_plane.this.cluster
  create_namespace = true
  manifest         = { apiVersion = "v1", kind = "ServiceAccount", metadata = { name = "deployer", namespace = "ci" } }
}

resource "k0smos_manifest" "role" {
  cluster = k0smos_hosted_control_plane.this.cluster
  manifest = {
    apiVersion = "rbac.authorization.k8s.io/v1"
    kind       = "ClusterRole"
    metadata   = { name = "looker" }
    rules      = [{ apiGroups = [""], resources = ["namespaces"], verbs = ["get"] }]
  }
}

resource "k0smos_manifest" "binding" {
  cluster = k0smos_hosted_control_plane.this.cluster
  manifest = {
    apiVersion = "rbac.authorization.k8s.io/v1"
    kind       = "ClusterRoleBinding"
    metadata   = { name = "looker" }
    roleRef    = { apiGroup = "rbac.authorization.k8s.io", kind = "ClusterRole", name = "looker" }
    subjects   = [{ kind = "ServiceAccount", name = "deployer", namespace = "ci" }]
  }
}
`

// deployer is opened after the account exists, also where that is made in the same run: its revision is not known before.
const deployer = `
ephemeral "k0smos_kubeconfig" "deployer" {
  cluster = k0smos_hosted_control_plane.this.cluster
  service_account = {
    name       = k0smos_manifest.account.revision != "" ? "deployer" : null
    namespace  = "ci"
    expiration = "20m"
  }
}
`

const admin = `
ephemeral "k0smos_kubeconfig" "admin" {
  cluster = k0smos_hosted_control_plane.this.cluster
}
`

func echo(name string) string {
	return fmt.Sprintf("provider \"echo\" {\n  data = ephemeral.k0smos_kubeconfig.%[1]s\n}\nresource \"echo\" %[1]q {}\n", name)
}

// whoami asks an API server who a kubeconfig speaks for.
func whoami(t *testing.T, kubeconfig string) string {
	t.Helper()
	c := kube.NewPool(kube.Source{Kubeconfig: kubeconfig}, kube.Options{}).Management()
	body, _, err := c.Raw(t.Context(), http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", []byte(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`))
	if err != nil {
		t.Fatal(err)
	}
	var review map[string]any
	if err := json.Unmarshal(body, &review); err != nil {
		t.Fatal(err)
	}
	name, _, _ := unstructured.NestedString(review, "status", "userInfo", "username")
	return name
}

// echoed hands a kubeconfig in state to a test.
func echoed(name string, check func(kubeconfig string) error) resource.TestCheckFunc {
	return func(s *terraform.State) error {
		return check(s.RootModule().Resources["echo."+name].Primary.Attributes["data.kubeconfig"])
	}
}

func shows(name, attribute string, check knownvalue.Check) statecheck.StateCheck {
	return statecheck.ExpectKnownValue("echo."+name, tfjsonpath.New("data").AtMapKey(attribute), check)
}

func TestAccTheAdminsAccessToAClusterOfTheSameRun(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: withEcho(),
		Steps: []resource.TestStep{{
			Config: c.ProviderBlock() + controlPlane(ns, "boss") + admin + echo("admin"),
			ConfigStateChecks: []statecheck.StateCheck{
				shows("admin", "host", knownvalue.StringRegexp(regexp.MustCompile("^https://127.0.0.1:"))),
				shows("admin", "cluster_ca_certificate", knownvalue.StringRegexp(regexp.MustCompile("BEGIN CERTIFICATE"))),
				shows("admin", "client_certificate", knownvalue.StringRegexp(regexp.MustCompile("BEGIN CERTIFICATE"))),
				shows("admin", "client_key", knownvalue.StringRegexp(regexp.MustCompile("PRIVATE KEY"))),
				shows("admin", "token", knownvalue.Null()),
				shows("admin", "expires_at", knownvalue.StringRegexp(regexp.MustCompile(`^20\d\d-.*Z$`))),
			},
			Check: echoed("admin", func(kubeconfig string) error {
				if got := whoami(t, kubeconfig); got != "admin" {
					return fmt.Errorf("it speaks for %q", got)
				}
				return nil
			}),
		}},
	})
}

func TestAccATokenOfAServiceAccountOfTheSameRun(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	whole := func(name string) string {
		return c.ProviderBlock() + controlPlane(ns, "token") + account + strings.Replace(deployer, `? "deployer"`, name, 1) + echo("deployer")
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: withEcho(),
		Steps: []resource.TestStep{{
			Config: whole(`? "deployer"`),
			ConfigStateChecks: []statecheck.StateCheck{
				shows("deployer", "client_key", knownvalue.Null()),
				shows("deployer", "client_certificate", knownvalue.Null()),
				shows("deployer", "token", knownvalue.StringRegexp(regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]+$`))),
				shows("deployer", "expires_at", knownvalue.StringRegexp(regexp.MustCompile(`^20\d\d-.*Z$`))),
			},
			Check: echoed("deployer", func(kubeconfig string) error {
				if got := whoami(t, kubeconfig); got != "system:serviceaccount:ci:deployer" {
					return fmt.Errorf("it speaks for %q", got)
				}
				remindsOfTheEnd(t, c.Kubeconfig, ns, "token")
				return nil
			}),
		}, {
			Config: whole(`? "nobody"`),
			// The account that is missing is named, and the way to wait for it.
			ExpectError: regexp.MustCompile(`There is no service account ci/nobody(.|\n)*k0smos_manifest`),
		}, {
			Config: whole(`? "deployer"`), // a destroy opens it, too
		}},
	})
}

func TestAccWhatIsNotThereFailsThePlanAtOnce(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	c.ApplyAs(t, "acctest", fmt.Sprintf(`{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: empty, namespace: %s}, spec: {paused: true, controlPlaneEndpoint: {host: x.example.net, port: 6443}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteCluster, name: empty}}}`, ns))
	uid := c.Get(t, kube.Key{Kind: kube.Kind(clusterapi.ClusterKind), Namespace: ns, Name: "empty"}).GetUID()
	by := func(name, more string) string {
		return c.ProviderBlock() + fmt.Sprintf("ephemeral \"k0smos_kubeconfig\" \"admin\" {\n  cluster = { namespace = %q, name = %q%s }\n  timeouts {\n    open = \"1s\"\n  }\n}\n", ns, name, more) + echo("admin")
	}
	refused := func(config, message string) resource.TestStep {
		return resource.TestStep{Config: config, ExpectError: regexp.MustCompile(message)}
	}
	resource.Test(t, resource.TestCase{
		ProtoV6ProviderFactories: withEcho(),
		Steps: []resource.TestStep{
			refused(by("absent", ""), `There is no hosted cluster `+ns+`/absent(.|\n)*Its\s+uid\s+is\s+not\s+known\s+before`),
			refused(by("empty", `, uid = "00000000-0000-0000-0000-000000000000"`), `it was made anew: its\s+UID\s+is\s+`+string(uid)),
			refused(by("empty", fmt.Sprintf(", uid = %q", uid)), `has no kubeconfig yet(.|\n)*-target`),
			refused(strings.Replace(by("empty", ""), "timeouts {", "service_account = { name = \"a\", namespace = \"b\", expiration = \"5m\" }\n  timeouts {", 1), "Invalid lifetime of a token"),
		},
	})
}

// saved is a Secret in the hosted cluster with a kubeconfig that Terraform never stores.
func saved(name, source string) string {
	return fmt.Sprintf(`
resource "k0smos_manifest" %[1]q {
  cluster                = k0smos_hosted_control_plane.this.cluster
  manifest               = { apiVersion = "v1", kind = "Secret", metadata = { name = %[1]q, namespace = "default" } }
  secret_data_wo         = { kubeconfig = ephemeral.k0smos_kubeconfig.%[2]s.kubeconfig }
  secret_data_wo_version = 1
}
`, name, source)
}

// secretIn reads one value of a Secret with a kubeconfig.
func secretIn(t *testing.T, kubeconfig, namespace, name, key string) string {
	t.Helper()
	c := kube.NewPool(kube.Source{Kubeconfig: kubeconfig}, kube.Options{}).Management()
	live, err := c.Get(t.Context(), kube.Key{Kind: acctest.Secrets, Namespace: namespace, Name: name})
	if err != nil {
		t.Fatal(err)
	}
	encoded, _, _ := unstructured.NestedString(live.Object, "data", key)
	value, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// pieces are parts of a kubeconfig's secrets as they would show in any encoding of it.
func pieces(t *testing.T, kubeconfig string) []string {
	t.Helper()
	var out []string
	if m := regexp.MustCompile(`client-key-data: (\S+)`).FindStringSubmatch(kubeconfig); m != nil {
		pem, err := base64.StdEncoding.DecodeString(m[1])
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, m[1][60:100], strings.Split(string(pem), "\n")[1])
	}
	if m := regexp.MustCompile(`token: (\S+)`).FindStringSubmatch(kubeconfig); m != nil {
		out = append(out, m[1][len(m[1])-60:])
	}
	if len(out) == 0 {
		t.Fatal("the kubeconfig holds no secret")
	}
	return out
}

// TestAccNothingSecretIsStoredOrLogged hands both sorts of access to write-only attributes, with everything logged, and looks
// for them in state, plan and logs. Terraform runs with just the documented role.
func TestAccNothingSecretIsStoredOrLogged(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	whole := c.LeastRole(t) + controlPlane(ns, "quiet") + account + admin + deployer + saved("boss", "admin") + saved("deployer", "deployer")
	w := cli.New(t, whole)
	w.Trace = true
	w.Apply(t)

	boss := secretIn(t, content(t, c.Kubeconfig), ns, "quiet-kubeconfig", "value")
	given := secretIn(t, boss, "default", "boss", "kubeconfig")
	if got := whoami(t, given); got != "admin" {
		t.Errorf("the admin's kubeconfig speaks for %q", got)
	}
	token := secretIn(t, boss, "default", "deployer", "kubeconfig")
	if got := whoami(t, token); got != "system:serviceaccount:ci:deployer" {
		t.Errorf("the account's kubeconfig speaks for %q", got)
	}

	w.Configure(t, whole+"output \"one_more\" {\n  value = 1\n}\n")
	var plan any
	w.JSON(t, &plan, "show", "-json", w.PlanFile(t))
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.Dir, "plan.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	acctest.NoCanary(t, append(pieces(t, boss), pieces(t, token)...), w.Dir)
	w.Destroy(t)
}

// TestAccAClusterThatComesUpIsWaitedFor: without a wait of the control plane itself, what follows waits for it here.
func TestAccAClusterThatComesUpIsWaitedFor(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	w := cli.New(t, c.ProviderBlock()+controlPlane(ns, "soon", "wait = false")+admin+saved("boss", "admin"))
	if out := w.Apply(t); strings.Contains(out, "cannot be used yet") {
		t.Errorf("it was not waited for:\n%s", out)
	}
	w.Destroy(t)
}

// TestAccAClusterThatDoesNotComeUpIsSaidSo: what is to mend it must still be planned, so that is a warning.
func TestAccAClusterThatDoesNotComeUpIsSaidSo(t *testing.T) {
	t.Parallel()
	c := acctest.Cluster(t)
	ns := c.Namespace(t)
	c.Dev.StandIn().NeverReady(ns, "never", true)
	w := cli.New(t, c.ProviderBlock()+controlPlane(ns, "never", "wait = false"))
	w.Apply(t)
	acctest.Eventually(t, "the kubeconfig is there", func() bool {
		return c.Find(t, kube.Key{Kind: acctest.Secrets, Namespace: ns, Name: "never-kubeconfig"}) != nil
	})
	short := strings.Replace(admin, "\n}", "\n  timeouts {\n    open = \"1s\"\n  }\n}", 1)
	w.Configure(t, c.ProviderBlock()+controlPlane(ns, "never", "wait = false")+short+saved("boss", "admin"))
	w.Plan(t).Worked(t, "Hosted cluster "+ns+"/never cannot be used yet", "kubectl describe clusters.cluster.x-k8s.io")
	c.Dev.StandIn().NeverReady(ns, "never", false)
	w.Destroy(t)
}
