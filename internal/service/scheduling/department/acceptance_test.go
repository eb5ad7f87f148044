package department_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/admission"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

func TestMain(m *testing.M) { acctest.Main(m) }

const address = "k0smos_department.this"

// yard is a folder with one department, whose names no other test has.
type yard struct {
	*cli.Workdir
	api     *acctest.Scheduled
	block   string
	cluster string
	id      string // in every name: queues are cluster-wide
}

func newYard(t *testing.T) *yard {
	t.Helper()
	api := acctest.Schedulers(t)
	return &yard{Workdir: cli.New(t, ""), api: api, block: api.ProviderBlock(), cluster: api.Cluster, id: strings.ToLower(rand.Text()[:6])}
}

// department is a department <name>-<id> with one pool p<id> of 24 cards.
func (y *yard) department(resource, name, engine, quota, projects string, more ...string) string {
	return fmt.Sprintf(`
resource "k0smos_department" %q {
  name    = "%s-%s"
  cluster = %s
  engine  = %q
  pools = {
    "p%s" = { resource = "nvidia.com/gpu", capacity = 24, gpu = { %s } }
  }
  projects = {
    %s
  }
  %s
}
`, resource, name, y.id, y.cluster, engine, y.id, quota, projects, strings.Join(more, "\n  "))
}

// project is a project <name>-<id> with a namespace of that name.
func (y *yard) project(name, gpu string, more ...string) string {
	return fmt.Sprintf(`"%[1]s-%[2]s" = { namespaces = ["%[1]s-%[2]s"], %[4]s pools = { "p%[2]s" = { gpu = { %[3]s } } } }`, name, y.id, gpu, strings.Join(append(more, ""), ", "))
}

func (y *yard) now(t *testing.T, text ...string) {
	t.Helper()
	y.Configure(t, y.block+strings.Join(text, ""))
}

// queue is the key of the Queue of a project or department.
func (y *yard) queue(name string) kube.Key {
	return kube.Key{Kind: kube.Kind(kai.QueueKind), Name: name + "-" + y.id + "-p" + y.id}
}

func (y *yard) namespace(name string) kube.Key {
	return kube.Key{Kind: acctest.Namespaces, Name: name + "-" + y.id}
}

func (y *yard) gpu(t *testing.T, name, field string) any {
	t.Helper()
	v, _, _ := unstructured.NestedFieldNoCopy(y.api.Get(t, y.queue(name)).Object, "spec", "resources", "gpu", field)
	return v
}

func (y *yard) plans(t *testing.T, want string) {
	t.Helper()
	if got := y.Changes(t)[address]; got != want {
		t.Errorf("the plan does %q, want %q:\n%s", got, want, y.Plan(t).Output)
	}
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

func TestAccTheLifeOfADepartmentOnKAI(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	vision, language := y.project("vision", "quota = 8, limit = 12"), y.project("language", "quota = 8")
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision+"\n"+language))
	y.Apply(t)
	y.plans(t, "")
	equal(t, "the quota", y.gpu(t, "vision", "quota"), int64(8))
	equal(t, "what is unlimited", y.gpu(t, "language", "limit"), int64(-1))
	parent, _, _ := unstructured.NestedString(y.api.Get(t, y.queue("vision")).Object, "spec", "parentQueue")
	equal(t, "the parent", parent, y.queue("research").Name)
	equal(t, "the label of the namespace", y.api.Get(t, y.namespace("vision")).GetLabels()["project.k0smos.io/vision-"+y.id], "research-"+y.id)
	values := y.State(t)[address].Values
	labels, _ := json.Marshal(values["pod_labels"])
	equal(t, "the labels of pods", strings.Contains(string(labels), fmt.Sprintf(`{"kai.scheduler/node-pool":"p%s","kai.scheduler/queue":%q}`, y.id, y.queue("vision").Name)), true)

	// A change in place, and a tree that does not add up.
	y.now(t, y.department("this", "research", "kai", "quota = 16", y.project("vision", "quota = 7.5")+"\n"+language))
	y.plans(t, "update")
	y.Apply(t)
	equal(t, "the quota", y.gpu(t, "vision", "quota"), 7.5)
	y.plans(t, "")
	y.now(t, y.department("this", "research", "kai", "quota = 16", y.project("vision", "quota = 16")+"\n"+language))
	y.Plan(t).Failed(t, "Projects ask 24 GPUs", "has 16 in pool p"+y.id)

	// A hand is taken back; another tool is not overruled.
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision+"\n"+language))
	y.Apply(t)
	y.api.EditAs(t, "kubectl-edit", y.queue("vision"), func(object map[string]any) {
		_ = unstructured.SetNestedField(object, int64(2), "spec", "resources", "gpu", "quota")
		_ = unstructured.SetNestedField(object, "", "spec", "parentQueue")
	})
	y.Plan(t).Worked(t, "0 to add, 1 to change, 0 to destroy")
	y.Apply(t)
	equal(t, "the quota", y.gpu(t, "vision", "quota"), int64(8))
	y.plans(t, "")
	y.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s}, spec: {resources: {gpu: {quota: 3}}}}", y.queue("vision").Name))
	y.Plan(t).Failed(t, `managed by "fleet"`)
	y.block = y.api.ProviderBlock("force_conflicts = true")
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision+"\n"+language))
	y.Apply(t)
	equal(t, "the quota", y.gpu(t, "vision", "quota"), int64(8))

	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, "geo/train:kai/research-"+y.id)
	y.plans(t, "")

	y.Destroy(t)
	for _, name := range []string{"research", "vision", "language"} {
		y.api.AwaitGone(t, y.queue(name))
	}
	y.api.AwaitGone(t, y.namespace("vision"))
}

