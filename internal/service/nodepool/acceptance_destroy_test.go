package nodepool_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/cli"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// estate is a folder with a site and a pool in the cluster that these tests share. All are named by the test.
type estate struct {
	*cli.Workdir
	*acctest.ManagementCluster
	namespace, name string
	block           string // of the provider
	key             string // how the site names its key
}

var shared struct {
	sync.Mutex
	namespace string
}

// newEstate makes the shared control plane if this is the first test, and a key for the site.
func newEstate(t *testing.T, name string) *estate {
	t.Helper()
	c := acctest.Cluster(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.namespace == "" {
		c.ApplyAs(t, "acctest", "{apiVersion: v1, kind: Namespace, metadata: {name: estates}}")
		first := cli.New(t, c.ProviderBlock()+`
resource "k0smos_hosted_control_plane" "estates" {
  name             = "estates"
  namespace        = "estates"
  create_namespace = false
  version          = "v1.35.7+k0s.0"
  expose           = { external_address = "api.example.net" }
  storage          = { etcd = { auto_delete = true } }
}
`)
		first.Apply(t)
		shared.namespace = "estates"
	}
	e := &estate{Workdir: cli.New(t, ""), ManagementCluster: c, namespace: shared.namespace, name: name, block: c.ProviderBlock(), key: fmt.Sprintf("secret = %q", name+"-key")}
	c.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: %s-key, namespace: %s}, stringData: {value: key}}", name, e.namespace))
	return e
}

// now changes the configuration to a pool with these hosts (lines of `a = { address = "..." }`) and other lines.
func (e *estate) now(t *testing.T, hosts, more string) {
	t.Helper()
	e.Configure(t, e.site()+fmt.Sprintf(`
resource "k0smos_node_pool" "this" {
  name    = %q
  cluster = { name = "estates", namespace = "estates" }
  site    = k0smos_site.this.ref
  version = "v1.35.7+k0s.0"
  hosts   = { %s }
  %s
}
`, e.name, hosts, more))
}

// site is the configuration without the pool.
func (e *estate) site() string {
	return e.block + fmt.Sprintf(`
variable "key" {
  type      = string
  ephemeral = true
  sensitive = true
  default   = null
}
resource "k0smos_site" "this" {
  name      = %q
  namespace = %q
  ssh       = { %s }
}
`, e.name, e.namespace, e.key)
}

func (e *estate) object(kind api.Kind, name string) kube.Key {
	return kube.Key{Kind: kube.Kind(kind), Namespace: e.namespace, Name: name}
}

// all lists what there is of a kind in the pool, by name.
func (e *estate) all(t *testing.T, kind api.Kind) map[string]*unstructured.Unstructured {
	t.Helper()
	resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: kind.Resource}
	list, err := e.Client.Resource(resource).Namespace(e.namespace).List(context.WithoutCancel(t.Context()), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		if strings.HasPrefix(list.Items[i].GetName(), e.name+"-") {
			out[list.Items[i].GetName()] = &list.Items[i]
		}
	}
	return out
}

// machineOf is the Machine that uses a host, or "".
func (e *estate) machineOf(t *testing.T, host string) string {
	t.Helper()
	found := e.Find(t, e.object(infrastructure.PooledRemoteMachineKind, e.name+"-"+host))
	if found == nil {
		return ""
	}
	return field(found, "status", "machineRef", "name")
}

func field(o *unstructured.Unstructured, path ...string) string {
	value, _, _ := unstructured.NestedFieldNoCopy(o.Object, path...)
	if value == nil {
		return ""
	}
	return fmt.Sprint(value)
}

