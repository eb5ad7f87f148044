package standin

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// fieldManager is under which name the operator writes.
const fieldManager = "k0smotron"

// kind is a kind of object and where it is served.
type kind struct {
	name     string
	resource schema.GroupVersionResource
}

var (
	clusterAPICluster = newKind("cluster.x-k8s.io", "v1beta2", "Cluster", "clusters")
	controlPlane      = newKind("controlplane.cluster.x-k8s.io", "v1beta2", "K0smotronControlPlane", "k0smotroncontrolplanes")
	remoteCluster     = newKind("infrastructure.cluster.x-k8s.io", "v1beta2", "RemoteCluster", "remoteclusters")
	machine           = newKind("cluster.x-k8s.io", "v1beta2", "Machine", "machines")
	remoteMachine     = newKind("infrastructure.cluster.x-k8s.io", "v1beta2", "RemoteMachine", "remotemachines")
	pooledMachine     = newKind("infrastructure.cluster.x-k8s.io", "v1beta2", "PooledRemoteMachine", "pooledremotemachines")
	workerConfig      = newKind("bootstrap.cluster.x-k8s.io", "v1beta2", "K0sWorkerConfig", "k0sworkerconfigs")
	derivedCluster    = newKind("k0smotron.io", "v1beta2", "Cluster", "clusters")
	secrets           = newKind("", "v1", "Secret", "secrets")
	jobs              = newKind("batch", "v1", "Job", "jobs")
	pods              = newKind("", "v1", "Pod", "pods")
	configMaps        = newKind("", "v1", "ConfigMap", "configmaps")
	volumeClaims      = newKind("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims")
	nodes             = newKind("", "v1", "Node", "nodes")
	webhookConfigs    = newKind("admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations")
)

func newKind(group, version, name, plural string) kind {
	return kind{name, schema.GroupVersionResource{Group: group, Version: version, Resource: plural}}
}

func (k kind) apiVersion() string { return k.resource.GroupVersion().String() }

// String is how the kind is called in logs.
func (k kind) String() string { return k.name + "." + k.resource.Group }

// owns reports whether an owner reference is to an object of this kind, in whatever version.
func (k kind) owns(owner metav1.OwnerReference) bool {
	gv, err := schema.ParseGroupVersion(owner.APIVersion)
	return err == nil && gv.Group == k.resource.Group && owner.Kind == k.name
}
