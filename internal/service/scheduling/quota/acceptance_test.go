package quota_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_quota.caps"

// yard is a folder with one quota in a namespace of its own.
type yard struct {
	*cli.Workdir
	api              *acctest.API
	block, namespace string
	quota, limits    kube.Key
}

func newYard(t *testing.T, api *acctest.API, block string) *yard {
	t.Helper()
	ns := api.Namespace(t)
	return &yard{Workdir: cli.New(t, ""), api: api, block: block, namespace: ns,
		quota: kube.Key{Kind: kube.Kind(core.ResourceQuotaKind), Namespace: ns, Name: "caps"}, limits: kube.Key{Kind: kube.Kind(core.LimitRangeKind), Namespace: ns, Name: "caps"}}
}

func (y *yard) now(t *testing.T, lines ...string) {
	t.Helper()
	y.Configure(t, y.block+fmt.Sprintf("resource \"k0smos_quota\" \"caps\" {\n  name      = \"caps\"\n  namespace = %q\n  %s\n}\n", y.namespace, strings.Join(lines, "\n  ")))
}

func (y *yard) spec(t *testing.T, key kube.Key) string {
	t.Helper()
	text, err := json.Marshal(y.api.Get(t, key).Object["spec"])
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (y *yard) plans(t *testing.T, want string) {
	t.Helper()
	if got := y.Changes(t)[address]; got != want {
		t.Errorf("the plan does %q, want %q:\n%s", got, want, y.Plan(t).Output)
	}
}

func equal(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %s, want %s", what, got, want)
	}
}

func TestAccTheLifeOfAQuota(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	y := newYard(t, api.API, api.ProviderBlock())
	y.now(t, `cpu = "1000m"`, `memory = "1024Mi"`, `gpus = { "nvidia.com/gpu" = 8, "nvidia.com/mig-3g.40gb" = 4 }`, `default_limits = { memory = "2Gi" }`)
	y.Apply(t)
	y.plans(t, "")
	equal(t, "the quota", y.spec(t, y.quota), `{"hard":{"requests.cpu":"1","requests.memory":"1Gi","requests.nvidia.com/gpu":"8","requests.nvidia.com/mig-3g.40gb":"4"}}`)
	equal(t, "the defaults", y.spec(t, y.limits), `{"limits":[{"default":{"memory":"2Gi"},"defaultRequest":{"memory":"2Gi"},"type":"Container"}]}`)

	y.now(t, `cpu = "1"`, `memory = "1Gi"`, `gpus = { "nvidia.com/gpu" = 8, "nvidia.com/mig-3g.40gb" = 4 }`, `default_limits = { memory = "2048Mi" }`)
	y.plans(t, "") // another spelling
	y.now(t, `memory = "1Gi"`, `gpus = { "nvidia.com/gpu" = 6 }`, "pods = 20")
	y.plans(t, "update")
	y.Apply(t)
	y.plans(t, "")
	equal(t, "the quota", y.spec(t, y.quota), `{"hard":{"pods":"20","requests.memory":"1Gi","requests.nvidia.com/gpu":"6"}}`)
	api.AwaitGone(t, y.limits)

	// A hand is taken back, that cap only; another tool is not overruled.
	api.EditAs(t, "kubectl-edit", y.quota, func(object map[string]any) {
		_ = unstructured.SetNestedField(object, "99", "spec", "hard", "requests.nvidia.com/gpu")
		_ = unstructured.SetNestedField(object, "5", "spec", "hard", "services") // nobody's but theirs
	})
	y.Plan(t).Worked(t, "99 -> 6", "0 to add, 1 to change, 0 to destroy")
	y.Apply(t)
	equal(t, "the quota", y.spec(t, y.quota), `{"hard":{"pods":"20","requests.memory":"1Gi","requests.nvidia.com/gpu":"6","services":"5"}}`)
	y.plans(t, "")
	api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: caps, namespace: %s}, spec: {hard: {pods: 3}}}", y.namespace))
	y.Plan(t).Failed(t, `managed by "fleet"`)
	y.block = api.ProviderBlock("force_conflicts = true")
	y.now(t, `memory = "1Gi"`, `gpus = { "nvidia.com/gpu" = 6 }`, "pods = 20")
	y.Apply(t)
	y.plans(t, "")

	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, y.namespace+"/caps")
	y.plans(t, "")

	// What is in use is no reason not to lower a cap, and is said.
	api.EditStatusAs(t, "quota-controller", y.quota, map[string]any{"used": map[string]any{"requests.nvidia.com/gpu": "6"}})
	y.now(t, `memory = "1Gi"`, `gpus = { "nvidia.com/gpu" = 4 }`, "pods = 20")
	y.Plan(t).Worked(t, "Cap below what is in use", "have 6 now", "1 to change")
	y.Apply(t)
	y.Destroy(t)
	api.AwaitGone(t, y.quota)
}

func TestAccALostAnswerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	proxy := api.Proxy(t)
	y := newYard(t, api.API, acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig())))
	lost := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "apply", Resource: "resourcequotas", DryRun: faultproxy.OnlyReal}, Do: faultproxy.ResetAfter()})
	y.now(t, "pods = 3", "timeouts {\n    create = \"10s\"\n  }")
	y.TryApply(t)
	if lost.Fired() == 0 {
		t.Fatal("the fault did not happen")
	}
	lost.Remove()
	y.Apply(t)
	y.plans(t, "")
	y.Destroy(t)
	api.AwaitGone(t, y.quota)
}

func TestAccAQuotaInAHostedCluster(t *testing.T) {
	t.Parallel()
	api := acctest.Schedulers(t)
	y := newYard(t, api.API, api.ProviderBlock())
	y.now(t, "cluster = "+api.Cluster, "pods = 3")
	y.Apply(t)
	y.plans(t, "")
	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, "geo/train:"+y.namespace+"/caps")
	y.plans(t, "")
	y.Destroy(t)
	api.AwaitGone(t, y.quota)
}

func TestAccAForeignQuotaIsNotTakenOverSilently(t *testing.T) {
	t.Parallel()
	api := acctest.SharedServer(t)
	y := newYard(t, api.API, api.ProviderBlock())
	api.ApplyAs(t, "kubectl", fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: caps, namespace: %s}, spec: {hard: {pods: 7, limits.cpu: 4}}}", y.namespace))
	y.now(t, "pods = 7", `memory = "1Gi"`)
	y.TryApply(t).Failed(t, "exists already", "kubectl", "terraform import")
	y.Must(t, "import", "-no-color", address, y.namespace+"/caps")
	y.Plan(t).Worked(t, "Adopts", "1 to change")
	y.Apply(t)
	y.plans(t, "")
	equal(t, "the quota", y.spec(t, y.quota), `{"hard":{"limits.cpu":"4","pods":"7","requests.memory":"1Gi"}}`)
	y.Destroy(t)
}
