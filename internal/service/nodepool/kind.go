// Package nodepool declares a class of hosts at one site as nodes of a hosted cluster, by Cluster API and k0smotron.
package nodepool

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind is the k0smos_node_pool resource.
var Kind composite.Kind[Model]

func init() { //nolint:gochecknoinits // decompose needs Kind, and Kind needs decompose
	Kind = composite.Kind[Model]{
		Name:        "node_pool",
		Schema:      resourceSchema,
		Checks:      checks,
		Transitions: transitions,
		Derive:      derive,
		ID:          id,
		SetID:       setID,
		Namespace: func(m Model) (string, bool) {
			return namespaceOf(m).ValueString(), m.CreateNamespace.ValueBool()
		},
		Compose:       compose,
		Decompose:     decompose,
		Import:        imported,
		Observe:       observe,
		Locate:        locate,
		LocateQueries: locateHosts,
		Replace:       replace,
		Ready:         map[string]composite.Readiness{clusterapi.MachineDeploymentKind.Kind: deploymentReady},
		// What is deleted in another order hangs: the operator wants the templates, the entries of the hosts and their key for as
		// long as there is a Machine.
		DeleteOrder: []string{
			clusterapi.MachineHealthCheckKind.Kind, clusterapi.MachineDeploymentKind.Kind,
			bootstrap.K0sWorkerConfigTemplateKind.Kind, infrastructure.RemoteMachineTemplateKind.Kind, infrastructure.PooledRemoteMachineKind.Kind,
		},
		Attribute:      fields.Attribute,
		FreeForm:       freeForm,
		RelatedQueries: related,
		Survey:         survey,
		Before:         before,
		After:          after,
		Settle:         settle,
		Leaving:        leave,
		Timeouts:       limits,
		Dialects: []composite.Dialect{
			{Group: infrastructure.PooledRemoteMachineKind.Group, Version: infrastructure.PooledRemoteMachineKind.Version, Operator: "k0smotron 2.x"},
			{Group: bootstrap.K0sWorkerConfigTemplateKind.Group, Version: bootstrap.K0sWorkerConfigTemplateKind.Version, Operator: "k0smotron 2.x"},
			{Group: clusterapi.MachineDeploymentKind.Group, Version: clusterapi.MachineDeploymentKind.Version, Operator: "Cluster API 1.11 or later"},
		},
	}
}

// id is empty until both parts of it are known.
func id(m Model) composite.ID {
	namespace := namespaceOf(m)
	if namespace.IsUnknown() {
		return composite.ID{}
	}
	return composite.ID{Namespace: namespace.ValueString(), Name: m.Name.ValueString()}
}

func setID(m *Model, id composite.ID) error {
	if id.Namespace == "" {
		return fmt.Errorf("a node pool is named by <namespace>/<name>, for example train/quebec-a100, and %q has no namespace", id.Name)
	}
	if id.ClusterName != "" {
		return fmt.Errorf("the objects of a node pool are in the management cluster, so the import id is <namespace>/<name>, for example train/quebec-a100, without the cluster %s/%s", id.ClusterNamespace, id.ClusterName)
	}
	m.Name, m.Namespace = types.StringValue(id.Name), types.StringValue(id.Namespace)
	return nil
}

