package standin_test

import (
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

const (
	failure  = "status.deprecated.v1beta1.failureMessage"
	reserved = "status.reserved"
	first    = "127.0.0.1:2201"
)

func TestAHostIsTakenByNameAndHandsItsLabelsOn(t *testing.T) {
	b := newPool(t)
	b.mustPatchNamed(t, pooled, "qc-gpu01", `{"metadata": {"annotations": {"example.com/row": "7"}}}`)
	b.run(t, "one", "qc-1")
	b.awaitField(t, hostID("qc-gpu01"), "status.machineRef.name", "one")
	for _, object := range []string{remoteID("one"), machineID("one")} {
		b.awaitField(t, object, "meta.labels.node.cluster.x-k8s.io/rack", "r1")
		b.awaitField(t, object, "meta.annotations.example.com/row", "7")
	}
	if got := b.operator.HostOf(b.namespace, "one"); got != first {
		t.Errorf("it runs on %q", got)
	}
	if host := b.operator.Host(first); host.Bootstraps != 1 || host.Machine.Name != "one" || host.Key != standin.KeyOf("the first key") {
		t.Errorf("the host is %+v", host)
	}
	if others := b.operator.Hosts(); len(others) != 1 {
		t.Errorf("other hosts were touched: %v", others)
	}
}

func TestAHostOfAnotherPoolOrNamespaceIsNotTaken(t *testing.T) {
	elsewhere := newPool(t)
	b := newBench(t, standin.Options{})
	b.create(t, clusters, clusterManifest)
	b.createKey(t)
	b.create(t, pooled, strings.NewReplacer("N", "9", "qc-a100", "other").Replace(poolHost))
	b.startControlPlane(t)
	b.createMachine(t, "one", "qc-1")
	b.handOver(t, "one")
	b.awaitField(t, remoteID("one"), failure, "free pooled machine not found")
	for _, name := range []string{"qc-gpu01", "qc-gpu02", "qc-gpu03"} {
		if elsewhere.fields(hostID(name))[reserved] == true {
			t.Errorf("%s of another namespace was taken", name)
		}
	}
}

func TestARemoteMachineThatWaitsTakesAHostThatComesFree(t *testing.T) {
	b := newPool(t)
	b.createMachine(t, "late", "qc-1")
	for _, name := range []string{"qc-gpu01", "qc-gpu02", "qc-gpu03"} {
		b.deleteNamed(t, pooled, name)
	}
	b.handOver(t, "late")
	b.awaitField(t, remoteID("late"), failure, "free pooled machine not found")
	b.awaitField(t, remoteID("late"), "status.conditions[Ready].reason", "UnknownReported")
	b.create(t, pooled, strings.ReplaceAll(poolHost, "N", "4"))
	b.awaitField(t, remoteID("late"), "spec.address", "127.0.0.1")
	b.await(t, remoteID("late"), "no failure", func(fields map[string]any) bool { return fields[failure] == nil })
}

// Real, and a trap: it then speaks of a host that it does not run on.
func TestARemoteMachineWhoseEntryWasDeletedTakesAnotherAtTheNextLook(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.deleteNamed(t, pooled, "qc-gpu01")
	b.touch(t, "one")
	b.awaitField(t, hostID("qc-gpu02"), "status.machineRef.name", "one")
	b.awaitField(t, remoteID("one"), "spec.port", 2202)
	if host := b.operator.Host("127.0.0.1:2202"); host.Bootstraps != 0 {
		t.Errorf("the other host was bootstrapped: %+v", host)
	}
	b.awaitField(t, remoteID("one"), "spec.providerID", "remote-machine://127.0.0.1:2201")
}

func TestAnEditedEntryReachesItsRemoteMachineWhenThatIsTouched(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.awaitField(t, remoteID("one"), "status.conditions[BootstrapExecSucceeded].observedGeneration", 2)
	b.run(t, "two", "qc-1") // By now the first one's own changes were seen.
	b.mustPatchNamed(t, pooled, "qc-gpu01", `{"spec": {"machine": {"user": "k0s", "useSudo": true}}}`)
	b.run(t, "three", "qc-1") // And by now the edit by whoever wants to see it.
	if user := b.fields(remoteID("one"))["spec.user"]; user != "root" {
		t.Errorf("the user became %v by itself", user)
	}
	b.touch(t, "one")
	b.awaitField(t, remoteID("one"), "spec.user", "k0s")
	b.awaitField(t, remoteID("one"), "spec.useSudo", true)
}

func TestABootstrapThatFailsIsTriedUntilItSucceeds(t *testing.T) {
	b := newPool(t)
	b.operator.FailBootstrap(first, "failed to connect to host: connection refused")
	b.createMachine(t, "one", "qc-1")
	b.handOver(t, "one")
	b.awaitField(t, remoteID("one"), failure, "failed to provision RemoteMachine: failed to connect to host: connection refused")
	b.awaitField(t, remoteID("one"), "status.conditions[Ready].message", "* BootstrapExecSucceeded: Check the bootstrap logs for more details")
	if fields := b.fields(remoteID("one")); fields["spec.address"] != "127.0.0.1" || fields["spec.providerID"] != nil {
		t.Errorf("it should know its host, and not count as that host: %v", fields)
	}
	b.operator.FailBootstrap(first, "")
	b.awaitField(t, remoteID("one"), "status.initialization.provisioned", true)
	if host := b.operator.Host(first); host.Bootstraps < 2 || host.Machine.Name != "one" {
		t.Errorf("the host is %+v", host)
	}
}

func TestABootstrapIsGivenUpWhenItsMachineGoes(t *testing.T) {
	b := newPool(t)
	b.operator.SlowHost(first, patience)
	b.createMachine(t, "one", "qc-1")
	b.handOver(t, "one")
	b.awaitField(t, hostID("qc-gpu01"), reserved, true)
	if address := b.fields(remoteID("one"))["spec.address"]; address != nil {
		t.Errorf("a host that is being bootstrapped shows in the RemoteMachine: %v", address)
	}
	b.deleteNamed(t, remoteMachines, "one")
	b.awaitField(t, remoteID("one"), failure, "failed to provision RemoteMachine: context canceled")
	b.operator.SlowHost(first, 0)
	b.awaitGone(t, remoteID("one"))
	b.awaitField(t, hostID("qc-gpu01"), reserved, false)
}

func TestAHostThatFailsToCleanUpGoesBackDirty(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.operator.FailCleanUp(first, "k0s reset: device or resource busy")
	b.release(t, "one")
	b.awaitField(t, hostID("qc-gpu01"), reserved, false)
	if host := b.operator.Host(first); !host.Dirty || host.CleanUps != 1 {
		t.Errorf("the host is %+v", host)
	}
}

func TestAHostThatHangsInItsCleanUpHoldsItsMachineUntilRepaired(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.operator.HangCleanUp(first, true)
	b.deleteNamed(t, remoteMachines, "one")
	b.awaitDeleting(t, "one")
	b.run(t, "two", "qc-1") // Others are served meanwhile.
	if b.fields(remoteID("one")) == nil || b.fields(hostID("qc-gpu01"))[reserved] != true {
		t.Error("it did not hang")
	}
	b.operator.HangCleanUp(first, false)
	b.awaitGone(t, remoteID("one"))
	b.awaitField(t, hostID("qc-gpu01"), reserved, false)
}

func TestAHostThatIsCutOffCanBeTakenAway(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.operator.Dark(first, true)
	b.release(t, "one")
	b.createMachine(t, "two", "qc-1")
	b.handOver(t, "two")
	b.awaitField(t, remoteID("two"), failure, "failed to provision RemoteMachine: failed to connect to host: dial tcp: i/o timeout")
	if host := b.operator.Host(first); !host.Dirty {
		t.Errorf("the host is %+v", host)
	}
	b.operator.Dark(first, false)
	b.awaitField(t, remoteID("two"), "status.initialization.provisioned", true)
}

func TestAClusterWithoutItsKeyHoldsItsHosts(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.deleteNamed(t, secrets, "qc-ssh")
	b.deleteNamed(t, remoteMachines, "one")
	b.awaitField(t, remoteID("one"), failure, `secrets "qc-ssh" not found`)
	b.create(t, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: qc-ssh}, stringData: {value: the second key}}`)
	b.awaitGone(t, remoteID("one"))
	if host := b.operator.Host(first); host.Key != standin.KeyOf("the second key") {
		t.Errorf("the clean-up used another key: %+v", host)
	}
}

func TestARemoteMachineWithoutItsMachineIsHeld(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	b.deleteNamed(t, machines, "one")
	b.awaitGone(t, machineID("one"))
	b.deleteNamed(t, remoteMachines, "one")
	b.run(t, "two", "qc-1")
	b.release(t, "two")
	if b.fields(remoteID("one")) == nil {
		t.Error("it went without its Machine")
	}
}

func TestARemoteMachineThatNeverGotAHostIsFreedByItsFinalizerOnly(t *testing.T) {
	b := newPool(t)
	for _, name := range []string{"qc-gpu01", "qc-gpu02", "qc-gpu03"} {
		b.deleteNamed(t, pooled, name)
	}
	b.createMachine(t, "one", "qc-1")
	b.handOver(t, "one")
	b.awaitField(t, remoteID("one"), failure, "free pooled machine not found")
	b.deleteNamed(t, remoteMachines, "one")
	b.awaitField(t, remoteID("one"), failure, "resource name may not be empty")
	b.create(t, pooled, strings.ReplaceAll(poolHost, "N", "5")) // Too late.
	b.run(t, "two", "qc-1")
	if b.fields(remoteID("one")) == nil || b.fields(remoteID("one"))["spec.address"] != nil {
		t.Errorf("it went, or took a host: %v", b.fields(remoteID("one")))
	}
	b.mustPatchNamed(t, remoteMachines, "one", `{"metadata": {"finalizers": null}}`)
	b.awaitGone(t, remoteID("one"))
}

func TestAPausedClusterTakesNoHosts(t *testing.T) {
	b := newPool(t)
	b.createMachine(t, "one", "qc-1")
	b.awaitField(t, configID("one"), "status.dataSecretName", "one")
	b.mustPatch(t, clusters, `{"spec": {"paused": true}}`)
	b.handOver(t, "one")
	b.createMachine(t, "two", "qc-1")
	if fields := b.fields(configID("two")); fields["status.dataSecretName"] != nil {
		t.Errorf("a paused cluster got commands: %v", fields)
	}
	if taken := b.fields(hostID("qc-gpu01"))[reserved]; taken == true {
		t.Error("a paused cluster took a host")
	}
	b.mustPatch(t, clusters, `{"spec": {"paused": false}}`)
	b.awaitField(t, remoteID("one"), "status.initialization.provisioned", true)
}

func TestFilesComeFromSecretsAndConfigMaps(t *testing.T) {
	b := newPool(t)
	b.createMachine(t, "one", "qc-1", "  args:", `  files:
  - {path: /etc/a, content: plain}
  - {path: /etc/b, contentFrom: {secretRef: {name: files, key: b}}}
  preK0sCommands: [modprobe nvidia]
  postK0sCommands: [echo done]
  args:`)
	b.awaitField(t, configID("one"), "status.conditions[DataSecretAvailable].reason", "DataSecretGenerationFailed")
	b.create(t, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: files}, stringData: {b: from a secret}}`)
	b.handOver(t, "one")
	b.awaitField(t, remoteID("one"), "status.initialization.provisioned", true)
	host := b.operator.Host(first)
	if host.Files["/etc/a"] != "plain" || host.Files["/etc/b"] != "from a secret" {
		t.Errorf("files are %v", host.Files)
	}
	want := []string{
		"modprobe nvidia",
		"curl -sSfL --retry 5 https://get.k0s.sh | K0S_INSTALL_PATH=/usr/local/bin K0S_VERSION=v1.35.4+k0s.0 sh",
		"/usr/local/bin/k0s install worker --token-file /etc/k0s.token --labels=k0smotron.io/machine-name=one " +
			"--labels=topology.kubernetes.io/region=ca-qc,k0smos.io/gpu-model=A100-80GB --taints=nvidia.com/gpu=present:NoSchedule " +
			`--kubelet-extra-args="--hostname-override=one"`,
		"systemctl start k0sworker",
		"echo done",
		"mkdir -p /run/cluster-api && touch /run/cluster-api/bootstrap-success.complete",
	}
	if got := strings.Join(host.Commands, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("commands are\n%s", got)
	}
}

func TestAnotherStandInReleasesWhatTheFirstHadTaken(t *testing.T) {
	b := newPool(t)
	b.run(t, "one", "qc-1")
	if err := b.operator.Stop(); err != nil {
		t.Fatal(err)
	}
	next, err := standin.Start(t.Context(), management.RESTConfig(), standin.Options{Launch: launchFake, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	b.operator = next
	b.release(t, "one")
	b.awaitField(t, hostID("qc-gpu01"), reserved, false)
}

// touch changes a RemoteMachine in a way that nobody reads, which brings the operator to it.
func (b *bench) touch(t *testing.T, name string) {
	t.Helper()
	b.mustPatchNamed(t, remoteMachines, name, `{"metadata": {"annotations": {"example.com/touched": "now"}}}`)
}

func (b *bench) awaitDeleting(t *testing.T, name string) {
	t.Helper()
	b.await(t, remoteID(name), "a deletion timestamp", func(fields map[string]any) bool { return fields["meta.deletionTimestamp"] != nil })
	if _, err := b.client.Resource(remoteMachines).Namespace(b.namespace).Get(t.Context(), name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
		t.Fatal("it is gone already")
	}
}
