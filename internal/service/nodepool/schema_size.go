package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// sizeAttributes say what the pool consists of, and how much of it is used.
func sizeAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"hosts": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Host]](),
			MarkdownDescription: "The hosts, by a name of yours for each: lower case letters, digits, hyphens and dots. Either this or `machine_template`. Hosts are added and removed one by one: one that is removed, or set to drain, is drained, reset and released before its entry goes, in one apply and with the others untouched. A host that another pool still holds, in any namespace, is waited for.",
			NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Host](), Attributes: map[string]schema.Attribute{
				"address": schema.StringAttribute{Required: true, Validators: []validator.String{tf.HostOrIP()}, MarkdownDescription: "Address for SSH, as the management cluster reaches it. A change replaces the host by the one at the new address."},
				"port":    schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()}, MarkdownDescription: "TCP port for SSH. Default: the site's. A change replaces the host."},
				"user":    schema.StringAttribute{Optional: true, Validators: []validator.String{hostUser()}, MarkdownDescription: "User for SSH. Default: the site's." + inPlace},
				"labels": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.Map{tf.Labels()},
					MarkdownDescription: "Labels of this host's node, without a prefix: `rack` becomes the node label `node.cluster.x-k8s.io/rack`. Default: none. A change reaches a running node in place."},
				"state": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
					tf.Choice{Value: stateActive, Meaning: "it may be used"}, tf.Choice{Value: stateDrain, Meaning: "it is drained and released, as if it were removed"})},
					MarkdownDescription: "`active` (default): it may be used; `drain`: it is drained, reset and released as if it were removed, and comes back with `active`."},
				"object_name": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Name of the PooledRemoteMachine, for fleets that were made by hand. Default: `<name>-<key>`. A change replaces the host."},
			}}},
		"machine_template": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[MachineTemplate](),
			MarkdownDescription: "Machines of another infrastructure provider of Cluster API, made from this template, instead of `hosts`. The template is in the pool's namespace and not made here." + rollsOut,
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{Required: true, MarkdownDescription: "API group and version of the template, such as `infrastructure.cluster.x-k8s.io/v1beta2`. The version is the provider's own matter and only documents."},
				"kind":        schema.StringAttribute{Required: true, MarkdownDescription: "Kind of the template."},
				"name":        schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Name of the template."},
			}},
		"replicas": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)},
			MarkdownDescription: "Number of nodes; never more than active hosts. Default: the number of active hosts. Required with `machine_template`, unless `autoscaling` is given. Changed in place: hosts are released or taken, the others are untouched."},
		"autoscaling": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Autoscaling](),
			MarkdownDescription: "Leaves the number of nodes to somebody else, within bounds. Instead of `replicas`. What it sets is no drift. Changed in place; with `autoscaling` removed, the pool goes from its size then to `replicas`.",
			Attributes: map[string]schema.Attribute{
				"min": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: "Fewest nodes."},
				"max": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.AtLeast(1)}, MarkdownDescription: "Most nodes; never more than active hosts, since a Machine without a host can never be deleted again."},
				"by": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
					tf.Choice{Value: byClusterAutoscaler, Meaning: "the cluster autoscaler"}, tf.Choice{Value: byEnergy, Meaning: "k0smos_energy_policy"})},
					MarkdownDescription: "`cluster_autoscaler` (default): the cluster autoscaler with its Cluster API provider; `energy`: a `k0smos_energy_policy`."},
				"cpu":    schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.PositiveQuantity()}, MarkdownDescription: "Cores of one host, a Kubernetes quantity. The cluster autoscaler needs it, with `memory`, to grow a pool that has no node. Default: not said."},
				"memory": schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.PositiveQuantity()}, MarkdownDescription: "Memory of one host in bytes, a Kubernetes quantity. Default: not said."},
			}},
	}
}

// outputAttributes follow from the configuration.
func outputAttributes() map[string]schema.Attribute {
	text := func(description string) schema.Attribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"templates": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[Templates](), MarkdownDescription: "Templates that new hosts are made from. Other names in the plan mean that hosts are replaced.",
			Attributes: map[string]schema.Attribute{
				"fingerprint":    text("Hash of the attributes whose change replaces hosts."),
				"bootstrap":      text("Name of the K0sWorkerConfigTemplate."),
				"infrastructure": text("Name of the RemoteMachineTemplate, or of `machine_template`."),
				"version":        text("Version as the MachineDeployment spells it. An imported pool keeps its spelling (empty: none) for as long as its hosts stay the same, because Cluster API would replace them for another one."),
			}},
		"gpu_capacity": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.Int64](), ElementType: types.Int64Type,
			MarkdownDescription: "Devices of the whole pool by resource name, such as `nvidia.com/gpu` or `nvidia.com/mig-1g.10gb`, at its full size: `replicas`, or `autoscaling.max`. Shares of time slicing and MPS count as devices. Empty without `gpu`; null where nobody can tell, with a card that is not known here or a `partitioning.config` of your own."},
		"node_selector": schema.MapAttribute{Computed: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
			MarkdownDescription: "Node labels by which pods select the nodes of this pool."},
		"scaling": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[Scaling](), MarkdownDescription: "Address of what holds the size of the pool, for `k0smos_energy_policy` and others that scale it.",
			Attributes: map[string]schema.Attribute{
				"namespace": text("Namespace of the MachineDeployment."),
				"name":      text("Name of the MachineDeployment."),
				"uid":       text("UID of the MachineDeployment. Known after it was made."),
				"min":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Fewest nodes: `autoscaling.min`, or the fixed size."},
				"max":       schema.Int64Attribute{Computed: true, MarkdownDescription: "Most nodes: `autoscaling.max`, or the fixed size."},
				"by":        text("Who scales: `cluster_autoscaler` or `energy`. Null where the size is fixed."),
			}},
	}
}
