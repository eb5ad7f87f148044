package controlplane

import (
	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// brief leaves out every attribute that says what it would mean when left out.
func brief(m Model) Model {
	e := effectiveOf(m)
	m.Expose, m.Storage, m.Network = briefExpose(e), briefStorage(e), briefNetwork(m, e)
	placement := e.placement
	placement.Tolerations = each(placement.Tolerations, func(t Toleration) Toleration {
		without := t
		without.Operator = types.StringNull()
		if tolerationOf(without) == tolerationOf(t) {
			return without
		}
		return t
	})
	placement.TopologySpread = each(placement.TopologySpread, func(s Spread) Spread {
		s.MaxSkew, s.WhenUnsatisfiable = unless(s.MaxSkew, 1), unlessText(s.WhenUnsatisfiable, "DoNotSchedule")
		return s
	})
	if !m.Placement.IsNull() {
		m.Placement = tf.ObjectOf(placement)
	}
	helm := e.helm
	helm.Charts = each(helm.Charts, func(c Chart) Chart {
		c.Namespace = unlessText(c.Namespace, defaultChartSpace)
		return c
	})
	if !m.Helm.IsNull() {
		m.Helm = tf.ObjectOf(helm)
	}
	return m
}

func briefExpose(e effective) tf.Object[Expose] {
	api, konnectivity := ports(e.exposeType)
	e.expose.APIPort, e.expose.KonnectivityPort = unless(e.expose.APIPort, api), unless(e.expose.KonnectivityPort, konnectivity)
	e.expose.Type = unlessText(e.expose.Type, exposeLoadBalancer)
	if !e.expose.Ingress.IsNull() {
		e.ingress.Port = unless(e.ingress.Port, defaultIngressPort)
		e.expose.Ingress = tf.ObjectOf(e.ingress)
	}
	return tf.ObjectOf(e.expose)
}

func briefStorage(e effective) tf.Object[Storage] {
	e.storage.Type = unlessText(e.storage.Type, storageEtcd)
	if !e.storage.Etcd.IsNull() {
		if e.etcd.Size.SameAs(tf.QuantityOf(defaultEtcdSize)) {
			e.etcd.Size = tf.NullQuantity()
		}
		if defrag, ok := e.etcd.Defrag.Get(); ok {
			e.etcd.Defrag = tf.ObjectOf(Defrag{Schedule: unlessText(defrag.Schedule, defaultDefrag)})
		}
		e.storage.Etcd = tf.ObjectOf(e.etcd)
	}
	return tf.ObjectOf(e.storage)
}

func briefNetwork(m Model, e effective) tf.Object[Network] {
	n := e.network
	n.Provider = unlessText(n.Provider, networkCilium)
	if n.PodCIDR.ValueString() == defaultPodCIDR {
		n.PodCIDR = cidrtypes.NewIPPrefixNull()
	}
	if n.ServiceCIDR.ValueString() == defaultServiceCIDR {
		n.ServiceCIDR = cidrtypes.NewIPPrefixNull()
	}
	if !n.Cilium.IsNull() {
		e.cilium.Encryption = unlessText(e.cilium.Encryption, encryptionNone)
		e.cilium.Version = unlessText(e.cilium.Version, defaultCilium)
		if n.Cilium = tf.ObjectOf(e.cilium); hollow(n.Cilium) {
			n.Cilium = tf.NullObject[Cilium]()
		}
	}
	if o := tf.ObjectOf(n); !m.Network.IsNull() && !hollow(o) {
		return o
	}
	return tf.NullObject[Network]()
}

// hollow tells an object that has nothing but nulls.
func hollow[T any](o tf.Object[T]) bool {
	for _, v := range o.Attributes() {
		if !v.IsNull() {
			return false
		}
	}
	return true
}

// each changes the elements of a map.
func each[T any](m tf.Map[tf.Object[T]], change func(T) T) tf.Map[tf.Object[T]] {
	if m.IsNull() {
		return m
	}
	out := map[string]tf.Object[T]{}
	for name, element := range m.Known() {
		if v, ok := element.Get(); ok {
			out[name] = tf.ObjectOf(change(v))
		}
	}
	return tf.MapOf(out)
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
