package infrastructure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// PooledRemoteMachineKind addresses PooledRemoteMachines.
var PooledRemoteMachineKind = api.Kind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "PooledRemoteMachine", Resource: "pooledremotemachines", Namespaced: true}

// PooledRemoteMachine is a host of a pool: any RemoteMachine of that pool may take it, as long as it is free.
// Its labels and annotations are copied to the RemoteMachine and the Machine.
// +kubebuilder:resource:path=pooledremotemachines,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=infrastructure-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
// +kubebuilder:printcolumn:name="Address",type=string,JSONPath=`.spec.machine.address`
// +kubebuilder:printcolumn:name="Reserved",type=string,JSONPath=`.status.reserved`
// +kubebuilder:printcolumn:name="Remote Machine",type=string,JSONPath=`.status.machineRef.name`
type PooledRemoteMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The host.
	// +optional
	Spec PooledRemoteMachineSpec `json:"spec,omitzero"`
	// Who has taken the host. Absent until the first time.
	// +optional
	Status PooledRemoteMachineStatus `json:"status,omitzero"`
}

// PooledRemoteMachineSpec puts a host into a pool.
type PooledRemoteMachineSpec struct {
	// Name of the pool. RemoteMachines of another namespace never see it.
	// +required
	Pool string `json:"pool,omitempty"`
	// The host. Read again by the RemoteMachine that has taken it, whenever that is looked at.
	// +required
	Machine PooledMachine `json:"machine,omitzero"`
}

// PooledMachine says how to reach a host by SSH.
type PooledMachine struct {
	// Address or host name.
	// +required
	Address string `json:"address,omitempty"`
	// TCP port of SSH.
	// +kubebuilder:default=22
	Port int `json:"port,omitempty"`
	// User to log in as.
	// +kubebuilder:default=root
	User string `json:"user,omitempty"`
	// Whether commands are run by sudo.
	UseSudo *bool `json:"useSudo,omitempty"`
	// Whether the commands are run as one script instead of one by one.
	// +kubebuilder:default=false
	CommandsAsScript *bool `json:"commandsAsScript,omitempty"`
	// Folder on the host for the files of the bootstrap.
	// +kubebuilder:default="/etc/k0smotron"
	WorkingDir string `json:"workingDir,omitempty"`
	// Commands that free the host, in place of the operator's own.
	CleanUpCommands []string `json:"cleanUpCommands,omitempty"`
	// The private key.
	// +required
	SSHKeyRef *SecretRef `json:"sshKeyRef,omitempty"`
}

// SecretRef names a Secret of the same namespace that has a private key under "value".
type SecretRef struct {
	// Name of the Secret.
	// +required
	Name string `json:"name,omitempty"`
}

// PooledRemoteMachineStatus says who has taken a host.
type PooledRemoteMachineStatus struct {
	// Whether a RemoteMachine has it. Its entry must not be deleted then.
	Reserved bool `json:"reserved"`
	// The RemoteMachine that has it; empty where none.
	MachineRef RemoteMachineRef `json:"machineRef"`
}

// RemoteMachineRef names a RemoteMachine.
type RemoteMachineRef struct {
	// Name of the RemoteMachine.
	Name string `json:"name"`
	// Namespace of the RemoteMachine.
	Namespace string `json:"namespace"`
}
