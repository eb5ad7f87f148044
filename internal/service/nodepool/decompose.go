package nodepool

import (
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose shows in attributes what differs from what the prior state composes to. Everything else keeps the user's spelling.
// What is in the templates is no attribute again: a change by hand there is drift as a whole, and reaches no running host.
func decompose(live composite.Live, prior Model) Model {
	m := composite.ThreeWay(Kind, live, prior, parse)
	m.Templates, m.GPUCapacity, m.NodeSelector, m.Scaling = prior.Templates, prior.GPUCapacity, prior.NodeSelector, prior.Scaling
	return m
}

// parse reads size, rollout, drain, health check and hosts from the objects, defaults included. Each attribute is read from its
// own fields, so that a change of one field moves no other attribute.
func parse(live composite.Live, m Model) Model {
	deployment, ok := composite.As[clusterapi.MachineDeployment](live, clusterapi.MachineDeploymentKind, "")
	if !ok {
		return m
	}
	spec := deployment.Spec
	if spec.Template.Spec.Version != "" {
		m.Version = tf.VersionOf(spec.Template.Spec.Version)
	}
	m.Replicas, m.Autoscaling = parseSize(deployment)
	m.Rollout = parseRollout(spec)
	m.Drain = parseDrain(spec.Template.Spec.Deletion)
	m.HealthCheck = tf.NullObject[HealthCheck]()
	if check, ok := composite.As[clusterapi.MachineHealthCheck](live, clusterapi.MachineHealthCheckKind, ""); ok {
		m.HealthCheck = parseHealth(check.Spec)
	}
	if !m.Hosts.IsNull() {
		m.Hosts = parseHosts(live, m)
	}
	return m
}

// parseSize: with bounds for a scaler on it, the number of replicas is not a declaration.
func parseSize(d clusterapi.MachineDeployment) (types.Int64, tf.Object[Autoscaling]) {
	lowest, errMin := strconv.ParseInt(d.Annotations[clusterapi.MinSizeAnnotation], 10, 64)
	highest, errMax := strconv.ParseInt(d.Annotations[clusterapi.MaxSizeAnnotation], 10, 64)
	if errMin == nil && errMax == nil {
		quantity := func(hint string) tf.Quantity {
			if text := d.Annotations[capacityPrefix+hint]; text != "" {
				return tf.QuantityOf(text)
			}
			return tf.NullQuantity()
		}
		by := tf.TextOrNull(d.Annotations[scaledBy])
		return types.Int64Null(), tf.ObjectOf(Autoscaling{Min: types.Int64Value(lowest), Max: types.Int64Value(highest), By: by, CPU: quantity("cpu"), Memory: quantity("memory")})
	}
	if d.Spec.Replicas == nil {
		return types.Int64Null(), tf.NullObject[Autoscaling]()
	}
	return types.Int64Value(int64(*d.Spec.Replicas)), tf.NullObject[Autoscaling]()
}

func parseRollout(spec clusterapi.MachineDeploymentSpec) tf.Object[Rollout] {
	r := Rollout{Strategy: types.StringValue(strategyRolling), MaxUnavailable: types.Int64Null(), MaxSurge: types.Int64Null(), Paused: types.BoolValue(spec.Paused != nil && *spec.Paused)}
	if spec.Rollout == nil || spec.Rollout.Strategy == nil {
		return tf.ObjectOf(r)
	}
	if spec.Rollout.Strategy.Type == clusterapi.OnDelete {
		r.Strategy = types.StringValue(strategyOnDelete)
	}
	if limits := spec.Rollout.Strategy.RollingUpdate; limits != nil {
		if limits.MaxUnavailable != nil {
			r.MaxUnavailable = types.Int64Value(int64(limits.MaxUnavailable.IntValue()))
		}
		if limits.MaxSurge != nil {
			r.MaxSurge = types.Int64Value(int64(limits.MaxSurge.IntValue()))
		}
	}
	return tf.ObjectOf(r)
}

func parseDrain(d clusterapi.MachineDeletion) tf.Object[Drain] {
	return tf.ObjectOf(Drain{
		Timeout: durationOf(d.NodeDrainTimeoutSeconds), VolumeDetachTimeout: durationOf(d.NodeVolumeDetachTimeoutSeconds), NodeDeletionTimeout: durationOf(d.NodeDeletionTimeoutSeconds),
	})
}

func parseHealth(spec clusterapi.MachineHealthCheckSpec) tf.Object[HealthCheck] {
	h := HealthCheck{Timeout: tf.NullDuration(), NodeStartupTimeout: durationOf(spec.Checks.NodeStartupTimeoutSeconds), MaxUnhealthy: types.StringNull()}
	if conditions := spec.Checks.UnhealthyNodeConditions; len(conditions) > 0 {
		h.Timeout = durationOf(conditions[0].TimeoutSeconds)
	}
	if most := spec.Remediation.TriggerIf.UnhealthyLessThanOrEqualTo; most != nil {
		h.MaxUnhealthy = types.StringValue(most.String())
	}
	return tf.ObjectOf(h)
}

// durationOf is a number of seconds as people write it: 15m, not 15m0s.
func durationOf(n *int32) tf.Duration {
	if n == nil {
		return tf.NullDuration()
	}
	text := (time.Duration(*n) * time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return tf.DurationOf(text)
}

// parseHosts reads the hosts. One that is drained has no object, and stays as it is.
func parseHosts(live composite.Live, m Model) tf.Map[tf.Object[Host]] {
	e := effectiveOf(m)
	out := map[string]tf.Object[Host]{}
	keys := map[string]string{}
	for key, host := range e.hosts {
		if tf.TextOr(host.State, stateActive) == stateDrain {
			out[key] = tf.ObjectOf(host)
			continue
		}
		keys[e.objectName(key)] = key
	}
	deployment, _ := composite.As[clusterapi.MachineDeployment](live, clusterapi.MachineDeploymentKind, "")
	pooled := deployment.Spec.Template.ObjectMeta.Labels
	for _, host := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		if host.Spec.Pool != e.name && host.Spec.Pool != "" && keys[host.Name] == "" {
			continue
		}
		key := keys[host.Name]
		if _, said, ok := strings.Cut(host.Labels[labelHost], "."); ok && key == "" {
			key = said
		}
		if key == "" {
			key = strings.TrimPrefix(host.Name, e.name+"-")
		}
		out[key] = tf.ObjectOf(parseHost(host, e.name, key, pooled))
	}
	return tf.MapOf(out)
}

// parseHost reads one host. Labels of the whole pool are on its object, too, and no labels of this host.
func parseHost(host infrastructure.PooledRemoteMachine, pool, key string, pooled map[string]string) Host {
	machine := host.Spec.Machine
	out := Host{
		Address: types.StringValue(machine.Address), Port: types.Int64Value(defaultPort), User: types.StringValue(tf.TextOr(tf.TextOrNull(machine.User), defaultUser)),
		Labels: tf.NullMap[types.String](), State: types.StringNull(), ObjectName: types.StringNull(),
	}
	if machine.Port != 0 {
		out.Port = types.Int64Value(int64(machine.Port))
	}
	if host.Name != pool+"-"+key {
		out.ObjectName = types.StringValue(host.Name)
	}
	labels := map[string]types.String{}
	for name, value := range host.Labels {
		if short, ok := strings.CutPrefix(name, hostPrefix); ok && name != labelHost && !strings.Contains(short, "/") && (pooled[name] != value || !hasKey(pooled, name)) {
			labels[short] = types.StringValue(value)
		}
	}
	if len(labels) > 0 {
		out.Labels = tf.MapOf(labels)
	}
	return out
}
