package nodepool

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// brief leaves out every attribute that says what it would mean when left out.
func brief(m Model) Model {
	e := effectiveOf(m)
	if !m.Hosts.IsNull() {
		hosts := map[string]tf.Object[Host]{}
		for key, host := range e.hosts {
			host.Port = unless(host.Port, tf.NumberOr(e.ssh.Port, defaultPort))
			host.User = unlessText(host.User, tf.TextOr(e.ssh.User, defaultUser))
			hosts[key] = tf.ObjectOf(host)
		}
		m.Hosts = tf.MapOf(hosts)
		if !e.scaled {
			m.Replicas = unless(m.Replicas, int64(len(e.active())))
		}
	}
	if e.scaled {
		e.autoscaling.By = unlessText(e.autoscaling.By, byClusterAutoscaler)
		m.Autoscaling = tf.ObjectOf(e.autoscaling)
	}
	r := e.rollout
	r.Strategy = unlessText(r.Strategy, strategyRolling)
	r.MaxUnavailable, r.MaxSurge = unless(r.MaxUnavailable, defaultMaxUnavailable), unless(r.MaxSurge, defaultMaxSurge)
	if !r.Paused.ValueBool() {
		r.Paused = types.BoolNull()
	}
	m.Rollout = unlessHollow(r)
	d := e.drain
	d.Timeout, d.VolumeDetachTimeout, d.NodeDeletionTimeout = unlessLasts(d.Timeout, defaultDrain), unlessLasts(d.VolumeDetachTimeout, defaultVolumeDetach), unlessLasts(d.NodeDeletionTimeout, defaultNodeDeletion)
	m.Drain = unlessHollow(d)
	if !m.HealthCheck.IsNull() {
		h := e.health
		h.Timeout, h.NodeStartupTimeout = unlessLasts(h.Timeout, defaultUnhealthy), unlessLasts(h.NodeStartupTimeout, defaultNodeStartup)
		h.MaxUnhealthy = unlessText(h.MaxUnhealthy, defaultMaxUnhealthy)
		m.HealthCheck = tf.ObjectOf(h)
	}
	if !m.Taints.IsNull() {
		taints := map[string]tf.Object[Taint]{}
		for key, o := range m.Taints.Known() {
			if t, ok := o.Get(); ok {
				t.Effect = unlessText(t.Effect, defaultEffect)
				taints[key] = tf.ObjectOf(t)
			}
		}
		m.Taints = tf.MapOf(taints)
	}
	return m
}

// unlessHollow is the object, or null if it has nothing but nulls.
func unlessHollow[T any](v T) tf.Object[T] {
	o := tf.ObjectOf(v)
	for _, part := range o.Attributes() {
		if !part.IsNull() {
			return o
		}
	}
	return tf.NullObject[T]()
}

func unless(v types.Int64, standard int64) types.Int64 {
	if v.ValueInt64() == standard {
		return types.Int64Null()
	}
	return v
}

func unlessText(v types.String, standard string) types.String {
	if v.ValueString() == standard {
		return types.StringNull()
	}
	return v
}

func unlessLasts(v tf.Duration, standard time.Duration) tf.Duration {
	if d, ok := v.Get(); ok && d == standard {
		return tf.NullDuration()
	}
	return v
}
