package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Model is what the user writes, and what follows from it.
type Model struct {
	composite.NamespacedMeta
	Name            types.String                    `tfsdk:"name"`
	Cluster         tf.Object[composite.ClusterRef] `tfsdk:"cluster"`
	Site            tf.Object[Site]                 `tfsdk:"site"`
	Version         tf.Version                      `tfsdk:"version"`
	Hosts           tf.Map[tf.Object[Host]]         `tfsdk:"hosts"`
	MachineTemplate tf.Object[MachineTemplate]      `tfsdk:"machine_template"`
	Replicas        types.Int64                     `tfsdk:"replicas"`
	Autoscaling     tf.Object[Autoscaling]          `tfsdk:"autoscaling"`
	GPU             tf.Object[GPU]                  `tfsdk:"gpu"`
	Taints          tf.Map[tf.Object[Taint]]        `tfsdk:"taints"`
	SchedulerPool   types.String                    `tfsdk:"scheduler_pool"`
	NodeIPCIDR      tf.IPPrefix                     `tfsdk:"node_ip_cidr"`
	PreCommands     tf.List[types.String]           `tfsdk:"pre_k0s_commands"`
	PostCommands    tf.List[types.String]           `tfsdk:"post_k0s_commands"`
	Files           tf.Map[tf.Object[File]]         `tfsdk:"files"`
	WorkerArgs      tf.List[types.String]           `tfsdk:"worker_args"`
	K0s             tf.Object[K0s]                  `tfsdk:"k0s"`
	ProvisionJob    tf.Object[ProvisionJob]         `tfsdk:"provision_job"`
	Rollout         tf.Object[Rollout]              `tfsdk:"rollout"`
	Drain           tf.Object[Drain]                `tfsdk:"drain"`
	HealthCheck     tf.Object[HealthCheck]          `tfsdk:"health_check"`
	Reprovision     tf.Map[types.String]            `tfsdk:"reprovision"`
	ForceRelease    types.Bool                      `tfsdk:"force_release"`

	Templates    tf.Object[Templates] `tfsdk:"templates"`
	GPUCapacity  tf.Map[types.Int64]  `tfsdk:"gpu_capacity"`
	NodeSelector tf.Map[types.String] `tfsdk:"node_selector"`
	Scaling      tf.Object[Scaling]   `tfsdk:"scaling"`

	found found // of an import, on its way to derive and compose
}

// found is what an import read that is no attribute yet, or never can be.
type found struct {
	labels  map[string]string // of the nodes: the engine reads the attribute from marks that a fleet of others does not have
	refused error             // why these objects are no pool of this resource
}

// Site is the reference that a site exports. It has the attributes of the output ref of k0smos_site.
type Site struct {
	Name      types.String   `tfsdk:"name"`
	Namespace types.String   `tfsdk:"namespace"`
	Region    types.String   `tfsdk:"region"`
	Zone      types.String   `tfsdk:"zone"`
	SSH       tf.Object[SSH] `tfsdk:"ssh"`
}

// SSH says how the hosts of a site are reached.
type SSH struct {
	User    types.String `tfsdk:"user"`
	Port    types.Int64  `tfsdk:"port"`
	UseSudo types.Bool   `tfsdk:"use_sudo"`
	Secret  types.String `tfsdk:"secret"`
}

// Host is one machine that exists already.
type Host struct {
	Address    types.String         `tfsdk:"address"`
	Port       types.Int64          `tfsdk:"port"`
	User       types.String         `tfsdk:"user"`
	Labels     tf.Map[types.String] `tfsdk:"labels"`
	State      types.String         `tfsdk:"state"`
	ObjectName types.String         `tfsdk:"object_name"`
}

// MachineTemplate names a template of another infrastructure provider of Cluster API.
type MachineTemplate struct {
	APIVersion types.String `tfsdk:"api_version"`
	Kind       types.String `tfsdk:"kind"`
	Name       types.String `tfsdk:"name"`
}

// Autoscaling leaves the size to somebody else, within bounds.
type Autoscaling struct {
	Min    types.Int64  `tfsdk:"min"`
	Max    types.Int64  `tfsdk:"max"`
	By     types.String `tfsdk:"by"`
	CPU    tf.Quantity  `tfsdk:"cpu"`    // cores of one host
	Memory tf.Quantity  `tfsdk:"memory"` // bytes of one host
}

// Taint keeps pods off that do not tolerate it.
type Taint struct {
	Value  types.String `tfsdk:"value"`
	Effect types.String `tfsdk:"effect"`
}

// File is put on each host before k0s is installed.
type File struct {
	Content     types.String         `tfsdk:"content"`
	Secret      tf.Object[SecretKey] `tfsdk:"secret"`
	Permissions types.String         `tfsdk:"permissions"`
}

// SecretKey is a key of a Secret in the pool's namespace.
type SecretKey struct {
	Name types.String `tfsdk:"name"`
	Key  types.String `tfsdk:"key"`
}

// K0s says where the k0s binary comes from.
type K0s struct {
	DownloadURL  types.String `tfsdk:"download_url"`
	PreInstalled types.Bool   `tfsdk:"pre_installed"`
}

// ProvisionJob reaches hosts by a Job instead of plain SSH.
type ProvisionJob struct {
	SSHCommand  types.String `tfsdk:"ssh_command"`
	SCPCommand  types.String `tfsdk:"scp_command"`
	JobTemplate tf.JSON      `tfsdk:"job_template"`
}

// Rollout says how changed hosts are replaced.
type Rollout struct {
	Strategy       types.String `tfsdk:"strategy"`
	MaxUnavailable types.Int64  `tfsdk:"max_unavailable"`
	MaxSurge       types.Int64  `tfsdk:"max_surge"`
	Paused         types.Bool   `tfsdk:"paused"`
}

// Drain limits how long a host is waited for when it leaves.
type Drain struct {
	Timeout             tf.Duration `tfsdk:"timeout"`
	VolumeDetachTimeout tf.Duration `tfsdk:"volume_detach_timeout"`
	NodeDeletionTimeout tf.Duration `tfsdk:"node_deletion_timeout"`
}

// HealthCheck replaces hosts whose node stays unhealthy.
type HealthCheck struct {
	Timeout            tf.Duration  `tfsdk:"timeout"`
	NodeStartupTimeout tf.Duration  `tfsdk:"node_startup_timeout"`
	MaxUnhealthy       types.String `tfsdk:"max_unhealthy"`
}

// Templates names what new hosts are made from. The fingerprint is that of the user's fields that change a host.
type Templates struct {
	Fingerprint    types.String `tfsdk:"fingerprint"`
	Bootstrap      types.String `tfsdk:"bootstrap"`
	Infrastructure types.String `tfsdk:"infrastructure"`
	Version        types.String `tfsdk:"version"` // as Machines have it: one release has several spellings, and each is another Machine
}

// Scaling addresses the size of the pool, for who scales it.
type Scaling struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	UID       types.String `tfsdk:"uid"`
	Min       types.Int64  `tfsdk:"min"`
	Max       types.Int64  `tfsdk:"max"`
	By        types.String `tfsdk:"by"`
}
