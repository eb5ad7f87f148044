package nodepool_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// through has the provider reach the cluster by a fault proxy.
func (e *estate) through(t *testing.T) *faultproxy.Proxy {
	proxy := e.Proxy(t)
	e.block = acctest.ProviderBlock(fmt.Sprintf("config_path = %q", proxy.Kubeconfig()))
	return proxy
}

// limit is a timeouts block.
func limit(operation, long string) string {
	return fmt.Sprintf("timeouts {\n    %s = %q\n  }", operation, long)
}

// TestAccADarkSiteIsRemovedAsTheGuideSays: no host answers any more.
func TestAccADarkSiteIsRemovedAsTheGuideSays(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "dark")
	const a, b = "198.18.22.1", "198.18.22.2"
	hosts := fmt.Sprintf("a = { address = %q }, b = { address = %q }", a, b)
	e.now(t, hosts, "")
	e.Apply(t)
	for _, address := range []string{a, b} {
		e.Dev.StandIn().Dark(address, true)
	}
	acctest.Eventually(t, "Cluster API sees the nodes fail", func() bool {
		return field(e.Get(t, e.object(clusterapi.MachineDeploymentKind, e.name)), "status", "readyReplicas") == "0"
	})
	e.now(t, hosts, "wait  = false\n  drain = { timeout = \"3s\", volume_detach_timeout = \"3s\", node_deletion_timeout = \"3s\" }\n  "+limit("delete", "90s"))
	e.Apply(t)
	e.Configure(t, e.site())
	e.Apply(t)
	e.Destroy(t)
	for _, kind := range []kube.Key{e.object(infrastructure.PooledRemoteMachineKind, "dark-a"), e.object(clusterapi.MachineDeploymentKind, "dark")} {
		if e.Find(t, kind) != nil {
			t.Errorf("%s is still there", kind)
		}
	}
	if host := e.Dev.StandIn().Host(a); !host.Dirty {
		t.Error("a host that is cut off cannot have been cleaned up")
	}
}

// TestAccAHostThatAnotherNamespaceHoldsIsWaitedFor: first for too long, and then until it is released.
func TestAccAHostThatAnotherNamespaceHoldsIsWaitedFor(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "held")
	other, proxy := e.Namespace(t), e.through(t)
	const address = "198.18.23.1"
	entry := kube.Key{Kind: kube.Kind(infrastructure.PooledRemoteMachineKind), Namespace: other, Name: "theirs-a"}
	e.ApplyAs(t, "kubectl", fmt.Sprintf("{apiVersion: %s, kind: PooledRemoteMachine, metadata: {name: theirs-a, namespace: %s}, spec: {pool: theirs, machine: {address: %s, port: 22, sshKeyRef: {name: k}}}}",
		infrastructure.PooledRemoteMachineKind.APIVersion(), other, address))
	hold := func(reserved bool) {
		e.EditStatusAs(t, "k0smotron", entry, map[string]any{"reserved": reserved, "machineRef": map[string]any{"name": "theirs-x", "namespace": other}})
	}
	hold(true)
	hosts := fmt.Sprintf("a = { address = %q }", address)
	e.now(t, hosts, limit("create", "6s"))
	e.TryApply(t).Failed(t, "host a is held by pool theirs in namespace "+other+" as theirs-a, for Machine theirs-x")

	deployment := e.object(clusterapi.MachineDeploymentKind, e.name)
	waiting := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Verb: "watch", Resource: "pooledremotemachines"}, Do: faultproxy.Forward()})
	e.now(t, hosts, "")
	run := e.StartApply(t)
	<-waiting.Acted()
	if e.Find(t, deployment) != nil {
		t.Error("the pool was made while its host is in use")
	}
	hold(false)
	run.Wait().Worked(t)
	if e.machineOf(t, "a") == "" {
		t.Error("the host is not used")
	}
	e.Destroy(t)
}

