// Package management reads what a management cluster is and which operators it has.
package management

import (
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Source is the k0smos_management data source.
var Source = composite.Source[Model]{
	Name:   "management",
	Schema: sourceSchema,
	Groups: func(Model) []string { return groups() },
	Server: true,
	Read:   read,
}

// Model is a management cluster as it is now.
type Model struct {
	UID               types.String `tfsdk:"uid"`
	KubernetesVersion types.String `tfsdk:"kubernetes_version"`

	ClusterAPI tf.Object[Operator] `tfsdk:"cluster_api"`
	K0smotron  tf.Object[Operator] `tfsdk:"k0smotron"`
	K0rdent    tf.Object[Operator] `tfsdk:"k0rdent"`
	Sveltos    tf.Object[Operator] `tfsdk:"sveltos"`
	KAI        tf.Object[Operator] `tfsdk:"kai"`
	Kueue      tf.Object[Operator] `tfsdk:"kueue"`
}

// Operator is what is served of one operator.
type Operator struct {
	Installed types.Bool            `tfsdk:"installed"`
	Supported types.Bool            `tfsdk:"supported"`
	Versions  tf.List[types.String] `tfsdk:"versions"`
}

// operator is how one operator is known by what the API server serves. Definitions can outlive the operator that brought
// them, so this says that its kinds can be written, not that its pods run.
type operator struct {
	groups []string // the first is its alone; others may share the rest
	needs  []string // group/version of everything that this provider writes
}

var (
	clusterAPI = operator{[]string{"cluster.x-k8s.io"}, []string{"cluster.x-k8s.io/v1beta2"}}
	k0smotron  = operator{[]string{"k0smotron.io", "controlplane.cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io", "bootstrap.cluster.x-k8s.io"},
		[]string{"controlplane.cluster.x-k8s.io/v1beta2", "infrastructure.cluster.x-k8s.io/v1beta2"}}
	k0rdent = operator{[]string{"k0rdent.mirantis.com"}, []string{"k0rdent.mirantis.com/v1beta1"}}
	sveltos = operator{[]string{"config.projectsveltos.io", "lib.projectsveltos.io"}, []string{"config.projectsveltos.io/v1beta1", "lib.projectsveltos.io/v1beta1"}}
	kai     = operator{[]string{"scheduling.run.ai", "kai.scheduler"}, []string{"scheduling.run.ai/v2", "kai.scheduler/v1"}}
	kueue   = operator{[]string{"kueue.x-k8s.io"}, []string{"kueue.x-k8s.io/v1beta2"}}
)

func groups() []string {
	var out []string
	for _, o := range []operator{clusterAPI, k0smotron, k0rdent, sveltos, kai, kueue} {
		out = append(out, o.groups...)
	}
	return out
}

func read(m *Model, seen composite.Seen) []composite.Finding {
	m.UID, m.KubernetesVersion = types.StringValue(seen.Server.UID), types.StringValue(seen.Server.Version)
	m.ClusterAPI, m.K0smotron, m.K0rdent = clusterAPI.in(seen.Served), k0smotron.in(seen.Served), k0rdent.in(seen.Served)
	m.Sveltos, m.KAI, m.Kueue = sveltos.in(seen.Served), kai.in(seen.Served), kueue.in(seen.Served)
	return nil
}

func (o operator) in(served map[string][]string) tf.Object[Operator] {
	if len(served[o.groups[0]]) == 0 {
		return tf.ObjectOf(Operator{Installed: types.BoolValue(false), Supported: types.BoolValue(false), Versions: tf.ListOf[types.String]()})
	}
	var versions []types.String
	there := map[string]bool{}
	for _, group := range o.groups {
		for _, version := range served[group] {
			versions = append(versions, types.StringValue(group+"/"+version))
			there[group+"/"+version] = true
		}
	}
	supported := true
	for _, need := range o.needs {
		supported = supported && there[need]
	}
	return tf.ObjectOf(Operator{Installed: types.BoolValue(true), Supported: types.BoolValue(supported), Versions: tf.ListOf(versions...)})
}

func sourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "The management cluster that the provider is configured for: which one it is, and which operators it has, by the API versions that it serves. " +
			"It tells before an apply whether hosted control planes can be made there (`cluster_api` and `k0smotron`); of the other operators it says only that they are there.\n\n" +
			"It goes by what the API server serves. An operator that was removed without its definitions still shows as installed.",
		Attributes: map[string]schema.Attribute{
			"uid":                schema.StringAttribute{Computed: true, MarkdownDescription: "UID of the namespace `kube-system`, which no other cluster has."},
			"kubernetes_version": schema.StringAttribute{Computed: true, MarkdownDescription: "Version of the API server, such as `v1.36.3`."},
			"cluster_api":        operatorAttribute("Cluster API (`cluster.x-k8s.io`); supported from 1.11 on."),
			"k0smotron":          operatorAttribute("k0smotron (`k0smotron.io` and its Cluster API providers); supported from 2.0 on. The last three groups of `versions` may be other providers' as well."),
			"k0rdent":            operatorAttribute("k0rdent (`k0rdent.mirantis.com`)."),
			"sveltos":            operatorAttribute("Sveltos (`config.projectsveltos.io`, `lib.projectsveltos.io`), with which k0rdent installs services."),
			"kai":                operatorAttribute("KAI scheduler (`scheduling.run.ai`, `kai.scheduler`)."),
			"kueue":              operatorAttribute("Kueue (`kueue.x-k8s.io`)."),
		},
	}
}

func operatorAttribute(text string) schema.Attribute {
	return schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[Operator](), MarkdownDescription: text,
		Attributes: map[string]schema.Attribute{
			"installed": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether its API is served."},
			"supported": schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the API versions that this provider knows are served."},
			"versions": schema.ListAttribute{Computed: true, CustomType: tf.ListTypeOf[types.String](), ElementType: types.StringType,
				MarkdownDescription: "What is served, as `<group>/<version>`, the preferred version of each group first. Empty when it is not installed."},
		}}
}
