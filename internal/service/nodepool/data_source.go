package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Source is the k0smos_node_pool data source: what on-call asks first, which host is which Machine and node, and what is wrong.
var Source = composite.Source[SourceModel]{
	Name:    "node_pool",
	Schema:  sourceSchema,
	Refs:    sourceRefs,
	Queries: sourceQueries,
	Read:    readSource,
	Dialects: []composite.Dialect{
		{Group: clusterapi.MachineDeploymentKind.Group, Version: clusterapi.MachineDeploymentKind.Version, Operator: "Cluster API 1.11 or later"},
		{Group: infrastructure.PooledRemoteMachineKind.Group, Version: infrastructure.PooledRemoteMachineKind.Version, Operator: "k0smotron 2.x"},
	},
}

// SourceModel is a pool as it is now.
type SourceModel struct {
	Name              types.String                     `tfsdk:"name"`
	Namespace         types.String                     `tfsdk:"namespace"`
	UID               types.String                     `tfsdk:"uid"`
	ClusterName       types.String                     `tfsdk:"cluster_name"`
	Version           types.String                     `tfsdk:"version"`
	Replicas          types.Int64                      `tfsdk:"replicas"`
	ReadyReplicas     types.Int64                      `tfsdk:"ready_replicas"`
	AvailableReplicas types.Int64                      `tfsdk:"available_replicas"`
	UpToDateReplicas  types.Int64                      `tfsdk:"up_to_date_replicas"`
	Phase             types.String                     `tfsdk:"phase"`
	Paused            types.Bool                       `tfsdk:"paused"`
	Hosts             tf.Map[tf.Object[SourceHost]]    `tfsdk:"hosts"`
	OtherMachines     tf.Map[tf.Object[SourceMachine]] `tfsdk:"other_machines"`
}

// SourceHost is a host and what has become of it.
type SourceHost struct {
	ObjectName types.String `tfsdk:"object_name"`
	Address    types.String `tfsdk:"address"`
	Port       types.Int64  `tfsdk:"port"`
	Reserved   types.Bool   `tfsdk:"reserved"`
	Machine    types.String `tfsdk:"machine"`
	Node       types.String `tfsdk:"node"`
	Phase      types.String `tfsdk:"phase"`
	Ready      types.Bool   `tfsdk:"ready"`
	Version    types.String `tfsdk:"version"`
	LastError  types.String `tfsdk:"last_error"`
}

// SourceMachine is a Machine that none of the hosts stands behind.
type SourceMachine struct {
	Node      types.String `tfsdk:"node"`
	Phase     types.String `tfsdk:"phase"`
	Ready     types.Bool   `tfsdk:"ready"`
	Version   types.String `tfsdk:"version"`
	LastError types.String `tfsdk:"last_error"`
}

