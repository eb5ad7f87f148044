package infrastructure

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
)

// RemoteMachineKind addresses RemoteMachines.
var RemoteMachineKind = api.Kind{Group: "infrastructure.cluster.x-k8s.io", Version: "v1beta2", Kind: "RemoteMachine", Resource: "remotemachines", Namespaced: true}

// RemoteMachineFinalizer stays on a RemoteMachine until its host is free again. It stays for ever on one that never
// got a host.
const RemoteMachineFinalizer = "remotemachine.k0smotron.io/finalizer"

// Conditions of a RemoteMachine.
const (
	ConditionReady                  = "Ready"
	ConditionBootstrapExecSucceeded = "BootstrapExecSucceeded"
)

// RemoteMachine is the infrastructure of a Machine: a host that it has taken from a pool.
// +kubebuilder:resource:path=remotemachines,scope=Namespaced
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:metadata:labels={"cluster.x-k8s.io/provider=infrastructure-k0smotron","cluster.x-k8s.io/v1beta2=v1beta2"}
type RemoteMachine struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The host. All but the pool and the job is filled in by the operator from the host that is taken.
	// +optional
	Spec RemoteMachineSpec `json:"spec,omitzero"`
	// What the operator has seen.
	// +optional
	Status RemoteMachineStatus `json:"status,omitzero"`
}

// RemoteMachineSpec is a host and where it comes from.
type RemoteMachineSpec struct {
	// Pool to take a host from.
	Pool string `json:"pool,omitempty"`
	// Identity that Machine and Node share: remote-machine://<address>:<port>.
	ProviderID string `json:"providerID,omitempty"`
	// Address of the host. Empty until a host was free.
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
	SSHKeyRef *SecretRef `json:"sshKeyRef,omitempty"`
	// A Job in place of the operator's own SSH.
	ProvisionJob *ProvisionJob `json:"provisionJob,omitempty"`
}

// ProvisionJob reaches hosts by a Job of the user's, as for bastions or certificates.
type ProvisionJob struct {
	// Program of the Job's image that runs commands on the host.
	// +kubebuilder:default=ssh
	SSHCommand string `json:"sshCommand,omitempty"`
	// Program of the Job's image that copies files to the host.
	// +kubebuilder:default=scp
	SCPCommand string `json:"scpCommand,omitempty"`
	// A JobTemplateSpec of Kubernetes. Here it is free; the original definition spells all of it out.
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Type=object
	// +kubebuilder:validation:Schemaless
	JobSpecTemplate map[string]any `json:"jobSpecTemplate,omitempty"`
}

// RemoteMachineStatus is what the operator has seen of a host. The last error is a deprecated field, and the only place
// that has it.
type RemoteMachineStatus struct {
	// See the Condition constants.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// Steps that are done once.
	// +optional
	Initialization MachineInitialization `json:"initialization,omitzero"`
	// Addresses of the host.
	Addresses []clusterapi.MachineAddress `json:"addresses,omitempty"`
	// What is left of the older version of this status.
	// +optional
	Deprecated RemoteMachineDeprecated `json:"deprecated,omitzero"`
}

// MachineInitialization says whether a host is a worker, as Cluster API asks of every provider.
type MachineInitialization struct {
	// True when the bootstrap has run.
	Provisioned bool `json:"provisioned,omitempty"`
}

// RemoteMachineDeprecated is what is left of the older version of the status.
type RemoteMachineDeprecated struct {
	// Fields of v1beta1.
	// +optional
	V1Beta1 RemoteMachineFailure `json:"v1beta1,omitzero"`
}

// RemoteMachineFailure is the last error.
type RemoteMachineFailure struct {
	// In a word.
	FailureReason string `json:"failureReason,omitempty"`
	// In words.
	FailureMessage string `json:"failureMessage,omitempty"`
}
