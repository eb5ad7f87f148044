package standin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

const poolHost = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: PooledRemoteMachine
metadata: {name: qc-gpu0N, labels: {node.cluster.x-k8s.io/rack: rN}}
spec: {pool: qc-a100, machine: {address: 127.0.0.1, port: 220N, commandsAsScript: true, sshKeyRef: {name: qc-ssh}}}
`

// machineMeta is what Cluster API gives to each of the three objects that a Machine consists of.
const machineMeta = `
  name: NAME
  labels: {cluster.x-k8s.io/cluster-name: geo, cluster.x-k8s.io/deployment-name: qc-a100}
`

const clonedMeta = machineMeta + `
  annotations: {cluster.x-k8s.io/cloned-from-name: TEMPLATE, cluster.x-k8s.io/cloned-from-groupkind: KIND}
  ownerReferences: [{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, name: NAME, uid: UID, controller: true, blockOwnerDeletion: true}]
`

const machineManifest = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Machine
metadata:
` + machineMeta + `
spec:
  clusterName: geo
  version: v1.35.4+k0s.0
  bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: K0sWorkerConfig, name: NAME}}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachine, name: NAME}
`

const workerManifest = `
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: K0sWorkerConfig
metadata:
` + clonedMeta + `
spec: 
  version: v1.35.4+k0s.0
  args:
  - --labels=topology.kubernetes.io/region=ca-qc,k0smos.io/gpu-model=A100-80GB
  - --taints=nvidia.com/gpu=present:NoSchedule
`

const remoteMachineManifest = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: RemoteMachine
metadata:
` + clonedMeta + `
spec: {pool: qc-a100}
`

// createPool makes a Cluster whose infrastructure is ready, three hosts and their key. It does Cluster API's part.
func (b *bench) createPool(t *testing.T) {
	t.Helper()
	b.create(t, clusters, clusterManifest)
	b.clusterConditions(t, "InfrastructureReady")
	b.createKey(t)
	for i := range 3 {
		b.create(t, pooled, strings.ReplaceAll(poolHost, "N", fmt.Sprint(i+1)))
	}
}

func (b *bench) createKey(t *testing.T) {
	t.Helper()
	b.create(t, secrets, `{apiVersion: v1, kind: Secret, metadata: {name: qc-ssh}, stringData: {value: the first key}}`)
}

// startControlPlane lets the Cluster say that its control plane has answered.
func (b *bench) startControlPlane(t *testing.T) {
	t.Helper()
	b.mustPatch(t, clusters, `{"spec": {"controlPlaneEndpoint": {"host": "127.0.0.1", "port": 6443}}}`)
	b.clusterConditions(t, "InfrastructureReady", "ControlPlaneInitialized")
}

func (b *bench) clusterConditions(t *testing.T, types ...string) {
	t.Helper()
	var list []string
	for _, kind := range types {
		list = append(list, fmt.Sprintf(
			`{"type": %q, "status": "True", "reason": "Done", "message": "", "lastTransitionTime": "2026-11-30T00:00:00Z"}`, kind))
	}
	b.mustPatchNamed(t, clusters, "geo", fmt.Sprintf(`{"status": {"conditions": [%s]}}`, strings.Join(list, ",")), "status")
}

// createMachine makes a Machine with its two parts, as a MachineSet does. Options replace texts of the manifests.
func (b *bench) createMachine(t *testing.T, name, template string, options ...string) {
	t.Helper()
	fill := func(manifest, uid, kind string) string {
		manifest = strings.NewReplacer(options...).Replace(manifest)
		return strings.NewReplacer("NAME", name, "TEMPLATE", template, "UID", uid, "KIND", kind).Replace(manifest)
	}
	made := b.create(t, machines, fill(machineManifest, "", ""))
	uid := string(made.GetUID())
	b.create(t, workerConfigs, fill(workerManifest, uid, "K0sWorkerConfigTemplate.bootstrap.cluster.x-k8s.io"))
	b.create(t, remoteMachines, fill(remoteMachineManifest, uid, "RemoteMachineTemplate.infrastructure.cluster.x-k8s.io"))
	b.awaitField(t, remoteID(name), "meta.finalizers[0]", "remotemachine.k0smotron.io/finalizer")
}

// handOver tells a Machine where its commands are, which lets its RemoteMachine look for a host.
func (b *bench) handOver(t *testing.T, name string) {
	t.Helper()
	b.awaitField(t, configID(name), "status.dataSecretName", name)
	b.mustPatchNamed(t, machines, name, fmt.Sprintf(`{"spec": {"bootstrap": {"dataSecretName": %q}}}`, name))
}

// run makes a Machine and waits until its host is a worker.
func (b *bench) run(t *testing.T, name, template string) {
	t.Helper()
	b.createMachine(t, name, template)
	b.handOver(t, name)
	b.awaitField(t, remoteID(name), "status.initialization.provisioned", true)
}

// release deletes a Machine part by part.
func (b *bench) release(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		b.deleteNamed(t, remoteMachines, name)
		b.awaitGone(t, remoteID(name))
		b.deleteNamed(t, workerConfigs, name)
		b.deleteNamed(t, machines, name)
	}
}

// newPool is a bench with a pool whose control plane has answered.
func newPool(t *testing.T) *bench {
	t.Helper()
	b := newBench(t, standin.Options{})
	b.createPool(t)
	b.startControlPlane(t)
	return b
}

func remoteID(name string) string  { return "RemoteMachine.infrastructure.cluster.x-k8s.io/" + name }
func configID(name string) string  { return "K0sWorkerConfig.bootstrap.cluster.x-k8s.io/" + name }
func machineID(name string) string { return "Machine.cluster.x-k8s.io/" + name }
func hostID(name string) string    { return "PooledRemoteMachine.infrastructure.cluster.x-k8s.io/" + name }