func TestAccAQueueOnlyGoesWhenNobodyNeedsIt(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	vision := y.project("vision", "quota = 8")
	limit := "timeouts {\n    delete = \"8s\"\n    update = \"20s\"\n  }"
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision, limit))
	y.Apply(t)

	// A queue that somebody else has put under the department.
	guest := kube.Key{Kind: kube.Kind(kai.QueueKind), Name: "guest-" + y.id}
	y.api.ApplyAs(t, "fleet", fmt.Sprintf("{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: %s, labels: {kai.scheduler/node-pool: p%s}}, spec: {parentQueue: %s, resources: {gpu: {quota: 12, limit: -1, overQuotaWeight: 1}}}}", guest.Name, y.id, y.queue("research").Name))
	refused := y.TryDestroy(t)
	refused.Failed(t, "is the parent of "+guest.Name, "force_destroy")
	if y.api.Find(t, y.queue("research")) == nil {
		t.Fatal("the parent is gone, and its child is an orphan")
	}
	y.now(t, y.department("this", "research", "kai", "quota = 16, limit = 24", vision, limit))
	y.Plan(t).Worked(t, "Projects ask 20 GPUs", guest.Name)
	y.TryApply(t).Failed(t, "Projects ask 20 GPUs", guest.Name)
	y.api.Delete(t, guest)

	// Work in a project that leaves: the queue stays until it is done.
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision+"\n"+y.project("language", "quota = 8"), limit))
	y.Apply(t)
	y.api.EditStatusAs(t, "queue-controller", y.queue("language"), map[string]any{"allocated": map[string]any{"nvidia.com/gpu": "6"}, "requested": map[string]any{"nvidia.com/gpu": "8"}})
	y.now(t, y.department("this", "research", "kai", "quota = 16", y.project("language", "quota = 8, limit = 4 + 4"), limit))
	y.Apply(t)
	y.api.AwaitGone(t, y.queue("vision"))
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision, limit))
	y.TryApply(t).Worked(t, "stays for now", "allocated are 6 GPUs")
	if y.api.Find(t, y.queue("language")) == nil {
		t.Fatal("the queue went with work in it")
	}
	y.plans(t, "")
	y.TryDestroy(t).Failed(t, "allocated are 6 GPUs")
	y.now(t, y.department("this", "research", "kai", "quota = 16", vision, limit, "force_destroy = true"))
	y.Apply(t)
	y.Destroy(t)
	y.api.AwaitGone(t, y.queue("language"))
	y.api.AwaitGone(t, y.queue("research"))
}

