package controlplane

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Source is the k0smos_cluster data source: a hosted cluster that may be anybody's.
var Source = composite.Source[ClusterModel]{
	Name:     "cluster",
	Schema:   sourceSchema,
	Refs:     sourceRefs,
	Read:     readSource,
	Dialects: []composite.Dialect{{Group: clusterapi.ClusterKind.Group, Version: clusterapi.ClusterKind.Version, Operator: "Cluster API 1.11 or later"}},
}

// ClusterModel is a hosted cluster as it is now.
type ClusterModel struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	UID       types.String `tfsdk:"uid"`

	Cluster       tf.Object[composite.ClusterRef]     `tfsdk:"cluster"`
	Version       types.String                        `tfsdk:"version"`
	Endpoint      types.String                        `tfsdk:"endpoint"`
	Replicas      types.Int64                         `tfsdk:"replicas"`
	ReadyReplicas types.Int64                         `tfsdk:"ready_replicas"`
	Ready         types.Bool                          `tfsdk:"ready"`
	NotReady      types.String                        `tfsdk:"not_ready_because"`
	Conditions    tf.Map[tf.Object[ClusterCondition]] `tfsdk:"conditions"`
}

// ClusterCondition is one condition of the Cluster.
type ClusterCondition struct {
	Status  types.String `tfsdk:"status"`
	Reason  types.String `tfsdk:"reason"`
	Message types.String `tfsdk:"message"`
}

func sourceSchema() schema.Schema {
	text := func(text string) schema.StringAttribute {
		return schema.StringAttribute{Computed: true, MarkdownDescription: text}
	}
	return schema.Schema{
		MarkdownDescription: "A hosted cluster as it is now: version, endpoint, members and conditions, from Cluster API and k0smotron. It may be made by this provider, by k0rdent or by hand.\n\n" +
			"A cluster that does not exist is an error. For one that is made in the same run, set `uid = k0smos_hosted_control_plane.<name>.cluster.uid` or `depends_on`, so that it is read after it was made; " +
			"most of the time the attributes of the resource are enough.",
		Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Name of the Cluster API Cluster."},
			"namespace": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: tf.Text.ClusterNamespace},
			"uid":       schema.StringAttribute{Optional: true, Computed: true, MarkdownDescription: "UID of the Cluster API Cluster. When it is set, a cluster of the same name with another UID, which was made anew, is an error."},
			"cluster": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](),
				MarkdownDescription: "Reference to the hosted cluster, for the `cluster` attribute of resources.",
				Attributes:          map[string]schema.Attribute{"name": text(tf.Text.ClusterName), "namespace": text(tf.Text.ClusterNamespace), "uid": text(tf.Text.ClusterUID)}},
			"version":           text("Version of k0s that all members run, such as `v1.35.7+k0s.0`. Null before the first member runs, and where another provider than k0smotron runs the control plane."),
			"endpoint":          text("URL of the API server, as nodes reach it. Null while it is not known."),
			"replicas":          schema.Int64Attribute{Computed: true, MarkdownDescription: "Members that the control plane is to have. Null where its provider does not say."},
			"ready_replicas":    schema.Int64Attribute{Computed: true, MarkdownDescription: "Members that are ready now."},
			"ready":             schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the control plane can be used and is up to date: its API server has answered, it is available, and all members run the version that is asked for. With it go `check` blocks and postconditions."},
			"not_ready_because": text("What is missing when `ready` is false, else null."),
			"conditions": schema.MapNestedAttribute{Computed: true, CustomType: tf.MapTypeOf[tf.Object[ClusterCondition]](),
				MarkdownDescription: "Conditions of the Cluster by type, such as `Available` or `ControlPlaneAvailable`.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[ClusterCondition](), Attributes: map[string]schema.Attribute{
					"status":  text("`True`, `False` or `Unknown`."),
					"reason":  text("The reason in one word."),
					"message": text("The reason in words; may be empty."),
				}}},
		},
	}
}

// sourceRefs names the Cluster, and the control plane that it refers to if that is k0smotron's.
func sourceRefs(m ClusterModel, found composite.Live) []composite.Ref {
	namespace := m.Namespace.ValueString()
	refs := []composite.Ref{{Kind: clusterapi.ClusterKind, Namespace: namespace, Name: m.Name.ValueString()}}
	cluster, _ := composite.As[clusterapi.Cluster](found, clusterapi.ClusterKind, "")
	if r := cluster.Spec.ControlPlaneRef; r != nil && r.Kind == controlplane.K0smotronControlPlaneKind.Kind && r.APIGroup == controlplane.K0smotronControlPlaneKind.Group {
		refs = append(refs, composite.Ref{Kind: controlplane.K0smotronControlPlaneKind, Namespace: namespace, Name: r.Name})
	}
	return refs
}

