package controlplane

import "github.com/k0smos/terraform-provider-k0smos/internal/tf"

// keepFixed takes from prior what k0s cannot change. If somebody changed it in an object all the same, that is drift, which the
// next apply takes back. As an attribute it would be a change that fixedInK0s refuses, and every plan would fail.
func keepFixed(read, prior Model) Model {
	if now, ok := read.Expose.Get(); ok {
		was, _ := prior.Expose.Get()
		if effectiveOf(read).exposeType != effectiveOf(prior).exposeType {
			now.Ingress = was.Ingress
		}
		now.Type, now.APIPort, now.KonnectivityPort = was.Type, was.APIPort, was.KonnectivityPort
		read.Expose = tf.ObjectOf(now)
	}
	if now, ok := read.Network.Get(); ok {
		was, had := prior.Network.Get()
		if !had {
			was = Network{Cilium: tf.NullObject[Cilium]()}
		}
		now.Provider, now.PodCIDR, now.ServiceCIDR, now.ClusterDomain = was.Provider, was.PodCIDR, was.ServiceCIDR, was.ClusterDomain
		if o := tf.ObjectOf(now); had || !hollow(o) {
			read.Network = o
		} else {
			read.Network = prior.Network
		}
	}
	now, ok := read.Storage.Get()
	was, _ := prior.Storage.Get()
	if !ok || effectiveOf(read).storageType != effectiveOf(prior).storageType {
		read.Storage = prior.Storage
		return read
	}
	if etcd, ok := now.Etcd.Get(); ok {
		before, _ := was.Etcd.Get()
		etcd.StorageClass = before.StorageClass
		now.Type, now.Etcd = was.Type, tf.ObjectOf(etcd)
		read.Storage = tf.ObjectOf(now)
	}
	return read
}
