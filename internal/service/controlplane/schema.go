package controlplane

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// longestName leaves room for what k0smotron puts around the name: it cuts names of objects at 57 characters.
const longestName = 40

func resourceSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "A Kubernetes control plane of k0s that runs as pods in the management cluster, by k0smotron 2.x and Cluster API 1.11 or later. It makes no nodes: hosts anywhere join by `k0smos_node_pool`.\n\n" +
			"It is made of a Cluster API Cluster, a RemoteCluster and a K0smotronControlPlane. Create waits until the API server of the hosted cluster answers, so that other resources of the same run can put objects into it by `cluster`. Create and delete may take 20 minutes each and an update 30, unless `timeouts` says otherwise.\n\n" +
			"Some things can never change in a running k0s cluster: address ranges, network provider, storage type, way of exposure and ports. A change of these is an error that names the way by a second cluster, never a silent replacement, because that would reset every host.",
		Attributes: map[string]schema.Attribute{
			"name": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(longestName)},
				MarkdownDescription: "Name of the hosted cluster: lower case letters, digits and hyphens, at most 40 characters, since k0smotron makes longer names from it. Keep it unique over all namespaces. A change replaces the cluster, which `deletion_protection` refuses."},
			"create_namespace": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: tf.Default(tf.Text.CreateNamespace, true)},
			"version": schema.StringAttribute{Required: true, CustomType: tf.VersionType{},
				MarkdownDescription: "Version of k0s, such as `v1.35.7+k0s.0`; `1.35.7` and `v1.35.7-k0s.0` mean the same. It may go up by one minor version at a time and never down. An upgrade restarts the members of the control plane one by one; nodes are upgraded apart from it. Helm charts, and so Cilium, need 1.35.4 or later; an ingress 1.34.1."},
			"replicas": schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(defaultReplicas), Validators: []validator.Int64{int64validator.Between(1, 9)},
				MarkdownDescription: "Members of the control plane, 1 to 9. Default `1`; 3 survive the loss of one. With storage `etcd`, the database gets as many members (the next odd number) and never becomes smaller again. Changed in place."},
			"expose":    exposeAttribute(),
			"storage":   storageAttribute(),
			"network":   networkAttribute(),
			"placement": placementAttribute(),
			"resources": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Resources](),
				MarkdownDescription: "Resources of each member of the control plane. Left out: none are asked for here. A change restarts the members one by one.",
				Attributes: map[string]schema.Attribute{
					"requests": quantities("What the scheduler sets aside, by resource name: `cpu` in cores, `memory` in bytes, as Kubernetes quantities."),
					"limits":   quantities("Upper bounds, by resource name, in the same units."),
				}},
			"helm": helmAttribute(),
			"k0s_config": schema.StringAttribute{Optional: true, CustomType: tf.JSONType{},
				MarkdownDescription: "Rest of the k0s ClusterConfig as a JSON object (`jsonencode`), merged over what the other attributes make of it. Default: nothing; telemetry is off unless `spec.telemetry` says otherwise. Changed in place. Keys that k0smotron overrides (`spec.api.port`, `spec.api.externalAddress`, `spec.konnectivity.agentPort`, `spec.storage`) and those that have attributes here are refused. A key that is removed again stays in the running cluster. It is kept in state: no secrets."},
			"deletion_protection": schema.BoolAttribute{Optional: true, Computed: true, Default: booldefault.StaticBool(true),
				MarkdownDescription: tf.Default(tf.Text.DeletionProtection, true)},

			"cilium_version": schema.StringAttribute{Computed: true,
				MarkdownDescription: "Chart version of Cilium in effect: `network.cilium.version`, or the default of the provider version that created the cluster. Null with other network providers."},
			"cluster": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[composite.ClusterRef](),
				MarkdownDescription: "Reference to the hosted cluster, for the `cluster` attribute of other resources. Name and namespace are known in the plan.",
				Attributes: map[string]schema.Attribute{
					"name":      schema.StringAttribute{Computed: true, MarkdownDescription: tf.Text.ClusterName},
					"namespace": schema.StringAttribute{Computed: true, MarkdownDescription: tf.Text.ClusterNamespace},
					"uid":       schema.StringAttribute{Computed: true, MarkdownDescription: tf.Text.ClusterUID},
				}},
			"endpoint": schema.StringAttribute{Computed: true, MarkdownDescription: "URL of the hosted API server, as nodes reach it. Null until it is known."},
			"kubeconfig_secret": schema.SingleNestedAttribute{Computed: true, CustomType: tf.ObjectTypeOf[SecretKey](),
				MarkdownDescription: "Where the admin kubeconfig of the hosted cluster is kept. Its content never enters the state; read it with the ephemeral resource `k0smos_kubeconfig`.",
				Attributes: map[string]schema.Attribute{
					"namespace": schema.StringAttribute{Computed: true, MarkdownDescription: "Namespace of the Secret in the management cluster."},
					"name":      schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the Secret."},
					"key":       schema.StringAttribute{Computed: true, MarkdownDescription: "Key of the Secret that holds it, always `value`."},
				}},
		},
	}
}

func exposeAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[Expose](),
		MarkdownDescription: "How nodes, clients and Terraform itself reach the API server. Both ports must be open from every site.",
		Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
				tf.Choice{Value: exposeLoadBalancer, Meaning: "a Service of this type"}, tf.Choice{Value: exposeNodePort, Meaning: "a port on the nodes of the management cluster"},
				tf.Choice{Value: exposeClusterIP, Meaning: "only inside the management cluster, or by something of your own in front of it"}, tf.Choice{Value: exposeIngress, Meaning: "an ingress controller that passes TLS through"})},
				MarkdownDescription: "`LoadBalancer` (default), `NodePort`, `ClusterIP` or `Ingress`. Cannot change later."},
			"external_address": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.HostOrIP()},
				MarkdownDescription: "Host name or address under which the API server is reached, without scheme and port. Required with `NodePort` and `ClusterIP`: k0smotron would guess an unstable one or wait for ever. Optional with `Ingress`. With `LoadBalancer`, left out, the address of the load balancer. A name must resolve to the load balancer, the nodes or what you put in front before create can end. Changed in place; nodes that have joined go on dialling the old one."},
			"api_port":          schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()}, MarkdownDescription: "Port of the API server. Default `6443`; `30443` with `NodePort`, where it must lie in the cluster's node port range (30000-32767 unless configured). Cannot change later."},
			"konnectivity_port": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()}, MarkdownDescription: "Port that the nodes' konnectivity agents dial. Default `8132`; `30132` with `NodePort`. Cannot change later."},
			"annotations":       texted("Annotations of the Service, such as a cloud's load balancer settings. Default: none. Changed in place."),
			"ingress": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Ingress](), MarkdownDescription: "Required with type `Ingress`, and only there. Changed in place; nodes that have joined go on dialling the old names.",
				Attributes: map[string]schema.Attribute{
					"api_host":          schema.StringAttribute{Required: true, Validators: []validator.String{tf.HostOrIP()}, MarkdownDescription: "Host name of the API server."},
					"konnectivity_host": schema.StringAttribute{Required: true, Validators: []validator.String{tf.HostOrIP()}, MarkdownDescription: "Host name for the konnectivity agents."},
					"class_name":        schema.StringAttribute{Optional: true, MarkdownDescription: "Ingress class. Default: the management cluster's default class."},
					"port":              schema.Int64Attribute{Optional: true, Validators: []validator.Int64{tf.Port()}, MarkdownDescription: "Port of the ingress controller, as seen from outside. Default `443`."},
					"annotations":       texted("Annotations of the Ingress; TLS passthrough usually has to be asked for here. Default: none."),
				}},
		}}
}

func storageAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Required: true, CustomType: tf.ObjectTypeOf[Storage](),
		MarkdownDescription: "Where the control plane keeps its objects.",
		Attributes: map[string]schema.Attribute{
			"type": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
				tf.Choice{Value: storageEtcd, Meaning: "an etcd of its own"}, tf.Choice{Value: storageKine, Meaning: "a SQL database elsewhere"})},
				MarkdownDescription: "`etcd` (default) or `kine`. Cannot change later: data does not move."},
			"etcd": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Etcd](), MarkdownDescription: "Required with type `etcd`.",
				Attributes: map[string]schema.Attribute{
					"size":          schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.PositiveQuantity()}, MarkdownDescription: "Size of each member's volume, a Kubernetes quantity in bytes. Default `1Gi`. It may grow where the storage class allows that, and never shrink."},
					"storage_class": schema.StringAttribute{Optional: true, MarkdownDescription: "Storage class of the volumes. Default: the management cluster's default class, which must then exist. Cannot change later."},
					"auto_delete":   schema.BoolAttribute{Required: true, MarkdownDescription: "Whether destroy deletes the volumes, and with them the data. There is no default, because it is a choice between your data and a clean cluster. With `false`, volumes stay, and a new cluster of the same name would start on the old data with new certificates, and fail. Changed in place; the value of the last apply counts."},
					"defrag": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Defrag](), MarkdownDescription: "Defragment etcd by schedule. Left out: never. Changed in place.",
						Attributes: map[string]schema.Attribute{
							"schedule": schema.StringAttribute{Optional: true, MarkdownDescription: "Cron schedule. Default `0 12 * * *`, every day at noon."},
						}},
				}},
			"kine": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Kine](), MarkdownDescription: "Required with type `kine`.",
				Attributes: map[string]schema.Attribute{
					"secret": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "Secret in the same namespace whose key `K0SMOTRON_KINE_DATASOURCE_URL` holds the address of the database with its credentials. Data does not move to another database."},
				}},
		}}
}

func networkAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Network](),
		MarkdownDescription: "Network inside the hosted cluster. Left out: Cilium with the defaults below.",
		Attributes: map[string]schema.Attribute{
			"provider": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
				tf.Choice{Value: networkCilium, Meaning: "Cilium in place of kube-proxy, as a Helm chart of k0s"}, tf.Choice{Value: networkKubeRouter, Meaning: "kube-router of k0s"},
				tf.Choice{Value: networkCalico, Meaning: "Calico of k0s"}, tf.Choice{Value: networkCustom, Meaning: "one that you install"})},
				MarkdownDescription: "`cilium` (default; in place of kube-proxy, as a Helm chart, needs k0s 1.35.4 or later), `kuberouter` or `calico` as k0s brings them, or `custom`: one that you install. Cannot change later."},
			"pod_cidr":       schema.StringAttribute{Optional: true, CustomType: tf.IPPrefixType{}, Validators: []validator.String{tf.NetworkCIDR()}, MarkdownDescription: "Addresses of pods, CIDR. Default `10.244.0.0/16`. Must not overlap the services or the nodes. Cannot change later."},
			"service_cidr":   schema.StringAttribute{Optional: true, CustomType: tf.IPPrefixType{}, Validators: []validator.String{tf.NetworkCIDR()}, MarkdownDescription: "Addresses of services, CIDR. Default `10.96.0.0/12`. Cannot change later."},
			"cluster_domain": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSSubdomain()}, MarkdownDescription: "DNS domain of services. Default `cluster.local`. Cannot change later."},
			"cilium": schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Cilium](), MarkdownDescription: "Only with provider `cilium`.",
				Attributes: map[string]schema.Attribute{
					"version": schema.StringAttribute{Optional: true, MarkdownDescription: "Version of the chart. Default: `" + defaultCilium + "`. The default of the provider version that made the cluster is kept from then on. A change restarts the Cilium agents."},
					"encryption": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(
						tf.Choice{Value: encryptionNone, Meaning: "leave encryption to a tunnel below"}, tf.Choice{Value: encryptionWireGuard, Meaning: "between all nodes, which must reach each other on UDP 51871"})},
						MarkdownDescription: "`none` (default) or `wireguard`, for which all nodes must reach each other on UDP 51871. Where a tunnel below encrypts already, leave it at `none`. A change upgrades the Helm release."},
					"mtu":    schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(576, 9216)}, MarkdownDescription: "MTU in bytes of the network below Cilium, 576 to 9216; Cilium subtracts its own overhead (50 for VXLAN, 80 for WireGuard). Default: found by Cilium. Through a tunnel, use the tunnel's. A change upgrades the Helm release."},
					"values": schema.StringAttribute{Optional: true, CustomType: tf.JSONType{}, MarkdownDescription: "Further Helm values as a JSON object (`jsonencode`), merged over the generated ones. `encryption` and `MTU` have attributes and are refused here. Default: none. A change upgrades the Helm release. Kept in state: no secrets."},
				}},
		}}
}

func placementAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Placement](),
		MarkdownDescription: "On which nodes of the management cluster the control plane and its etcd run. Left out: on any. A change restarts the members one by one.",
		Attributes: map[string]schema.Attribute{
			"node_selector": texted("Labels that the nodes must have."),
			"tolerations": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Toleration]](), MarkdownDescription: "Taints that the members tolerate, by a name of your choice, which changes nothing.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Toleration](), Attributes: map[string]schema.Attribute{
					"key":      schema.StringAttribute{Optional: true, MarkdownDescription: "Key of the taint. Left out: every taint."},
					"operator": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(tf.Choice{Value: "Exists", Meaning: "any value"}, tf.Choice{Value: "Equal", Meaning: "this value"})}, MarkdownDescription: "`Exists` or `Equal`. Default: `Equal` where `value` is set, else `Exists`."},
					"value":    schema.StringAttribute{Optional: true, MarkdownDescription: "Value of the taint, for operator `Equal`."},
					"effect":   schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(tf.Choice{Value: "NoSchedule"}, tf.Choice{Value: "PreferNoSchedule"}, tf.Choice{Value: "NoExecute"})}, MarkdownDescription: "`NoSchedule`, `PreferNoSchedule` or `NoExecute`. Left out: every effect."},
				}}},
			"topology_spread": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Spread]](), MarkdownDescription: "Spread the members over the values of a node label; the key of the map is the label, such as `topology.kubernetes.io/zone`.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Spread](), Attributes: map[string]schema.Attribute{
					"max_skew":           schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(1, 9)}, MarkdownDescription: "Largest difference in members between two values, 1 to 9. Default `1`."},
					"when_unsatisfiable": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(tf.Choice{Value: "DoNotSchedule"}, tf.Choice{Value: "ScheduleAnyway"})}, MarkdownDescription: "`DoNotSchedule` (default) or `ScheduleAnyway`."},
				}}},
		}}
}

func helmAttribute() schema.Attribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Helm](),
		MarkdownDescription: "Helm charts that k0s installs in the hosted cluster, once it has a node. Needs k0s 1.35.4 or later. Changed in place; without Cilium, the last charts to be removed stay installed.",
		Attributes: map[string]schema.Attribute{
			"repositories": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Repository]](), MarkdownDescription: "Chart repositories by name.",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Repository](), Attributes: map[string]schema.Attribute{
					"url": schema.StringAttribute{Required: true, MarkdownDescription: "URL of the repository."},
				}}},
			"charts": schema.MapNestedAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Object[Chart]](), MarkdownDescription: "Releases by name (at most 53 characters).",
				NestedObject: schema.NestedAttributeObject{CustomType: tf.ObjectTypeOf[Chart](), Attributes: map[string]schema.Attribute{
					"chart":     schema.StringAttribute{Required: true, MarkdownDescription: "`<repository>/<chart>` with a repository of this resource, or an `oci://` URL."},
					"version":   schema.StringAttribute{Optional: true, MarkdownDescription: "Version of the chart. Left out: the newest at each change; better pin it."},
					"namespace": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Namespace of the release. Default `default`."},
					"values":    schema.StringAttribute{Optional: true, CustomType: tf.JSONType{}, MarkdownDescription: "Values as a JSON object (`jsonencode`). Kept in state and in the ClusterConfig: no secrets."},
					"order":     schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: "Order of installation, 0 or more: lower numbers come first. Default: that of k0s."},
					"timeout":   schema.StringAttribute{Optional: true, CustomType: tf.DurationType{}, Validators: []validator.String{tf.PositiveDuration()}, MarkdownDescription: "Longest time for the installation, a Go duration. Default: that of k0s, `10m`."},
				}}},
		}}
}

func texted(text string) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[types.String](), ElementType: types.StringType, MarkdownDescription: text}
}

func quantities(text string) schema.MapAttribute {
	return schema.MapAttribute{Optional: true, CustomType: tf.MapTypeOf[tf.Quantity](), ElementType: tf.QuantityType{}, MarkdownDescription: text}
}
