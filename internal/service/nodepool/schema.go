package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Texts that stand at several attributes.
const (
	inPlace  = " Changed in place; disturbs nothing."
	rollsOut = " A change replaces the hosts of the pool one by one."
)

func resourceSchema() schema.Schema {
	attributes := map[string]schema.Attribute{
		"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(longestName)},
			MarkdownDescription: "Name of the pool: lower case letters, digits and hyphens, at most 50 characters, since names of Machines and nodes are made from it. A change replaces the pool, and with it every node."},
		"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSLabel(63)},
			MarkdownDescription: "Namespace of the objects. Cluster API wants it to be the cluster's, so it may only be written out as that. Default: `cluster.namespace`. A change replaces the pool."},
		"cluster": composite.ClusterAttribute(true),
		"site":    siteAttribute(),
		"version": schema.StringAttribute{Required: true, CustomType: tf.VersionType{},
			MarkdownDescription: "Version of k0s on the hosts, such as `v1.35.7+k0s.0`: write `k0smos_hosted_control_plane.x.version`, so that the control plane goes first. Never newer than the control plane and at most three minor versions older." + rollsOut},
		"labels": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, Validators: []validator.Map{tf.Labels()},
			MarkdownDescription: "Labels of the nodes, and of the objects of this resource; a map of label key to value (at most 63 characters). Keys below `kubernetes.io` and `k8s.io` that nodes may not set themselves are refused, unless Cluster API sets them (`node-role.kubernetes.io/...`, `node-restriction.kubernetes.io/...`). Default: none beside those of the provider. A change reaches running nodes in place; no host is replaced."},
		"taints": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Taint]](),
			MarkdownDescription: "Taints of the nodes, by key. Default: none. A change reaches running nodes in place; no host is replaced, but with effect `NoExecute` pods that do not tolerate the taint are evicted.",
			NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Taint](), Attributes: map[string]schema.Attribute{
				"value": schema.StringAttribute{Optional: true, MarkdownDescription: "Value, at most 63 characters like that of a label. Default: none."},
				"effect": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
					tf.Choice{Value: defaultEffect, Meaning: "no new pods"}, tf.Choice{Value: "PreferNoSchedule", Meaning: "new pods only where nothing else is free"}, tf.Choice{Value: "NoExecute", Meaning: "no pods at all"})},
					MarkdownDescription: "`NoSchedule` (default): no new pods; `PreferNoSchedule`: new pods only where nothing else is free; `NoExecute`: pods that run are evicted, too."},
			}}},
		"scheduler_pool": schema.StringAttribute{Optional: true,
			MarkdownDescription: "Value of the node label `kai.scheduler/node-pool`, which assigns the nodes to a shard of the KAI scheduler. Default: the label is not set. A change reaches running nodes in place."},
		"rollout":      rolloutAttribute(),
		"drain":        drainAttribute(),
		"health_check": healthAttribute(),
		"reprovision": schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType,
			MarkdownDescription: "Hosts to build anew in place, by key of `hosts`, each with any text: a host is drained, reset and joined again when its text changes, and in the apply that first names it. Hosts named in the same apply leave together, whatever `rollout` says. Default: none."},
		"force_release": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(false),
			MarkdownDescription: "Whether to free a RemoteMachine that is being deleted and never got a host. The operator cannot clean up what has no address: without help such an object blocks the pool and the whole cluster for ever. Only the finalizer of such an object is removed, never that of one with a host. Default `false`: the apply says which object blocks." + inPlace},
	}
	for name, a := range sizeAttributes() {
		attributes[name] = a
	}
	for name, a := range workerAttributes() {
		attributes[name] = a
	}
	for name, a := range outputAttributes() {
		attributes[name] = a
	}
	return schema.Schema{
		MarkdownDescription: "One class of hosts at one site in one hosted cluster. Hosts are machines that exist already and are reached by SSH from the management cluster; k0smotron 2.x and Cluster API 1.11 or later turn them into nodes.\n\n" +
			"It is made of a PooledRemoteMachine per host, a MachineDeployment, a RemoteMachineTemplate and a K0sWorkerConfigTemplate, and a MachineHealthCheck if asked for. The templates are named by a hash of what changes a host (version, GPU runtime and partitioning, files, commands, arguments): a change of these replaces the hosts one by one, drained first. Everything else is changed in place. The hash leaves out labels, annotations and what a new version of the provider writes differently.\n\n" +
			"Which of the free hosts a Machine gets is up to the operator, and it picks anew when hosts are replaced. Timeouts grow with the number of hosts and their drain time, unless `timeouts` says otherwise.",
		Attributes: attributes,
	}
}

func siteAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[Site](),
		MarkdownDescription: "Site of the hosts: write `k0smos_site.x.ref`. It must be in the cluster's namespace. Another site moves labels and credentials in place.",
		Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Name of the site; node label `k0smos.io/site`."},
			"namespace": schema.StringAttribute{Required: true, MarkdownDescription: "Namespace of the site."},
			"region":    schema.StringAttribute{Optional: true, MarkdownDescription: "Region; node label `topology.kubernetes.io/region`. Default: the label is not set."},
			"zone":      schema.StringAttribute{Optional: true, MarkdownDescription: "Zone; node label `topology.kubernetes.io/zone`. Default: the label is not set."},
			"ssh": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[SSH](), MarkdownDescription: "How hosts are reached. Required with `hosts`. A change reaches claimed hosts in place.",
				Attributes: map[string]schema.Attribute{
					"user":     schema.StringAttribute{Optional: true, MarkdownDescription: "User. Default `root`."},
					"port":     schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()}, MarkdownDescription: "TCP port. Default `22`."},
					"use_sudo": schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether commands run by sudo, which must not ask for a password. Default `false`."},
					"secret":   schema.StringAttribute{Optional: true, MarkdownDescription: "Secret in the same namespace whose key `value` is the private key, without a passphrase. Required with `hosts`."},
				}},
		}}
}

func rolloutAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Rollout](),
		MarkdownDescription: "How changed hosts are replaced. Left out: one by one, and never more than there are hosts." + inPlace,
		Attributes: map[string]schema.Attribute{
			"strategy": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
				tf.Choice{Value: strategyRolling, Meaning: "as fast as the limits allow"}, tf.Choice{Value: strategyOnDelete, Meaning: "only hosts whose Machine somebody deletes"})},
				MarkdownDescription: "`rolling` (default): as fast as the limits allow; `on_delete`: only hosts whose Machine somebody deletes (or that `reprovision` names) get the new template, for upgrades site by site. Apply then does not wait for the others."},
			"max_unavailable": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: "Hosts that may be out of service at a time. Default `1`. Only with `rolling`."},
			"max_surge":       schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: "Hosts that may be used beyond `replicas` during a rollout. Default `0`, because fixed hosts have no more: without spare hosts a surge waits for ever. Only with `rolling`."},
			"paused":          schema.BoolAttribute{Optional: true, MarkdownDescription: "Whether rollouts stand still; the size still changes. Apply then does not wait for changed hosts. Default `false`."},
		}}
}

func drainAttribute() schema.Attribute {
	duration := func(text string) schema.Attribute {
		return schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{wholeSeconds()}, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Drain](),
		MarkdownDescription: "How long a host is waited for when it leaves, in whole seconds. `0s` means for ever, which is never the default." + inPlace,
		Attributes: map[string]schema.Attribute{
			"timeout":               duration("For pods to be evicted; afterwards they are killed. Default `15m`."),
			"volume_detach_timeout": duration("For volumes to be detached. Default `5m`."),
			"node_deletion_timeout": duration("For the Node to be deleted in the hosted cluster. Default `1m`."),
		}}
}

func healthAttribute() schema.Attribute {
	duration := func(text string) schema.Attribute {
		return schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{tf.PositiveDuration(), wholeSeconds()}, MarkdownDescription: text}
	}
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[HealthCheck](),
		MarkdownDescription: "Rebuild hosts whose node stays unhealthy: they are reset and joined again, which helps against a broken node and not against broken hardware or a broken line. Left out: none, nodes are left to people." + inPlace,
		Attributes: map[string]schema.Attribute{
			"timeout":              duration("How long a node must have been not ready, or silent. Default `5m`; at sites with a shaky line take more."),
			"node_startup_timeout": duration("How long a host may take to become a node. Default `20m`."),
			"max_unhealthy":        schema.StringAttribute{Optional: true, Validators: []validator.String{countOrPercentage()}, MarkdownDescription: "Nothing is rebuilt while more hosts than this are unhealthy: a number or a percentage of the pool. Default `1`: if several are gone at once, it is the line and not the hosts."},
		}}
}
