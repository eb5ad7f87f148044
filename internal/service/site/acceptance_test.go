package site_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_site.quebec"

// keyWith is a usable private key that a canary sings in, in a header of its PEM block.
func keyWith(t *testing.T, canary string) string {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Headers: map[string]string{"Comment": canary}, Bytes: raw}))
}

// quebec is a folder with one site in a namespace of its own.
type quebec struct {
	*cli.Workdir
	api            *acctest.API
	block          string
	namespace      string
	secret, record kube.Key
}

func start(t *testing.T, api *acctest.API, block string) *quebec {
	t.Helper()
	q := &quebec{api: api, block: block, namespace: api.Namespace(t)}
	q.secret = kube.Key{Kind: kube.Kind(core.SecretKind), Namespace: q.namespace, Name: "quebec-ssh"}
	q.record = kube.Key{Kind: kube.Kind(core.ConfigMapKind), Namespace: q.namespace, Name: "quebec-site"}
	q.Workdir = cli.New(t, "")
	return q
}

// now changes the configuration to a site with these settings of ssh and others.
func (q *quebec) now(t *testing.T, ssh, more string) {
	t.Helper()
	q.Configure(t, q.block+fmt.Sprintf(`
variable "key" {
  type      = string
  ephemeral = true
  sensitive = true
  default   = null
}
resource "k0smos_site" "quebec" {
  name      = "quebec"
  namespace = %q
  ssh       = { %s }
  %s
}
output "ref" {
  value = k0smos_site.quebec.ref
}
`, q.namespace, ssh, more))
}

func (q *quebec) with(key string) { q.Env = []string{"TF_VAR_key=" + key} }

const (
	first  = "private_key_wo = var.key, private_key_wo_version = 1"
	second = "private_key_wo = var.key, private_key_wo_version = 2"
)

func (q *quebec) stored(t *testing.T) string {
	t.Helper()
	text, _, _ := unstructured.NestedString(q.api.Get(t, q.secret).Object, "data", "value")
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(key)
}

func (q *quebec) recorded(t *testing.T, key string) string {
	t.Helper()
	text, _, _ := unstructured.NestedString(q.api.Get(t, q.record).Object, "data", key)
	return text
}

func (q *quebec) plans(t *testing.T, want string) {
	t.Helper()
	if got := q.Changes(t)[address]; got != want {
		t.Errorf("the plan does %q, want %q:\n%s", got, want, q.Plan(t).Output)
	}
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %q, want %q", what, got, want)
	}
}

// TestAccTheKeyIsInTheSecretAndNowhereElse is the life of a site, with an eye on its keys all along.
func TestAccTheKeyIsInTheSecretAndNowhereElse(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	q := start(t, api.API, api.ProviderBlock("plan_manifests = true"))
	q.Trace = true
	canaries := []string{acctest.Canary("first"), acctest.Canary("second"), acctest.Canary("hand")}
	keys := make([]string, 0, len(canaries))
	for _, canary := range canaries {
		keys = append(keys, keyWith(t, canary))
	}
	const place = "region = \"ca-quebec\"\n  zone = \"a\"\n  location = { latitude = 45.3151, longitude = -73.8779 }"

	q.now(t, first, place)
	q.with(keys[0])
	q.Apply(t)
	equal(t, "the key", q.stored(t), keys[0])
	equal(t, "the region", q.recorded(t, "region"), "ca-quebec")
	q.plans(t, "")
	ref, _ := json.Marshal(q.State(t)[address].Values["ref"])
	equal(t, "the reference", string(ref), fmt.Sprintf(
		`{"name":"quebec","namespace":%q,"region":"ca-quebec","ssh":{"port":22,"secret":"quebec-ssh","use_sudo":false,"user":"root"},"zone":"a"}`, q.namespace))

	q.with(keys[1])
	q.plans(t, "") // only another version writes it
	q.now(t, second, place)
	q.plans(t, "update")
	q.Apply(t)
	equal(t, "the key", q.stored(t), keys[1])
	q.plans(t, "")

	api.EditAs(t, "kubectl-edit", q.secret, func(object map[string]any) {
		object["data"] = map[string]any{"value": base64.StdEncoding.EncodeToString([]byte(keys[2]))}
	})
	q.plans(t, "update")
	q.Apply(t)
	equal(t, "the key", q.stored(t), keys[1])
	q.plans(t, "")

	q.Must(t, "state", "rm", address)
	q.Must(t, "import", "-no-color", address, q.namespace+"/quebec")
	q.plans(t, "")

	q.with("-----BEGIN PRIVATE KEY-----\n" + canaries[2])
	q.now(t, "private_key_wo = var.key, private_key_wo_version = 3", place)
	refused := q.Plan(t)
	refused.Failed(t, "Unusable SSH key", "ssh.private_key_wo is not a private key", "cut off")

	q.with(keys[1])
	var plan map[string]any
	q.now(t, "private_key_wo = var.key, private_key_wo_version = 3", place)
	q.Must(t, "plan", "-no-color", "-out=look.plan")
	q.JSON(t, &plan, "show", "-json", "look.plan")
	outputs := refused.Output + fmt.Sprint(plan) + q.Destroy(t)
	if err := os.WriteFile(filepath.Join(q.Dir, "outputs.txt"), []byte(outputs), 0o600); err != nil {
		t.Fatal(err)
	}
	api.AwaitGone(t, q.secret)
	api.AwaitGone(t, q.record)
	for _, file := range []string{"terraform.tfstate", "terraform.tfstate.backup", "outputs.txt", "trace-1.log"} {
		if _, err := os.Stat(filepath.Join(q.Dir, file)); err != nil {
			t.Errorf("there is nothing to look at: %v", err)
		}
	}
	acctest.NoCanary(t, canaries, q.Dir)
}