func sourceSchema() schema.Schema {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	number := func(text string) schema.Int64Attribute {
		return schema.Int64Attribute{Computed: true, MarkdownDescription: text}
	}
	machine := map[string]schema.Attribute{
		"node":       text("Name of the node in the hosted cluster. Null until it has joined."),
		"phase":      text("What Cluster API says of the Machine: `Pending`, `Provisioning`, `Provisioned`, `Running`, `Updating`, `Deleting`, `Failed` (which may heal) or `Unknown`. Null without a Machine."),
		"ready":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the Machine and its node are ready and not on their way out."},
		"version":    text("Version of the kubelet that runs there, such as `v1.35.7+k0s`. Null until the node has joined."),
		"last_error": text("What is wrong or being waited for, in the words of k0smotron or Cluster API. Null while the Machine is ready, and for a free host."),
	}
	host := map[string]schema.Attribute{
		"object_name": text("Name of the PooledRemoteMachine that stands for the host."),
		"address":     text("Address by which the host is reached."),
		"port":        number("TCP port of its SSH server."),
		"reserved":    schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether a Machine has taken the host. A host that is not reserved is free."},
		"machine":     text("Name of the Machine that has taken the host. Null for a free host."),
	}
	for name, a := range machine {
		host[name] = a
	}
	return schema.Schema{
		MarkdownDescription: "A node pool as it is now: which host is which Machine and node, and what is wrong with it. The pool may be made by this provider, by kubectl or by another tool; everything is read in the management cluster.\n\n" +
			"Which host a Machine gets is up to k0smotron, and changes in every rollout: look it up here, and do not write it down. " +
			"For a pool that is made or changed in the same run, set `depends_on = [k0smos_node_pool.<name>]`, so that it is read afterwards.",
		Attributes: map[string]schema.Attribute{
			"name":                schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Name of the pool, which is that of its MachineDeployment."},
			"namespace":           schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Namespace of the pool."},
			"uid":                 schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "UID of the MachineDeployment. When it is set, a pool of the same name with another UID, which was made anew, is an error."},
			"cluster_name":        text("Name of the Cluster API Cluster that the nodes belong to."),
			"version":             text("Version of k0s that the pool is to run. What a host runs is in `hosts`."),
			"replicas":            number("Machines that the pool is to have."),
			"ready_replicas":      number("Machines that are ready."),
			"available_replicas":  number("Machines that count as available."),
			"up_to_date_replicas": number("Machines made from the newest template. Fewer than `replicas`: a rollout is under way, or waits (`on_delete`, `paused`)."),
			"phase":               text("What Cluster API says of the pool: `ScalingUp`, `ScalingDown`, `Running`, `Failed` or `Unknown`. Null before it has looked."),
			"paused":              schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether rollouts and scaling are paused."},
			"hosts": schema.MapNestedAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Object[SourceHost]](),
				MarkdownDescription: "The hosts by the key that they have in `k0smos_node_pool.hosts`; one that was listed by another tool by the name of its object, without that of the pool in front. Empty with `machine_template`.",
				NestedObject:        schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[SourceHost](), Attributes: host}},
			"other_machines": schema.MapNestedAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Object[SourceMachine]](),
				MarkdownDescription: "Machines of the pool by name that have none of `hosts`: those that wait for a free one, those whose host is not listed any more, and with `machine_template` all.",
				NestedObject:        schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[SourceMachine](), Attributes: machine}},
		},
	}
}

func sourceRefs(m SourceModel, found composite.Live) []composite.Ref {
	namespace := m.Namespace.ValueString()
	refs := []composite.Ref{{Kind: clusterapi.MachineDeploymentKind, Namespace: namespace, Name: m.Name.ValueString()}}
	deployment, _ := composite.As[clusterapi.MachineDeployment](found, clusterapi.MachineDeploymentKind, "")
	if r := deployment.Spec.Template.Spec.InfrastructureRef; r.Kind == infrastructure.RemoteMachineTemplateKind.Kind && r.APIGroup == infrastructure.RemoteMachineTemplateKind.Group {
		refs = append(refs, composite.Ref{Kind: infrastructure.RemoteMachineTemplateKind, Namespace: namespace, Name: r.Name})
	}
	return refs
}

// sourceQueries selects what belongs to a pool that exists. Hosts carry no label of Cluster API, so all of the namespace are
// looked at.
func sourceQueries(m SourceModel, found composite.Live) []composite.Query {
	if _, ok := found.Find(clusterapi.MachineDeploymentKind.Kind, ""); !ok {
		return nil
	}
	namespace, ours := m.Namespace.ValueString(), clusterapi.DeploymentNameLabel+"="+m.Name.ValueString()
	out := []composite.Query{{Kind: clusterapi.MachineKind, Namespace: namespace, Selector: ours}}
	if _, ok := found.Find(infrastructure.RemoteMachineTemplateKind.Kind, ""); ok {
		out = append(out,
			composite.Query{Kind: infrastructure.PooledRemoteMachineKind, Namespace: namespace},
			composite.Query{Kind: infrastructure.RemoteMachineKind, Namespace: namespace, Selector: ours})
	}
	return out
}