// locate follows the references of the MachineDeployment.
func locate(m Model, found composite.Live) []composite.Ref {
	namespace := namespaceOf(m).ValueString()
	refs := []composite.Ref{{Kind: clusterapi.MachineDeploymentKind, Namespace: namespace, Name: m.Name.ValueString()}}
	deployment, ok := composite.As[clusterapi.MachineDeployment](found, clusterapi.MachineDeploymentKind, "")
	if !ok {
		return refs
	}
	machines := deployment.Spec.Template.Spec
	refs = append(refs, composite.Ref{Kind: clusterapi.ClusterKind, Namespace: namespace, Name: deployment.Spec.ClusterName})
	if machines.Bootstrap.ConfigRef != nil {
		refs = append(refs, composite.Ref{Kind: bootstrap.K0sWorkerConfigTemplateKind, Namespace: namespace, Name: machines.Bootstrap.ConfigRef.Name})
	}
	if machines.InfrastructureRef.Kind == infrastructure.RemoteMachineTemplateKind.Kind {
		refs = append(refs, composite.Ref{Kind: infrastructure.RemoteMachineTemplateKind, Namespace: namespace, Name: machines.InfrastructureRef.Name})
	}
	return append(refs, composite.Ref{Kind: clusterapi.MachineHealthCheckKind, Namespace: namespace, Name: m.Name.ValueString()})
}

// locateHosts finds the hosts, which may have any name.
func locateHosts(m Model, found composite.Live) []composite.Query {
	if _, ok := composite.As[clusterapi.MachineDeployment](found, clusterapi.MachineDeploymentKind, ""); !ok {
		return nil
	}
	return []composite.Query{{Kind: infrastructure.PooledRemoteMachineKind, Namespace: namespaceOf(m).ValueString()}}
}

// observe fills in the UID of the MachineDeployment. The rest of scaling follows from the configuration. An import, which finds
// the Cluster as well, takes its UID into the reference, as a control plane exports it.
func observe(m *Model, live composite.Live) {
	was, _ := m.Scaling.Get()
	scaling, ok := scalingOf(*m, effectiveOf(*m), was.UID).Get()
	if !ok {
		return
	}
	if deployment, ok := composite.As[clusterapi.MachineDeployment](live, clusterapi.MachineDeploymentKind, ""); ok && deployment.UID != "" {
		scaling.UID = types.StringValue(string(deployment.UID))
	}
	m.Scaling = tf.ObjectOf(scaling)
	ref, ok := m.Cluster.Get()
	if cluster, found := composite.As[clusterapi.Cluster](live, clusterapi.ClusterKind, ""); ok && found && ref.UID.IsNull() && cluster.Name == ref.Name.ValueString() {
		ref.UID = tf.TextOrNull(string(cluster.UID))
		m.Cluster = tf.ObjectOf(ref)
	}
}

// replace: a MachineDeployment is for one Cluster.
func replace(prior, plan Model) []path.Path {
	var out []path.Path
	differ := func(a, b types.String, at path.Path) {
		if !b.IsUnknown() && !a.Equal(b) {
			out = append(out, at)
		}
	}
	differ(prior.Name, plan.Name, path.Root("name"))
	was, _ := prior.Cluster.Get()
	now, ok := plan.Cluster.Get()
	if ok {
		differ(was.Name, now.Name, path.Root("cluster").AtName("name"))
	}
	at := path.Root("namespace")
	if plan.Namespace.IsNull() {
		at = path.Root("cluster").AtName("namespace")
	}
	differ(namespaceOf(prior), namespaceOf(plan), at)
	return out
}

// limits grow with what has to be waited for: at most, all hosts are replaced one after the other and each is drained as long
// as it may.
func limits(m Model) composite.Timeouts {
	e := effectiveOf(m)
	const base, join, perHost = 20 * time.Minute, 10 * time.Minute, time.Minute
	hosts := max(e.largest(m), int64(len(e.hosts)), 1)
	leave := durationOr(e.drain.Timeout, defaultDrain) + durationOr(e.drain.VolumeDetachTimeout, defaultVolumeDetach) + durationOr(e.drain.NodeDeletionTimeout, defaultNodeDeletion)
	atOnce := max(tf.NumberOr(e.rollout.MaxUnavailable, defaultMaxUnavailable)+tf.NumberOr(e.rollout.MaxSurge, defaultMaxSurge), 1)
	rounds := (hosts + atOnce - 1) / atOnce
	return composite.Timeouts{
		Create: base + times(hosts, perHost),
		Update: base + times(rounds, leave+join),
		Delete: base + leave + times(hosts, perHost),
	}
}

