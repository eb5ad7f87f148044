package nodepool

import (
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Values of attributes, and what an attribute that is left out means.
const (
	stateActive = "active"
	stateDrain  = "drain"

	byClusterAutoscaler = "cluster_autoscaler"
	byEnergy            = "energy"

	strategyRolling  = "rolling"
	strategyOnDelete = "on_delete"

	defaultUser           = "root"
	defaultPort           = 22
	defaultMaxUnavailable = 1
	defaultMaxSurge       = 0
	defaultMaxUnhealthy   = "1"
	defaultPermissions    = "0644"

	defaultDrain        = 15 * time.Minute
	defaultVolumeDetach = 5 * time.Minute
	defaultNodeDeletion = time.Minute
	defaultUnhealthy    = 5 * time.Minute
	defaultNodeStartup  = 20 * time.Minute
	defaultEffect       = "NoSchedule"
	longestName         = 50 // two random parts follow it in the name of a Machine, which is a label value of 63
)

// effective is a model with its nested objects unpacked. Objects that are null are zero.
type effective struct {
	name, namespace string
	cluster         composite.ClusterRef
	site            Site
	ssh             SSH
	hosts           map[string]Host
	gpu             GPU
	hasGPU          bool
	template        MachineTemplate
	foreign         bool // the machines come from another infrastructure provider
	jobbed          bool // hosts are reached by a Job, through whatever it knows
	autoscaling     Autoscaling
	scaled          bool // the size is somebody else's
	rollout         Rollout
	drain           Drain
	health          HealthCheck
	k0s             K0s
	pooled          map[string]bool // labels of the whole pool
}

func effectiveOf(m Model) effective {
	var e effective
	e.name, e.namespace = m.Name.ValueString(), namespaceOf(m).ValueString()
	e.cluster, _ = m.Cluster.Get()
	e.site, _ = m.Site.Get()
	e.ssh, _ = e.site.SSH.Get()
	e.gpu, e.hasGPU = m.GPU.Get()
	e.template, e.foreign = m.MachineTemplate.Get()
	e.autoscaling, e.scaled = m.Autoscaling.Get()
	e.rollout, _ = m.Rollout.Get()
	e.drain, _ = m.Drain.Get()
	e.health, _ = m.HealthCheck.Get()
	e.k0s, _ = m.K0s.Get()
	e.jobbed = given(m.ProvisionJob)
	e.pooled = map[string]bool{}
	for key := range m.Labels.Elements() {
		e.pooled[key] = true
	}
	e.hosts = map[string]Host{}
	for key, o := range m.Hosts.Known() {
		if h, ok := o.Get(); ok {
			e.hosts[key] = h
		}
	}
	return e
}

// namespaceOf is the namespace of the pool: its cluster's, unless it is given.
func namespaceOf(m Model) types.String {
	if !m.Namespace.IsNull() {
		return m.Namespace
	}
	if m.Cluster.IsUnknown() {
		return types.StringUnknown()
	}
	cluster, ok := m.Cluster.Get()
	if !ok {
		return types.StringNull()
	}
	return cluster.Namespace
}

// active lists the hosts that may be used, in order.
func (e effective) active() []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(e.hosts)) {
		if tf.TextOr(e.hosts[key].State, stateActive) != stateDrain {
			out = append(out, key)
		}
	}
	return out
}

// replicas is the wanted size where it is ours to say.
func (e effective) replicas(m Model) int64 { return tf.NumberOr(m.Replicas, int64(len(e.active()))) }

// largest is the size that the pool has at most.
func (e effective) largest(m Model) int64 {
	if e.scaled {
		return e.autoscaling.Max.ValueInt64()
	}
	return e.replicas(m)
}

// objectName is the name of a host's object.
func (e effective) objectName(key string) string {
	return tf.TextOr(e.hosts[key].ObjectName, e.name+"-"+key)
}

func (e effective) user(h Host) string { return tf.TextOr(h.User, tf.TextOr(e.ssh.User, defaultUser)) }

func (e effective) port(h Host) int64 {
	return tf.NumberOr(h.Port, tf.NumberOr(e.ssh.Port, defaultPort))
}

func durationOr(v tf.Duration, otherwise time.Duration) time.Duration {
	if d, ok := v.Get(); ok {
		return d
	}
	return otherwise
}

// given tells a value that is certainly there. One that is not known may still turn out to be null.
func given(v attr.Value) bool { return !v.IsNull() && !v.IsUnknown() }

func textsOf(m tf.Map[types.String]) map[string]string {
	out := map[string]string{}
	for k, v := range m.Known() {
		out[k] = v.ValueString()
	}
	return out
}

func listOf(l tf.List[types.String]) []string {
	var out []string
	for _, v := range l.Known() {
		out = append(out, v.ValueString())
	}
	return out
}