// TestAccAPoolGoesInOrderAndSaysWhatIsInTheWay destroys a pool with a host that does not let go, repairs it, and does so again.
func TestAccAPoolGoesInOrderAndSaysWhatIsInTheWay(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "order")
	proxy := e.Proxy(t)
	e.block = acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig()))
	const stubborn, fine = "198.18.20.1", "198.18.20.2"
	e.now(t, fmt.Sprintf("a = { address = %q }, b = { address = %q }", stubborn, fine), "timeouts {\n    delete = \"12s\"\n  }")
	e.Apply(t)
	hung := e.machineOf(t, "a")

	e.Dev.StandIn().HangCleanUp(stubborn, true)
	e.TryDestroy(t).Failed(t, "RemoteMachine "+hung, infrastructure.RemoteMachineFinalizer, "has cleaned up host "+stubborn)
	for kind, want := range map[api.Kind]int{infrastructure.RemoteMachineTemplateKind: 1, infrastructure.PooledRemoteMachineKind: 2, infrastructure.RemoteMachineKind: 1} {
		if got := e.all(t, kind); len(got) != want {
			t.Errorf("there are %d %s, want %d: what is needed to let go has to stay", len(got), kind.Kind, want)
		}
	}

	// The key is gone as well, which is said in the operator's words.
	secret := kube.Key{Kind: acctest.Secrets, Namespace: e.namespace, Name: "order-key"}
	e.Delete(t, secret)
	e.Dev.StandIn().HangCleanUp(stubborn, false)
	e.TryDestroy(t).Failed(t, "RemoteMachine "+hung, `secrets "order-key" not found`)

	e.ApplyAs(t, "acctest", fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: order-key, namespace: %s}, stringData: {value: key}}", e.namespace))
	proxy.Forget()
	var early []string
	proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "delete", Where: func(r faultproxy.Request) bool { return r.Resource != clusterapi.MachineDeploymentKind.Resource }}, Do: faultproxy.Call(func() {
		for name := range e.all(t, infrastructure.RemoteMachineKind) {
			early = append(early, name)
		}
	})})
	e.Destroy(t)
	if len(early) > 0 {
		t.Errorf("something was deleted while there was RemoteMachine %v", early)
	}
	var order []string
	for _, r := range proxy.Matching(faultproxy.Match{Verb: "delete", DryRun: faultproxy.OnlyReal}) {
		if len(order) == 0 || order[len(order)-1] != r.Resource {
			order = append(order, r.Resource)
		}
	}
	want := []string{"k0sworkerconfigtemplates", "remotemachinetemplates", "pooledremotemachines", "configmaps"}
	if got := slices.DeleteFunc(order, func(r string) bool { return r == "machinedeployments" }); !slices.Equal(got, want) {
		t.Errorf("deleted in the order %v, want %v", got, want)
	}
	for _, kind := range []api.Kind{infrastructure.RemoteMachineKind, infrastructure.PooledRemoteMachineKind, infrastructure.RemoteMachineTemplateKind, clusterapi.MachineKind} {
		if left := e.all(t, kind); len(left) > 0 {
			t.Errorf("%s are left: %v", kind.Kind, left)
		}
	}
}

// TestAccOnlyAMachineThatNeverGotAHostIsFreed: somebody else's scaling left one, beside a host that was bootstrapped and hangs.
func TestAccOnlyAMachineThatNeverGotAHostIsFreed(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "lost")
	const address, limits = "198.18.21.1", "timeouts {\n    delete = \"12s\"\n  }"
	hosts := fmt.Sprintf("a = { address = %q }", address)
	// scale makes the pool larger than it has hosts, and says which RemoteMachine has none.
	scale := func() (homeless string) {
		used := e.machineOf(t, "a")
		e.EditAs(t, "autoscaler", e.object(clusterapi.MachineDeploymentKind, e.name), func(o map[string]any) {
			_ = unstructured.SetNestedField(o, int64(2), "spec", "replicas")
		})
		acctest.Eventually(t, "there is a RemoteMachine that waits for a host", func() bool {
			for name, r := range e.all(t, infrastructure.RemoteMachineKind) {
				if name != used && slices.Contains(r.GetFinalizers(), infrastructure.RemoteMachineFinalizer) && field(r, "spec", "address") == "" {
					homeless = name
				}
			}
			return homeless != ""
		})
		return homeless
	}
	e.now(t, hosts, limits)
	e.Apply(t)
	homeless := scale()
	e.TryDestroy(t).Failed(t, "RemoteMachine "+e.namespace+"/"+homeless+" is being deleted and never got a host", "force_release = true")

	// An apply frees it, which lets the destroy go on behind its back, and makes the pool again.
	e.now(t, hosts, limits+"\n  force_release = true")
	e.Apply(t)
	if e.Find(t, e.object(infrastructure.RemoteMachineKind, homeless)) != nil {
		t.Error("the one without a host was not freed")
	}

	// So does a destroy, where that was applied before. A host that was bootstrapped is not freed.
	homeless, used := scale(), e.machineOf(t, "a")
	e.Dev.StandIn().HangCleanUp(address, true)
	e.TryDestroy(t).Failed(t, "RemoteMachine "+used+" waits until k0smotron has cleaned up host "+address)
	if e.Find(t, e.object(infrastructure.RemoteMachineKind, homeless)) != nil {
		t.Error("the one without a host was not freed")
	}
	if kept := e.Get(t, e.object(infrastructure.RemoteMachineKind, used)); !slices.Contains(kept.GetFinalizers(), infrastructure.RemoteMachineFinalizer) {
		t.Error("a host that was bootstrapped was freed without its clean-up")
	}
	e.Dev.StandIn().HangCleanUp(address, false)
	e.Destroy(t)
	if host := e.Dev.StandIn().Host(address); host.CleanUps != 2 || host.Machine.Name != "" {
		t.Errorf("the host was not cleaned up: %v", host)
	}
}
