package standin_test

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"testing"
)

const (
	geoCluster = "Cluster.cluster.x-k8s.io/geo"
	geoPlane   = "K0smotronControlPlane.controlplane.cluster.x-k8s.io/geo"
	geoRemote  = "RemoteCluster.infrastructure.cluster.x-k8s.io/geo"
	geoDerived = "Cluster.k0smotron.io/geo"
	available  = "status.conditions[Available].status"
)

const clusterManifest = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: geo, finalizers: [cluster.cluster.x-k8s.io]}
spec:
  clusterNetwork: {pods: {cidrBlocks: [10.244.0.0/16]}, services: {cidrBlocks: [10.96.0.0/12]}}
  controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: K0smotronControlPlane, name: geo}
  infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteCluster, name: geo}
`

const remoteManifest = `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: RemoteCluster
metadata: {name: geo}
spec: {}
`

// planeManifest is the recorded control plane.
const planeManifest = `
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: K0smotronControlPlane
metadata: {name: geo}
spec:
  replicas: 3
  version: v1.35.4+k0s.0
  externalAddress: 127.0.0.1
  service: {type: LoadBalancer, apiPort: 16444, konnectivityPort: 8132}
  persistence: {type: emptyDir}
  storage: {type: etcd, etcd: {autoDeletePVCs: true, persistence: {size: 5Gi}}}
  k0sConfig:
    apiVersion: k0s.k0sproject.io/v1beta1
    kind: ClusterConfig
    spec: {telemetry: {enabled: false}, network: {provider: custom, kubeProxy: {disabled: true}}}
`

// createGeo makes the three objects and does Cluster API's part: it owns the two by the Cluster.
func (b *bench) createGeo(t *testing.T, plane string) {
	t.Helper()
	cluster := b.create(t, clusters, clusterManifest)
	b.create(t, remoteClusters, remoteManifest)
	b.awaitField(t, geoRemote, "status.initialization.provisioned", true)
	b.create(t, controlPlanes, plane)
	b.awaitField(t, geoPlane, "meta.finalizers[0]", "k0smotron.controlplane.cluster.x-k8s.io")
	owned := fmt.Sprintf(`{"metadata": {
		"labels": {"cluster.x-k8s.io/cluster-name": "geo"},
		"ownerReferences": [{"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "name": "geo", "uid": %q}]}}`, cluster.GetUID())
	b.mustPatch(t, remoteClusters, owned)
	b.mustPatch(t, controlPlanes, owned)
}

func (b *bench) awaitAvailable(t *testing.T) {
	t.Helper()
	b.awaitField(t, geoPlane, "status.initialization.controlPlaneInitialized", true)
	b.await(t, geoCluster, "the id of the hosted cluster", func(fields map[string]any) bool {
		return fields["meta.annotations.k0sproject.io/cluster-id"] != nil
	})
}

// deleteGeo deletes the Cluster and does Cluster API's part: control plane first, then infrastructure.
func (b *bench) deleteGeo(t *testing.T) {
	t.Helper()
	b.delete(t, clusters)
	b.delete(t, controlPlanes)
	b.awaitGone(t, geoPlane)
	b.delete(t, remoteClusters)
	b.awaitGone(t, geoRemote)
	b.mustPatch(t, clusters, `{"metadata": {"finalizers": null}}`)
	b.awaitGone(t, geoCluster)
}

func pemOf(server *httptest.Server) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
