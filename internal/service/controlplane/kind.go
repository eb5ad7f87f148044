// Package controlplane declares a hosted control plane: a Cluster API Cluster whose control plane runs as pods by
// k0smotron.
package controlplane

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_hosted_control_plane resource.
var Kind composite.Kind[Model]

func init() { //nolint:gochecknoinits // decompose needs Kind, and Kind needs decompose
	Kind = composite.Kind[Model]{
		Name:        "hosted_control_plane",
		Schema:      resourceSchema,
		Checks:      checks,
		Transitions: transitions,
		Derive:      derive,
		ID:          id,
		SetID:       setID,
		Compose:     compose,
		Decompose:   decompose,
		Import:      imported,
		Observe:     observe,
		Observed: map[string]composite.Output{
			"cluster":  {Inputs: []string{"name", "namespace"}, Object: clusterapi.ClusterKind.Kind},
			"endpoint": {Inputs: []string{"name", "namespace", "expose"}, Object: clusterapi.ClusterKind.Kind},
		},
		Locate:  locate,
		Replace: replace,
		Ready:   map[string]composite.Readiness{controlplane.K0smotronControlPlaneKind.Kind: planeReady, clusterapi.ClusterKind.Kind: clusterReady},
		// The Cluster goes first and takes the others along, in the order that its controllers need. What is deleted
		// outside of its Cluster hangs.
		DeleteOrder: []string{clusterapi.ClusterKind.Kind, controlplane.K0smotronControlPlaneKind.Kind, infrastructure.RemoteClusterKind.Kind},
		Attribute:   fields.Attribute,
		FreeForm:    freeForm,
		Protected:   func(m Model) bool { return m.DeletionProtection.ValueBool() },
		Timeouts: func(Model) composite.Timeouts {
			return composite.Timeouts{Create: 20 * time.Minute, Update: 30 * time.Minute, Delete: 20 * time.Minute}
		},
		Dialects: []composite.Dialect{
			{Group: controlplane.K0smotronControlPlaneKind.Group, Version: controlplane.K0smotronControlPlaneKind.Version, Operator: "k0smotron 2.x"},
			{Group: clusterapi.ClusterKind.Group, Version: clusterapi.ClusterKind.Version, Operator: "Cluster API 1.11 or later"},
		},
	}
}

// id is empty until both parts of it are known.
func id(m Model) composite.ID {
	if m.Namespace.IsUnknown() {
		return composite.ID{}
	}
	return composite.ID{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func setID(m *Model, id composite.ID) error {
	if id.Namespace == "" {
		return fmt.Errorf("a hosted control plane is named by <namespace>/<name>, for example train/train, and %q has no namespace", id.Name)
	}
	if id.ClusterName != "" {
		return fmt.Errorf("a hosted control plane is in the management cluster, so the import id is <namespace>/<name>, for example train/train, without the cluster %s/%s", id.ClusterNamespace, id.ClusterName)
	}
	m.Name, m.Namespace = types.StringValue(id.Name), types.StringValue(id.Namespace)
	return nil
}

// derive fills what follows from the configuration. The default version of Cilium is frozen at create: a newer provider
// does not move a running network.
func derive(m, prior *Model) {
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: m.Name, Namespace: m.Namespace, UID: types.StringUnknown()})
	secret := types.StringUnknown()
	if !m.Name.IsUnknown() {
		secret = types.StringValue(m.Name.ValueString() + "-kubeconfig")
	}
	m.KubeconfigSecret = tf.ObjectOf(SecretKey{Namespace: m.Namespace, Name: secret, Key: types.StringValue("value")})

	e := effectiveOf(*m)
	switch {
	case m.Network.IsUnknown() || e.network.Provider.IsUnknown() || e.cilium.Version.IsUnknown() || e.network.Cilium.IsUnknown():
		m.CiliumVersion = types.StringUnknown()
	case e.provider != networkCilium:
		m.CiliumVersion = types.StringNull()
	case e.cilium.Version.ValueString() != "":
		m.CiliumVersion = e.cilium.Version
	case prior != nil && prior.CiliumVersion.ValueString() != "":
		m.CiliumVersion = prior.CiliumVersion
	default:
		m.CiliumVersion = types.StringValue(defaultCilium)
	}
}