func readSource(m *ClusterModel, seen composite.Seen) []composite.Finding {
	name, namespace := m.Name.ValueString(), m.Namespace.ValueString()
	cluster, ok := composite.As[clusterapi.Cluster](seen.Live, clusterapi.ClusterKind, "")
	if !ok {
		return []composite.Finding{{Path: path.Root("name"), Summary: "There is no hosted cluster " + namespace + "/" + name,
			Detail: fmt.Sprintf("The %s has no Cluster %s in namespace %s. Check both, and which management cluster the provider points at; list what there is with: kubectl get clusters.cluster.x-k8s.io -A\n\n"+
				"If the cluster is made in the same run, set uid = k0smos_hosted_control_plane.<name>.cluster.uid, so that it is read after it was made.", seen.Cluster, name, namespace)}}
	}
	if uid := m.UID.ValueString(); uid != "" && uid != string(cluster.UID) {
		return []composite.Finding{{Path: path.Root("uid"), Summary: "Hosted cluster " + namespace + "/" + name + " was made anew",
			Detail: fmt.Sprintf("Its UID in the %s is %s and not %s. Leave uid out to read whichever cluster has this name.", seen.Cluster, cluster.UID, uid)}}
	}
	m.UID = types.StringValue(string(cluster.UID))
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: m.Name, Namespace: m.Namespace, UID: m.UID})
	m.Endpoint = endpointOf(cluster)
	m.Version, m.Replicas, m.ReadyReplicas = types.StringNull(), types.Int64Null(), types.Int64Null()
	if counts := cluster.Status.ControlPlane; counts != nil {
		m.Replicas, m.ReadyReplicas = number(counts.DesiredReplicas), number(counts.ReadyReplicas)
	}
	if plane, ok := composite.As[controlplane.K0smotronControlPlane](seen.Live, controlplane.K0smotronControlPlaneKind, ""); ok {
		if v, err := tf.ParseVersion(plane.Status.Version); err == nil {
			m.Version = types.StringValue(v.String())
		}
		m.Replicas = types.Int64Value(defaultReplicas)
		if plane.Spec.Replicas != nil {
			m.Replicas = number(plane.Spec.Replicas)
		}
		m.ReadyReplicas = types.Int64Value(0)
		if plane.Status.ReadyReplicas != nil {
			m.ReadyReplicas = number(plane.Status.ReadyReplicas)
		}
	}
	state := sourceReady(seen.Live)
	m.Ready, m.NotReady = types.BoolValue(state.Ready), types.StringNull()
	if !state.Ready {
		m.NotReady = types.StringValue(state.Why)
	}
	conditions := map[string]tf.Object[ClusterCondition]{}
	for _, c := range cluster.Status.Conditions {
		conditions[c.Type] = tf.ObjectOf(ClusterCondition{types.StringValue(string(c.Status)), types.StringValue(c.Reason), types.StringValue(c.Message)})
	}
	m.Conditions = tf.MapOf(conditions)
	return nil
}

// sourceReady judges as the resource does. Of other control planes it knows what Cluster API says.
func sourceReady(live composite.Live) composite.ReadyState {
	cluster, _ := live.Find(clusterapi.ClusterKind.Kind, "")
	if state := clusterReady(cluster); !state.Ready {
		return state
	}
	if plane, ok := live.Find(controlplane.K0smotronControlPlaneKind.Kind, ""); ok {
		return planeReady(plane)
	}
	return composite.Condition(clusterapi.ConditionControlPlaneAvailable)(cluster)
}

func endpointOf(cluster clusterapi.Cluster) types.String {
	e := cluster.Spec.ControlPlaneEndpoint
	if e == nil || e.Host == "" {
		return types.StringNull()
	}
	return types.StringValue(fmt.Sprintf("https://%s:%d", bracketed(e.Host), e.Port))
}

func number(n *int32) types.Int64 {
	if n == nil {
		return types.Int64Null()
	}
	return types.Int64Value(int64(*n))
}
