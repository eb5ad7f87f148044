package nodepool

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// compose returns the objects of a pool: first the hosts, then what is made of them, so that a Machine always finds one.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	if m.found.refused != nil {
		return nil, m.found.refused
	}
	e := effectiveOf(m)
	templates, _ := m.Templates.Get()
	out := make([]composite.Object, 0, len(e.hosts)+4)
	add := func(kind api.Kind, name string, metadata meta, body any) error {
		object, err := composite.NewObject(kind, e.namespace, name, body)
		if err != nil {
			return err
		}
		metadata.into(object)
		out = append(out, object)
		return nil
	}
	if !e.foreign {
		for _, key := range e.active() {
			metadata := meta{labels: e.hostLabels(key)}
			if trigger, ok := m.Reprovision.Known()[key]; ok {
				metadata.annotations = map[string]string{reprovisionAnnotation: trigger.ValueString()}
			}
			if err := add(infrastructure.PooledRemoteMachineKind, e.objectName(key), metadata, infrastructure.PooledRemoteMachine{Spec: hostSpec(e, key)}); err != nil {
				return nil, err
			}
		}
		template := infrastructure.RemoteMachineTemplateSpec{Template: infrastructure.RemoteMachineTemplateResource{
			Spec: infrastructure.RemoteMachineTemplateResourceSpec{Pool: e.name, ProvisionJob: jobOf(m)},
		}}
		if err := add(infrastructure.RemoteMachineTemplateKind, templates.Infrastructure.ValueString(), meta{}, infrastructure.RemoteMachineTemplate{Spec: template}); err != nil {
			return nil, err
		}
	}
	worker := bootstrap.K0sWorkerConfigTemplateSpec{Template: bootstrap.K0sWorkerConfigTemplateResource{Spec: workerSpec(m, e)}}
	if err := add(bootstrap.K0sWorkerConfigTemplateKind, templates.Bootstrap.ValueString(), meta{}, bootstrap.K0sWorkerConfigTemplate{Spec: worker}); err != nil {
		return nil, err
	}
	deployment := clusterapi.MachineDeployment{Spec: deploymentSpec(m, e, templates)}
	metadata := meta{labels: map[string]string{clusterapi.ClusterNameLabel: e.cluster.Name.ValueString()}, annotations: deploymentAnnotations(m, e)}
	if err := add(clusterapi.MachineDeploymentKind, e.name, metadata, deployment); err != nil {
		return nil, err
	}
	if !m.HealthCheck.IsNull() {
		if err := add(clusterapi.MachineHealthCheckKind, e.name, meta{}, clusterapi.MachineHealthCheck{Spec: healthSpec(e)}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// meta is what an object has in its metadata beside its name.
type meta struct{ labels, annotations map[string]string }

func (m meta) into(o composite.Object) {
	metadata, _ := o.Content["metadata"].(map[string]any)
	for field, entries := range map[string]map[string]string{"labels": m.labels, "annotations": m.annotations} {
		if len(entries) == 0 {
			continue
		}
		values := map[string]any{}
		for k, v := range entries {
			values[k] = v
		}
		metadata[field] = values
	}
}

// hostSpec is the entry of one host. Commands run as one script, because single ones broke under sudo in some releases of the
// operator.
func hostSpec(e effective, key string) infrastructure.PooledRemoteMachineSpec {
	host, script := e.hosts[key], true
	machine := infrastructure.PooledMachine{
		Address: host.Address.ValueString(), Port: int(e.port(host)), User: e.user(host), CommandsAsScript: &script,
		SSHKeyRef: &infrastructure.SecretRef{Name: e.ssh.Secret.ValueString()},
	}
	if e.ssh.UseSudo.ValueBool() {
		sudo := true
		machine.UseSudo = &sudo
	}
	return infrastructure.PooledRemoteMachineSpec{Pool: e.name, Machine: machine}
}

func jobOf(m Model) *infrastructure.ProvisionJob {
	job, ok := m.ProvisionJob.Get()
	if !ok {
		return nil
	}
	template, _ := jsonObject(job.JobTemplate.ValueString())
	return &infrastructure.ProvisionJob{SSHCommand: unlessText(job.SSHCommand, "ssh").ValueString(), SCPCommand: unlessText(job.SCPCommand, "scp").ValueString(), JobSpecTemplate: template}
}

// machinesOf selects the Machines of a pool, and everything that is made with them.
func (e effective) machinesOf() map[string]string {
	return map[string]string{clusterapi.ClusterNameLabel: e.cluster.Name.ValueString(), clusterapi.DeploymentNameLabel: e.name}
}

func deploymentSpec(m Model, e effective, templates Templates) clusterapi.MachineDeploymentSpec {
	through, _ := divide(nodeLabels(m, e))
	labels := e.machinesOf()
	maps.Copy(labels, through)
	spec := clusterapi.MachineDeploymentSpec{
		ClusterName: e.cluster.Name.ValueString(),
		Rollout:     &clusterapi.Rollout{Strategy: strategyOf(e)},
		Selector:    api.LabelSelector{MatchLabels: e.machinesOf()},
		Template: clusterapi.MachineTemplateSpec{
			ObjectMeta: clusterapi.TemplateMetadata{Labels: labels},
			Spec: clusterapi.MachineSpec{
				ClusterName: e.cluster.Name.ValueString(), Version: machineVersion(m, templates),
				Deletion: clusterapi.MachineDeletion{
					NodeDrainTimeoutSeconds:        seconds(durationOr(e.drain.Timeout, defaultDrain)),
					NodeVolumeDetachTimeoutSeconds: seconds(durationOr(e.drain.VolumeDetachTimeout, defaultVolumeDetach)),
					NodeDeletionTimeoutSeconds:     seconds(durationOr(e.drain.NodeDeletionTimeout, defaultNodeDeletion)),
				},
				Bootstrap: clusterapi.Bootstrap{ConfigRef: &clusterapi.Reference{
					APIGroup: bootstrap.K0sWorkerConfigTemplateKind.Group, Kind: bootstrap.K0sWorkerConfigTemplateKind.Kind, Name: templates.Bootstrap.ValueString(),
				}},
				InfrastructureRef: infrastructureOf(e, templates),
			},
		},
	}
	if e.rollout.Paused.ValueBool() {
		yes := true
		spec.Paused = &yes
	}
	if !e.scaled { // left out, so that it is not ours: Cluster API keeps the size within the bounds
		replicas := int32(e.replicas(m)) //nolint:gosec // a number of hosts
		spec.Replicas = &replicas
	}
	return spec
}

// infrastructureOf is the template that hosts come from.
func infrastructureOf(e effective, templates Templates) clusterapi.Reference {
	if e.foreign {
		group, _, _ := strings.Cut(e.template.APIVersion.ValueString(), "/")
		return clusterapi.Reference{APIGroup: group, Kind: e.template.Kind.ValueString(), Name: e.template.Name.ValueString()}
	}
	return clusterapi.Reference{APIGroup: infrastructure.RemoteMachineTemplateKind.Group, Kind: infrastructure.RemoteMachineTemplateKind.Kind, Name: templates.Infrastructure.ValueString()}
}

func strategyOf(e effective) *clusterapi.RolloutStrategy {
	if tf.TextOr(e.rollout.Strategy, strategyRolling) == strategyOnDelete {
		return &clusterapi.RolloutStrategy{Type: clusterapi.OnDelete}
	}
	count := func(n int64) *intstr.IntOrString {
		return &intstr.IntOrString{IntVal: int32(n)} //nolint:gosec // a number of hosts
	}
	return &clusterapi.RolloutStrategy{Type: clusterapi.RollingUpdate, RollingUpdate: &clusterapi.RollingUpdateLimits{
		MaxUnavailable: count(tf.NumberOr(e.rollout.MaxUnavailable, defaultMaxUnavailable)), MaxSurge: count(tf.NumberOr(e.rollout.MaxSurge, defaultMaxSurge)),
	}}
}

func healthSpec(e effective) clusterapi.MachineHealthCheckSpec {
	timeout := seconds(durationOr(e.health.Timeout, defaultUnhealthy))
	most := intstr.Parse(tf.TextOr(e.health.MaxUnhealthy, defaultMaxUnhealthy))
	return clusterapi.MachineHealthCheckSpec{
		ClusterName: e.cluster.Name.ValueString(), Selector: api.LabelSelector{MatchLabels: e.machinesOf()},
		Checks: clusterapi.HealthChecks{
			NodeStartupTimeoutSeconds: seconds(durationOr(e.health.NodeStartupTimeout, defaultNodeStartup)),
			UnhealthyNodeConditions: []clusterapi.UnhealthyNodeCondition{
				{Type: "Ready", Status: "Unknown", TimeoutSeconds: timeout},
				{Type: "Ready", Status: "False", TimeoutSeconds: timeout},
			},
		},
		Remediation: clusterapi.Remediation{TriggerIf: clusterapi.RemediationTrigger{UnhealthyLessThanOrEqualTo: &most}},
	}
}

func seconds(d time.Duration) *int32 {
	n := int32(min(d/time.Second, 1<<30)) //nolint:gosec // bounded
	return &n
}

// Annotations by which the cluster autoscaler knows what a node of an empty pool would be like.
const (
	capacityPrefix = "capacity.cluster-autoscaler.kubernetes.io/"
	scaledBy       = "k0smos.io/scaled-by"
)

// deploymentAnnotations are the bounds and hints for who scales the pool, and what an import could not tell from the objects.
func deploymentAnnotations(m Model, e effective) map[string]string {
	out := map[string]string{recordAnnotation: recordOf(m, e)}
	if !e.scaled {
		return out
	}
	out[clusterapi.MinSizeAnnotation] = strconv.FormatInt(e.autoscaling.Min.ValueInt64(), 10)
	out[clusterapi.MaxSizeAnnotation] = strconv.FormatInt(e.autoscaling.Max.ValueInt64(), 10)
	out[scaledBy] = tf.TextOr(e.autoscaling.By, byClusterAutoscaler)
	hint := func(key, value string) {
		if value != "" {
			out[capacityPrefix+key] = value
		}
	}
	hint("cpu", canonical(e.autoscaling.CPU))
	hint("memory", canonical(e.autoscaling.Memory))
	through, joined := divide(nodeLabels(m, e))
	maps.Copy(joined, through)
	hint("labels", pairs(joined))
	var taints []string
	for _, t := range taintsOf(m) {
		taints = append(taints, t.String())
	}
	hint("taints", strings.Join(taints, ","))
	if devices := gpuCapacityPerNode(e.gpu); e.hasGPU && len(devices) > 0 {
		name := slices.Sorted(maps.Keys(devices))[0] // the autoscaler knows one kind per node
		hint("gpu-type", name)
		hint("gpu-count", strconv.FormatInt(devices[name], 10))
	}
	return out
}

// canonical is the quantity in the spelling of Kubernetes.
func canonical(q tf.Quantity) string {
	if parsed, ok := q.Get(); ok {
		return parsed.String()
	}
	return ""
}
