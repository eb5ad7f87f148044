package clusterapi

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// MachineStatus is what Cluster API has seen of a Machine.
// +kubebuilder:validation:MinProperties=1
type MachineStatus struct {
	// See the Condition constants.
	// +listType=map
	// +listMapKey=type
	// +kubebuilder:validation:MaxItems=32
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once and never undone.
	// +optional
	Initialization MachineInitialization `json:"initialization,omitempty,omitzero"`
	// The Node that came of it.
	// +optional
	NodeRef NodeReference `json:"nodeRef,omitempty,omitzero"`
	// What the Node says of itself.
	NodeInfo *NodeInfo `json:"nodeInfo,omitempty"`
	// Addresses of the host.
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	Addresses []MachineAddress `json:"addresses,omitempty"`
	// Roughly where the Machine is in its life. Failed is not the end: it may heal.
	// +kubebuilder:validation:Enum=Pending;Provisioning;Provisioned;Running;Updating;Deleting;Deleted;Failed;Unknown
	Phase string `json:"phase,omitempty"`
	// Generation of the spec that the rest of the status is about.
	// +kubebuilder:validation:Minimum=1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// MachineInitialization says which first steps a Machine has behind it.
// +kubebuilder:validation:MinProperties=1
type MachineInitialization struct {
	// The host was bootstrapped.
	InfrastructureProvisioned *bool `json:"infrastructureProvisioned,omitempty"`
	// The commands for it exist.
	BootstrapDataSecretCreated *bool `json:"bootstrapDataSecretCreated,omitempty"`
}

// NodeReference names a Node of the hosted cluster.
type NodeReference struct {
	// Name of the Node.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`
	Name string `json:"name,omitempty"`
}

// NodeInfo is what a Node says of itself.
type NodeInfo struct {
	// Identity of the host, as the operating system has it.
	MachineID string `json:"machineID"`
	// Identity of the host, as its hardware has it.
	SystemUUID string `json:"systemUUID"`
	// Identity of the last boot.
	BootID string `json:"bootID"`
	// Version of the kernel.
	KernelVersion string `json:"kernelVersion"`
	// Name of the operating system.
	OSImage string `json:"osImage"`
	// Version of the container runtime.
	ContainerRuntimeVersion string `json:"containerRuntimeVersion"`
	// Version of the kubelet.
	KubeletVersion string `json:"kubeletVersion"`
	// Version of kube-proxy.
	KubeProxyVersion string `json:"kubeProxyVersion"`
	// Kind of operating system.
	OperatingSystem string `json:"operatingSystem"`
	// Kind of processor.
	Architecture string `json:"architecture"`
}

// MachineAddress is an address of a host.
type MachineAddress struct {
	// What it is.
	// +required
	// +kubebuilder:validation:Enum=Hostname;ExternalIP;InternalIP;ExternalDNS;InternalDNS
	Type string `json:"type,omitempty"`
	// The address.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	Address string `json:"address,omitempty"`
}