func TestAccChangesByOthers(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	q := start(t, api.API, api.ProviderBlock())
	q.with(keyWith(t, "x"))
	q.now(t, first, `region = "ca-quebec"`)
	q.Apply(t)

	set := func(key, value string) func(map[string]any) {
		return func(object map[string]any) {
			if err := unstructured.SetNestedField(object, value, "data", key); err != nil {
				t.Error(err)
			}
		}
	}
	api.EditAs(t, "kubectl-edit", q.record, set("region", "elsewhere"))
	plan := q.Plan(t)
	plan.Worked(t, `"elsewhere" -> "ca-quebec"`, "0 to add, 1 to change, 0 to destroy")
	q.Apply(t)
	equal(t, "the region", q.recorded(t, "region"), "ca-quebec")
	api.EditAs(t, "kubectl-edit", q.record, set("sshSecret", "elsewhere"))
	q.Apply(t)
	equal(t, "the Secret", q.recorded(t, "sshSecret"), "quebec-ssh")
	api.EditAs(t, "annotator", q.record, set("operator", "on call")) // fields of others are nobody's business
	q.plans(t, "")

	api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: quebec-site, namespace: %s}, data: {region: theirs}}", q.namespace))
	q.Plan(t).Failed(t, `managed by "fleet"`)
	q.block = api.ProviderBlock("force_conflicts = true")
	q.now(t, first, `region = "ca-quebec"`)
	q.Apply(t)
	equal(t, "the region", q.recorded(t, "region"), "ca-quebec")
	q.plans(t, "")

	api.Delete(t, q.secret)
	api.AwaitGone(t, q.secret)
	q.plans(t, "update")
	q.Apply(t)
	if q.stored(t) == "" {
		t.Error("the Secret was made without its key")
	}
	q.Destroy(t)
}

func TestAccWhatSomebodyElseMadeIsNotTakenOverSilently(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	q := start(t, api.API, api.ProviderBlock())
	q.with(keyWith(t, "x"))
	q.now(t, first, `region = "ca-quebec"`)
	api.ApplyAs(t, "kubectl", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: quebec-ssh, namespace: %s}, stringData: {value: theirs}}", q.namespace))
	q.Plan(t).Says(t, "exists already", "kubectl")
	q.TryApply(t).Failed(t, "exists already", "kubectl", "terraform import")
	equal(t, "the key", q.stored(t), "theirs")
	q.Destroy(t) // what the apply had made before it met the Secret
	api.AwaitGone(t, q.record)
	equal(t, "the key", q.stored(t), "theirs")

	q.Must(t, "import", "-no-color", address, q.namespace+"/quebec")
	q.Plan(t).Worked(t, "Adopts", "0 to add, 1 to change, 0 to destroy")
	q.Apply(t)
	if q.stored(t) == "theirs" {
		t.Error("the key was not written")
	}
	q.plans(t, "")
	q.Destroy(t)
}

func TestAccALostAnswerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	q := start(t, api.API, acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig())))
	q.with(keyWith(t, acctest.Canary("lost")))
	q.now(t, first, "timeouts {\n    create = \"60s\"\n  }")
	lost := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "apply", Resource: "secrets", DryRun: faultproxy.OnlyReal}, Do: faultproxy.ResetAfter()})
	q.TryApply(t)
	if lost.Fired() == 0 {
		t.Fatal("the fault did not happen")
	}
	lost.Remove()
	q.Apply(t)
	q.plans(t, "")
	q.Destroy(t)
	api.AwaitGone(t, q.secret)
	acctest.NoCanary(t, []string{acctest.Canary("lost")}, q.Dir)
}
