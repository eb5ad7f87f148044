package controlplane

import (
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Values of attributes, and what an attribute that is left out means.
const (
	exposeLoadBalancer = "LoadBalancer"
	exposeNodePort     = "NodePort"
	exposeClusterIP    = "ClusterIP"
	exposeIngress      = "Ingress"

	storageEtcd = "etcd"
	storageKine = "kine"

	networkCilium     = "cilium"
	networkKubeRouter = "kuberouter"
	networkCalico     = "calico"
	networkCustom     = "custom"

	encryptionNone      = "none"
	encryptionWireGuard = "wireguard"

	defaultReplicas      = 1
	defaultPodCIDR       = "10.244.0.0/16"
	defaultServiceCIDR   = "10.96.0.0/12"
	defaultClusterDomain = "cluster.local"
	defaultEtcdSize      = "1Gi"
	defaultDefrag        = "0 12 * * *"
	defaultIngressPort   = 443
	defaultChartSpace    = "default"

	// defaultCilium is the chart version of new clusters. A cluster keeps the one it was created with.
	defaultCilium = "1.18.0"
)

// effective is a model with its nested objects unpacked and every default in place. Objects that are null are zero.
type effective struct {
	expose    Expose
	ingress   Ingress
	storage   Storage
	etcd      Etcd
	network   Network
	cilium    Cilium
	placement Placement
	helm      Helm

	exposeType, provider, encryption    string
	podCIDR, serviceCIDR, clusterDomain string
	apiPort, konnectivityPort           int64
	storageType, size                   string
}

// ports are the defaults of api_port and konnectivity_port. Node ports have a range of their own, in which k0smotron's
// defaults lie.
func ports(exposeType string) (api, konnectivity int64) {
	if exposeType == exposeNodePort {
		return 30443, 30132
	}
	return 6443, 8132
}

func effectiveOf(m Model) effective {
	var e effective
	e.expose, _ = m.Expose.Get()
	e.ingress, _ = e.expose.Ingress.Get()
	e.storage, _ = m.Storage.Get()
	e.etcd, _ = e.storage.Etcd.Get()
	e.network, _ = m.Network.Get()
	e.cilium, _ = e.network.Cilium.Get()
	e.placement, _ = m.Placement.Get()
	e.helm, _ = m.Helm.Get()

	e.exposeType = tf.TextOr(e.expose.Type, exposeLoadBalancer)
	api, konnectivity := ports(e.exposeType)
	e.apiPort, e.konnectivityPort = tf.NumberOr(e.expose.APIPort, api), tf.NumberOr(e.expose.KonnectivityPort, konnectivity)
	e.provider = tf.TextOr(e.network.Provider, networkCilium)
	e.encryption = tf.TextOr(e.cilium.Encryption, encryptionNone)
	e.podCIDR = tf.TextOr(e.network.PodCIDR.StringValue, defaultPodCIDR)
	e.serviceCIDR = tf.TextOr(e.network.ServiceCIDR.StringValue, defaultServiceCIDR)
	e.clusterDomain = tf.TextOr(e.network.ClusterDomain, defaultClusterDomain)
	e.storageType = tf.TextOr(e.storage.Type, storageEtcd)
	e.size = tf.TextOr(e.etcd.Size.StringValue, defaultEtcdSize)
	return e
}