// TestAccARemovalSurvivesWhatInterruptsIt: time that runs out between mark and release, and connections that break.
func TestAccARemovalSurvivesWhatInterruptsIt(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "cut")
	proxy := e.through(t)
	const a, b, c = "198.18.24.1", "198.18.24.2", "198.18.24.3"
	one := fmt.Sprintf("a = { address = %q }", a)
	two := one + fmt.Sprintf(", b = { address = %q }", b)
	three := two + fmt.Sprintf(", c = { address = %q }", c)
	e.now(t, three, "")
	e.Apply(t)
	kept := e.machineOf(t, "a")

	e.Dev.StandIn().HangCleanUp(c, true)
	e.now(t, two, limit("update", "6s"))
	e.TryApply(t).Failed(t, "host cut-c is being left by Machine")
	if e.machineOf(t, "c") == "" {
		t.Error("the entry of a host that is in use is gone")
	}
	e.Dev.StandIn().HangCleanUp(c, false)
	e.now(t, two, "")
	e.Apply(t)

	e.Dev.StandIn().HangCleanUp(b, true)
	e.now(t, one, "")
	run := e.StartApply(t)
	acctest.Eventually(t, "the size is lowered", func() bool {
		return field(e.Get(t, e.object(clusterapi.MachineDeploymentKind, e.name)), "spec", "replicas") == "1"
	})
	watches := func(r faultproxy.Request) bool { return r.Verb == "watch" }
	proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Where: watches}, Every: 2, Times: 3, Do: faultproxy.ResetBefore()})
	broken := proxy.Add(faultproxy.Rule{Match: faultproxy.Match{Where: func(r faultproxy.Request) bool { return !watches(r) }}, Every: 2, Times: 4, Do: faultproxy.ResetAfter()})
	proxy.CutWatches()
	e.Dev.StandIn().HangCleanUp(b, false)
	if result := run.Wait(); result.Code != 0 {
		t.Log(result.Output)
		proxy.Clear()
		e.Apply(t)
	}
	if broken.Fired() == 0 {
		t.Error("no connection was broken")
	}
	proxy.Clear()
	if now := e.machineOf(t, "a"); now != kept {
		t.Errorf("the host that stays had Machine %s and has %s", kept, now)
	}
	for _, name := range []string{"cut-b", "cut-c"} {
		if e.Find(t, e.object(infrastructure.PooledRemoteMachineKind, name)) != nil {
			t.Errorf("the entry %s is still there", name)
		}
	}
	if host := e.Dev.StandIn().Host(b); host.CleanUps != 1 || host.Machine.Name != "" {
		t.Errorf("host b: %v", host)
	}
	if changes := e.Changes(t); len(changes) > 0 {
		t.Errorf("the next plan does %v", changes)
	}
	e.Destroy(t)
}

// TestAccTheKeyOfASiteReachesItsHostsAndNobodyElse is the life of a pool with an eye on its keys.
func TestAccTheKeyOfASiteReachesItsHostsAndNobodyElse(t *testing.T) {
	t.Parallel()
	e := newEstate(t, "canary")
	e.Trace = true
	const a, b = "198.18.25.1", "198.18.25.2"
	canaries := []string{acctest.Canary("pool-1"), acctest.Canary("pool-2")}
	keys := []string{keyWith(t, canaries[0]), keyWith(t, canaries[1])}
	use := func(n int) {
		e.key, e.Env = fmt.Sprintf("private_key_wo = var.key, private_key_wo_version = %d", n), []string{"TF_VAR_key=" + keys[n-1]}
	}
	used := func(address string, n int) {
		t.Helper()
		if got := e.Dev.StandIn().Host(address).Key; got != standin.KeyOf(keys[n-1]) {
			t.Errorf("the operator reached %s last with another key than number %d", address, n)
		}
	}
	one := fmt.Sprintf("a = { address = %q }", a)
	two := one + fmt.Sprintf(", b = { address = %q }", b)
	use(1)
	e.now(t, two, limit("update", "6s"))
	e.Apply(t)
	used(a, 1)
	used(b, 1)

	use(2)
	e.now(t, two, limit("update", "6s"))
	e.Apply(t)
	e.Dev.StandIn().HangCleanUp(b, true)
	e.now(t, one, limit("update", "6s"))
	outputs := e.TryApply(t).Output // ends with an error
	e.Dev.StandIn().HangCleanUp(b, false)
	e.now(t, one, "")
	var plan map[string]any
	e.JSON(t, &plan, "show", "-json", e.PlanFile(t))
	outputs += fmt.Sprint(plan) + e.Apply(t)
	used(b, 2)
	outputs += e.Destroy(t)
	used(a, 2)
	if err := os.WriteFile(filepath.Join(e.Dir, "outputs.txt"), []byte(outputs), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"terraform.tfstate.backup", "trace-1.log"} {
		if _, err := os.Stat(filepath.Join(e.Dir, file)); err != nil {
			t.Errorf("there is nothing to look at: %v", err)
		}
	}
	acctest.NoCanary(t, canaries, e.Dir)
}

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