// observe takes the UID of the Cluster and the address that its operators settled on.
func observe(m *Model, live composite.Live) {
	cluster, ok := composite.As[clusterapi.Cluster](live, clusterapi.ClusterKind, "")
	if !ok {
		return
	}
	m.Cluster = tf.ObjectOf(composite.ClusterRef{Name: m.Name, Namespace: m.Namespace, UID: types.StringValue(string(cluster.UID))})
	m.Endpoint = types.StringNull()
	if e := cluster.Spec.ControlPlaneEndpoint; e != nil && e.Host != "" {
		m.Endpoint = types.StringValue(fmt.Sprintf("https://%s:%d", bracketed(e.Host), e.Port))
	}
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

func replace(prior, plan Model) []path.Path {
	var out []path.Path
	if !plan.Name.IsUnknown() && !prior.Name.Equal(plan.Name) {
		out = append(out, path.Root("name"))
	}
	if !plan.Namespace.IsUnknown() && !prior.Namespace.Equal(plan.Namespace) {
		out = append(out, path.Root("namespace"))
	}
	return out
}

// fields maps fields of the objects to the attributes that they come from; the longest prefix counts.
var fields = composite.Fields{
	{"Cluster", "spec.clusterNetwork.pods", path.Root("network").AtName("pod_cidr")},
	{"Cluster", "spec.clusterNetwork.services", path.Root("network").AtName("service_cidr")},
	{"Cluster", "spec.clusterNetwork.serviceDomain", path.Root("network").AtName("cluster_domain")},
	{"Cluster", "spec.controlPlaneRef", path.Root("name")},
	{"Cluster", "spec.infrastructureRef", path.Root("name")},
	{"K0smotronControlPlane", "spec.version", path.Root("version")},
	{"K0smotronControlPlane", "spec.replicas", path.Root("replicas")},
	{"K0smotronControlPlane", "spec.externalAddress", path.Root("expose").AtName("external_address")},
	{"K0smotronControlPlane", "spec.service.apiPort", path.Root("expose").AtName("api_port")},
	{"K0smotronControlPlane", "spec.service.konnectivityPort", path.Root("expose").AtName("konnectivity_port")},
	{"K0smotronControlPlane", "spec.service", path.Root("expose")},
	{"K0smotronControlPlane", "spec.ingress", path.Root("expose").AtName("ingress")},
	{"K0smotronControlPlane", "spec.storage.etcd", path.Root("storage").AtName("etcd")},
	{"K0smotronControlPlane", "spec.storage.kine", path.Root("storage").AtName("kine")},
	{"K0smotronControlPlane", "spec.storage", path.Root("storage")},
	{"K0smotronControlPlane", "spec.resources", path.Root("resources")},
	{"K0smotronControlPlane", "spec.patches", path.Root("placement")},
	{"K0smotronControlPlane", "spec.k0sConfig.spec.extensions.helm", path.Root("helm")},
	{"K0smotronControlPlane", "spec.k0sConfig.spec.network", path.Root("network")},
	{"K0smotronControlPlane", "spec.k0sConfig", path.Root("k0s_config")},
	{"", "metadata.name", path.Root("name")},
	{"", "metadata.namespace", path.Root("namespace")},
	{"", "metadata.labels", path.Root("labels")},
	{"", "metadata.annotations", path.Root("annotations")},
}

// freeForm: the k0s configuration, with the values of its charts, and patches are the user's own texts.
func freeForm(_, field string) bool {
	return composite.Within(field, "spec.k0sConfig") || composite.Within(field, "spec.patches") || composite.Within(field, "metadata.annotations")
}