func TestAccAProjectMovesBetweenDepartmentsInOneRun(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	vision := y.project("vision", "quota = 8")
	y.now(t, y.department("this", "research", "kai", "quota = 8", vision), y.department("other", "product", "kai", "quota = 8", ""))
	y.Apply(t)
	y.now(t, y.department("this", "research", "kai", "quota = 8", ""), y.department("other", "product", "kai", "quota = 8", vision))
	y.Apply(t)
	parent, _, _ := unstructured.NestedString(y.api.Get(t, y.queue("vision")).Object, "spec", "parentQueue")
	equal(t, "the parent", parent, y.queue("product").Name)
	y.plans(t, "")
	y.Destroy(t)
}

func TestAccNamespacesAreKeptToTheirQueues(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"kai", "kueue"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			label, visionQueue, other := "kai.scheduler/queue", y.queue("vision").Name, y.queue("language").Name
			if engine == "kueue" {
				label, visionQueue, other = "kueue.x-k8s.io/queue-name", "vision-"+y.id, "language-"+y.id
			}
			elsewhere := y.api.Namespace(t)
			y.now(t, y.department("this", "research", engine, "quota = 16", y.project("vision", "quota = 8", "enforce_namespaces = true")+"\n"+y.project("language", "quota = 8"), "wait = false"))
			y.Apply(t)
			y.plans(t, "")
			try := func(namespace, name string, labels map[string]string) error {
				text, _ := json.Marshal(labels)
				return y.api.TryApplyAs(t.Context(), "user", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: %s, labels: %s}}", name, namespace, text))
			}
			denied := func(err error) bool { return err != nil && strings.Contains(err.Error(), "may not use queue") }
			inVision := y.namespace("vision").Name
			probes := 0 // each of a new name: one that was let in before may be written as it is
			acctest.Eventually(t, "the policy is in force", func() bool {
				probes++
				return denied(try(inVision, fmt.Sprintf("probe-%d", probes), map[string]string{label: other}))
			})
			for what, c := range map[string]struct {
				namespace string
				labels    map[string]string
				refused   bool
			}{
				"its own queue":                     {inVision, map[string]string{label: visionQueue}, false},
				"another queue of the department":   {inVision, map[string]string{label: other}, true},
				"a queue of nobody":                 {inVision, map[string]string{label: "other"}, true},
				"no queue":                          {inVision, map[string]string{"app": "x"}, false},
				"from elsewhere":                    {elsewhere, map[string]string{label: visionQueue}, engine == "kai"}, // on Kueue it names a LocalQueue there
				"an unguarded queue from elsewhere": {elsewhere, map[string]string{label: other}, false},
				"no queue elsewhere":                {elsewhere, map[string]string{"project": "x"}, false},
			} {
				err := try(c.namespace, "x", c.labels)
				if denied(err) != c.refused || err != nil && !denied(err) {
					t.Errorf("%s: %v", what, err)
				}
			}
			if engine == "kai" {
				if err := try(elsewhere, "x", map[string]string{"project": "vision-" + y.id, "kai.scheduler/node-pool": "p" + y.id}); !denied(err) {
					t.Errorf("a queue by the labels that stand for it: %v", err)
				}
			} else if err := y.api.TryApplyAs(t.Context(), "user", fmt.Sprintf("{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: mine, namespace: %s}, spec: {clusterQueue: %s}}", elsewhere, visionQueue)); err != nil {
				t.Errorf("a LocalQueue, which admits nothing: %v", err)
			}
			y.Destroy(t)
			y.api.AwaitGone(t, kube.Key{Kind: kube.Kind(admission.ValidatingAdmissionPolicyKind), Name: "research-" + y.id + ".department.k0smos.io"})
		})
	}
}

