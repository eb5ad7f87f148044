package k0smotron

import "github.com/k0smos/terraform-provider-k0smos/internal/api"

// ClusterSpec says how a hosted control plane runs. Defaults are those of the operator's CRD.
// Fields that the operator fills in by itself must be left out by whoever applies the object.
type ClusterSpec struct {
	// Members of the control plane.
	// +kubebuilder:default=1
	Replicas *int32 `json:"replicas,omitempty"`
	// Image of k0s without a tag: the tag follows from the version.
	// +kubebuilder:default="quay.io/k0sproject/k0s"
	Image string `json:"image,omitempty"`
	// Version of k0s, such as v1.35.4+k0s.0. Without the suffix, workers are blocked from scaling.
	Version string `json:"version,omitempty"`
	// Host under which the API server is reached, without a port. The operator fills it in where it can find out.
	ExternalAddress string `json:"externalAddress,omitempty"`
	// How the API server is exposed.
	// +kubebuilder:default={type:ClusterIP,apiPort:30443,konnectivityPort:30132}
	Service *Service `json:"service,omitempty"`
	// Exposure by an ingress controller, on top of the service.
	Ingress *Ingress `json:"ingress,omitempty"`
	// Volume for the data directory of k0s. The database has its own.
	Persistence *Persistence `json:"persistence,omitempty"`
	// Where the control plane keeps its objects.
	Storage *Storage `json:"storage,omitempty"`
	// Configuration of k0s (ClusterConfig). apiVersion must be in it. The operator adds to it.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	K0sConfig map[string]any `json:"k0sConfig,omitempty"`
	// Changes to the objects that the operator makes.
	Patches []Patch `json:"patches,omitempty"`
	// Resources of the k0s container.
	Resources *api.Resources `json:"resources,omitempty"`
	// How the members are spread over nodes.
	TopologySpreadConstraints []api.TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`
	// Labels and annotations of the kubeconfig Secret. The labels enter selectors and cannot be changed later.
	KubeconfigSecretMetadata *SecretMetadata `json:"kubeconfigSecretMetadata,omitempty"`
	// Filled in by the operator: read only.
	CertificateRefs []CertificateRef `json:"certificateRefs,omitempty"`
	// Filled in by the operator: read only.
	Manifests []Manifest `json:"manifests,omitempty"`
	// Prometheus next to the control plane.
	Monitoring *Monitoring `json:"monitoring,omitempty"`
}

// ServiceType is a way to expose the API server.
// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
type ServiceType string

// The ways to expose the API server.
const (
	ServiceClusterIP    ServiceType = "ClusterIP"
	ServiceNodePort     ServiceType = "NodePort"
	ServiceLoadBalancer ServiceType = "LoadBalancer"
)

// Service exposes the API server. Each port is used in the container, in the service and, for NodePort, on the nodes.
type Service struct {
	// Way of exposure.
	// +required
	// +kubebuilder:default=ClusterIP
	Type ServiceType `json:"type,omitempty"`
	// Port of the API server.
	// +kubebuilder:default=30443
	APIPort int `json:"apiPort,omitempty"`
	// Port that the workers' agents dial.
	// +kubebuilder:default=30132
	KonnectivityPort int `json:"konnectivityPort,omitempty"`
}

// Ingress exposes the API server by an ingress controller that passes TLS through.
type Ingress struct {
	// False leaves making the Ingress object to somebody else. Set it: the operator trips over an absent one.
	Deploy *bool `json:"deploy,omitempty"`
	// Port of the ingress controller.
	// +kubebuilder:default=443
	Port int64 `json:"port,omitempty"`
	// Host name of the API server.
	APIHost string `json:"apiHost"`
	// Host name for the workers' agents.
	KonnectivityHost string `json:"konnectivityHost"`
	// Class of the ingress controller.
	ClassName *string `json:"className,omitempty"`
	// Annotations of the Ingress object.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Persistence says what holds the data directory of k0s.
type Persistence struct {
	// Kind of volume: emptyDir, hostPath or pvc. The operator does not check the spelling.
	// +required
	// +kubebuilder:default=emptyDir
	Type string `json:"type,omitempty"`
	// Path on the node for type hostPath.
	HostPath string `json:"hostPath,omitempty"`
	// Whether volume claims go with the cluster.
	// +kubebuilder:default=false
	AutoDeletePVCs *bool `json:"autoDeletePVCs,omitempty"`
}

// Patch changes one of the objects that the operator makes.
type Patch struct {
	// Which object.
	Target PatchTarget `json:"target"`
	// What to change.
	Patch PatchSpec `json:"patch"`
}

// PatchTarget selects an object by kind and by its label app.kubernetes.io/component.
type PatchTarget struct {
	// Kind, such as StatefulSet.
	Kind string `json:"kind"`
	// Component, such as control-plane or etcd.
	Component string `json:"component"`
}

// PatchType is a patch format.
// +kubebuilder:validation:Enum=json;strategic;merge
type PatchType string

// The patch formats.
const (
	PatchJSON      PatchType = "json"
	PatchStrategic PatchType = "strategic"
	PatchMerge     PatchType = "merge"
)

// PatchSpec is a patch in one of three formats.
type PatchSpec struct {
	// Format of the content.
	Type PatchType `json:"type"`
	// The patch, as JSON or YAML text.
	Content string `json:"content"`
}

// SecretMetadata is what a generated Secret gets besides its name.
type SecretMetadata struct {
	// Labels to add.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations to add.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// CertificateRef names the Secret of a certificate authority or key.
type CertificateRef struct {
	// What the certificate is for.
	// +kubebuilder:validation:Enum=ca;sa;proxy;etcd;apiserver-etcd-client;etcd-peer;etcd-server
	Type string `json:"type"`
	// Name of the Secret.
	Name string `json:"name,omitempty"`
}

// Manifest is a volume of manifests that k0s applies in the hosted cluster. Of the many kinds of volume only the one
// that the operator uses is here.
type Manifest struct {
	// Folder name below the manifest folder of k0s.
	Name string `json:"name"`
	// Manifests in a ConfigMap.
	ConfigMap *ConfigMapVolume `json:"configMap,omitempty"`
}

// ConfigMapVolume is a ConfigMap used as a volume.
// +structType=atomic
type ConfigMapVolume struct {
	// Name of the ConfigMap.
	// +optional
	// +kubebuilder:default=""
	Name string `json:"name,omitempty"`
}

// Monitoring runs a Prometheus next to the control plane.
type Monitoring struct {
	// Whether it runs.
	Enabled bool `json:"enabled"`
	// Image of Prometheus.
	// +required
	// +kubebuilder:default="quay.io/k0sproject/prometheus:v2.44.0"
	PrometheusImage string `json:"prometheusImage,omitempty"`
	// Image of the proxy in front of it.
	// +required
	// +kubebuilder:default="nginx:1.19.10"
	ProxyImage string `json:"proxyImage,omitempty"`
}