// times is a duration n times over.
func times(n int64, each time.Duration) time.Duration {
	return time.Duration(n * each.Nanoseconds())
}

// fields maps fields of the objects to the attributes that they come from; the longest prefix counts.
var fields = composite.Fields{
	{"PooledRemoteMachine", "spec.machine.sshKeyRef", path.Root("site").AtName("ssh").AtName("secret")},
	{"PooledRemoteMachine", "spec.machine.useSudo", path.Root("site").AtName("ssh").AtName("use_sudo")},
	{"PooledRemoteMachine", "spec.machine", path.Root("hosts")},
	{"PooledRemoteMachine", "spec.pool", path.Root("name")},
	{"PooledRemoteMachine", "metadata.name", path.Root("hosts")},
	{"PooledRemoteMachine", "metadata.labels[node.cluster.x-k8s.io/", path.Root("hosts")},
	{"PooledRemoteMachine", "metadata.annotations[" + reprovisionAnnotation + "]", path.Root("reprovision")},
	{"RemoteMachineTemplate", "spec.template.spec.pool", path.Root("name")},
	{"RemoteMachineTemplate", "spec.template.spec.provisionJob", path.Root("provision_job")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.version", path.Root("version")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.args", path.Root("worker_args")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.files", path.Root("files")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.preK0sCommands", path.Root("pre_k0s_commands")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.postK0sCommands", path.Root("post_k0s_commands")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.downloadURL", path.Root("k0s").AtName("download_url")},
	{"K0sWorkerConfigTemplate", "spec.template.spec.preInstalledK0s", path.Root("k0s").AtName("pre_installed")},
	{"MachineDeployment", "spec.clusterName", path.Root("cluster").AtName("name")},
	{"MachineDeployment", "spec.selector", path.Root("name")},
	{"MachineDeployment", "spec.replicas", path.Root("replicas")},
	{"MachineDeployment", "spec.rollout", path.Root("rollout")},
	{"MachineDeployment", "spec.paused", path.Root("rollout").AtName("paused")},
	{"MachineDeployment", "spec.template.metadata.labels", path.Root("labels")},
	{"MachineDeployment", "spec.template.spec.clusterName", path.Root("cluster").AtName("name")},
	{"MachineDeployment", "spec.template.spec.version", path.Root("version")},
	{"MachineDeployment", "spec.template.spec.deletion", path.Root("drain")},
	{"MachineDeployment", "spec.template.spec.bootstrap", path.Root("templates")},
	{"MachineDeployment", "spec.template.spec.infrastructureRef", path.Root("machine_template")},
	{"MachineDeployment", "metadata.annotations[cluster.x-k8s.io/", path.Root("autoscaling")},
	{"MachineDeployment", "metadata.annotations[" + capacityPrefix, path.Root("autoscaling")},
	{"MachineDeployment", "metadata.annotations[" + scaledBy + "]", path.Root("autoscaling").AtName("by")},
	{"MachineHealthCheck", "spec.clusterName", path.Root("cluster").AtName("name")},
	{"MachineHealthCheck", "spec.selector", path.Root("name")},
	{"MachineHealthCheck", "spec", path.Root("health_check")},
	{"", "metadata.name", path.Root("name")},
	{"", "metadata.namespace", path.Root("cluster").AtName("namespace")},
	{"", "metadata.labels", path.Root("labels")},
	{"", "metadata.annotations", path.Root("annotations")},
}

// freeForm: commands, files, arguments and Jobs are the user's own texts.
func freeForm(_, field string) bool {
	for _, f := range []string{"spec.template.spec.files", "spec.template.spec.args", "spec.template.spec.preK0sCommands", "spec.template.spec.postK0sCommands", "spec.template.spec.provisionJob", "spec.template.spec.downloadURL"} {
		if composite.Within(field, f) {
			return true
		}
	}
	return composite.Within(field, "metadata.annotations")
}