func TestAccTheLifeOfADepartmentOnKueue(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	const more = "wait = false"
	vision, language := y.project("vision", "quota = 8, limit = 12"), y.project("language", "quota = 8")
	y.now(t, y.department("this", "research", "kueue", "quota = 20", vision+"\n"+language, more))
	y.Apply(t)
	y.plans(t, "")
	queue := kube.Key{Kind: kube.Kind(kueue.ClusterQueueKind), Name: "vision-" + y.id}
	cohort := kube.Key{Kind: kube.Kind(kueue.CohortKind), Name: "research-" + y.id}
	equal(t, "what the department has beside its projects", y.quota(t, cohort, 2, "nominalQuota"), "4")
	equal(t, "what may be borrowed", y.quota(t, queue, 2, "borrowingLimit"), "4")
	y.api.Get(t, kube.Key{Kind: kube.Kind(kueue.LocalQueueKind), Namespace: "vision-" + y.id, Name: "vision-" + y.id})

	y.now(t, y.department("this", "research", "kueue", "quota = 20", y.project("vision", "quota = 10, limit = 12")+"\n"+language, more))
	y.Apply(t)
	equal(t, "what the department has beside its projects", y.quota(t, cohort, 2, "nominalQuota"), "2")
	y.plans(t, "")
	y.Must(t, "state", "rm", address)
	y.Must(t, "import", "-no-color", address, "geo/train:kueue/research-"+y.id)
	y.Plan(t).Worked(t, "wait") // that it does not wait is nowhere in the cluster
	y.Apply(t)
	y.plans(t, "")

	y.api.EditStatusAs(t, "kueue", queue, map[string]any{"admittedWorkloads": int64(2), "reservingWorkloads": int64(2), "pendingWorkloads": int64(1)})
	limit := "timeouts {\n    delete = \"8s\"\n  }"
	y.now(t, y.department("this", "research", "kueue", "quota = 20", y.project("vision", "quota = 10, limit = 12")+"\n"+language, more, limit))
	y.Apply(t)
	y.TryDestroy(t).Failed(t, "2 workloads run and 1 wait", "force_destroy")
	y.now(t, y.department("this", "research", "kueue", "quota = 20", y.project("vision", "quota = 10, limit = 12")+"\n"+language, more, "force_destroy = true"))
	y.Apply(t)
	run := y.Start(t, "destroy", "-auto-approve", "-no-color")
	acctest.Eventually(t, "work is evicted", func() bool {
		live := y.api.Find(t, queue)
		policy := ""
		if live != nil {
			policy, _, _ = unstructured.NestedString(live.Object, "spec", "stopPolicy")
		}
		return policy == "HoldAndDrain"
	})
	y.api.EditStatusAs(t, "kueue", queue, map[string]any{})
	run.Wait().Worked(t, "Destroy complete")
	y.api.AwaitGone(t, cohort)
}

func (y *yard) quota(t *testing.T, k kube.Key, resource int, field string) string {
	t.Helper()
	groups, _, _ := unstructured.NestedSlice(y.api.Get(t, k).Object, "spec", "resourceGroups")
	var group struct {
		Flavors []struct {
			Resources []map[string]string `json:"resources"`
		} `json:"flavors"`
	}
	text, _ := json.Marshal(groups[0])
	if err := json.Unmarshal(text, &group); err != nil {
		t.Fatal(err)
	}
	return group.Flavors[0].Resources[resource][field]
}

func TestAccALostAnswerLeavesNoOrphan(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	proxy := y.api.Proxy(t)
	y.api.ApplyAs(t, "k0smotron", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s-kubeconfig, namespace: geo}, data: {value: %s}}", y.id, base64.StdEncoding.EncodeToString([]byte(proxy.KubeconfigText()))))
	y.cluster = fmt.Sprintf(`{ namespace = "geo", name = %q }`, y.id)
	lost := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "apply", Resource: "queues", DryRun: faultproxy.OnlyReal}, Do: faultproxy.ResetAfter()})
	y.now(t, y.department("this", "research", "kai", "quota = 16", y.project("vision", "quota = 8"), "timeouts {\n    create = \"20s\"\n  }"))
	y.TryApply(t)
	if lost.Fired() == 0 {
		t.Fatal("the fault did not happen")
	}
	lost.Remove()
	y.Apply(t)
	y.plans(t, "")
	y.Destroy(t)
	y.api.AwaitGone(t, y.queue("vision"))
}
