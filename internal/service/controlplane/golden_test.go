package controlplane

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

// configs are the cases of the golden files in testdata.
var configs = map[string]string{
	"minimal": `
name: train
namespace: train
version: 1.35.7
expose: {}
storage: {etcd: {auto_delete: true}}`,

	"reference": reference,

	"nodeport": `
name: edge
namespace: edge
version: v1.36.2+k0s.1
expose: {type: NodePort, external_address: 192.0.2.10}
storage: {etcd: {auto_delete: false, size: 10Gi, storage_class: fast}}
network: {provider: kuberouter, pod_cidr: 10.100.0.0/16, service_cidr: 10.101.0.0/16, cluster_domain: edge.example.net}`,

	"ingress": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose:
  type: Ingress
  ingress:
    api_host: api.train.example.net
    konnectivity_host: konnectivity.train.example.net
    class_name: haproxy
    annotations: {haproxy.org/ssl-passthrough: "true"}
storage: {etcd: {auto_delete: true}}`,

	"kine": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose: {type: ClusterIP, external_address: api.train.example.net}
storage: {type: kine, kine: {secret: train-database}}
network: {provider: calico}`,

	"placement": `
name: train
namespace: train
version: v1.35.7+k0s.0
replicas: 3
expose:
  annotations: {example.com/load-balancer: internal}
storage: {etcd: {auto_delete: true}}
network: {provider: custom}
placement:
  node_selector: {topology.kubernetes.io/region: eu-frankfurt}
  tolerations:
    planes: {key: dedicated, value: control-planes, effect: NoSchedule}
    anything: {operator: Exists, effect: NoExecute}
  topology_spread:
    topology.kubernetes.io/zone: {}
    kubernetes.io/hostname: {max_skew: 2, when_unsatisfiable: ScheduleAnyway}
resources:
  requests: {cpu: 1000m, memory: 2048Mi}
  limits: {memory: 4Gi}`,

	"charts": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose: {external_address: api.train.example.net}
storage: {etcd: {auto_delete: true}}
network:
  cilium:
    version: 1.18.4
    mtu: 1420
    values: '{"hubble":{"enabled":true},"operator":{"replicas":2}}'
helm:
  repositories:
    nvidia: {url: https://helm.ngc.nvidia.com/nvidia}
  charts:
    gpu-operator: {chart: nvidia/gpu-operator, version: v25.10.0, namespace: gpu-operator, order: 1, timeout: 30m, values: '{"driver":{"enabled":false}}'}
    kueue: {chart: oci://registry.k8s.io/kueue/charts/kueue, version: 0.14.4}`,

	"k0s-config": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose: {external_address: api.train.example.net}
storage: {etcd: {auto_delete: true}}
network: {provider: kuberouter}
k0s_config: |
  {"spec": {
    "telemetry": {"enabled": true},
    "api": {"sans": ["api.internal"], "extraArgs": {"audit-log-maxage": "30"}},
    "network": {"kubeProxy": {"mode": "ipvs"}, "nodeLocalLoadBalancing": {"enabled": true}},
    "workerProfiles": [{"name": "gpu", "values": {"cpuManagerPolicy": "static"}}],
    "images": null
  }}`,

	"defrag": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose: {}
storage: {etcd: {auto_delete: true, defrag: {}}}
network: {provider: kuberouter}`,

	"defrag-nightly": `
name: train
namespace: train
version: v1.35.7+k0s.0
expose: {}
storage: {etcd: {auto_delete: true, size: 0.5Gi, defrag: {schedule: 30 3 * * *}}}
network: {provider: kuberouter}`,
}

// reference is the control plane of the reference deployment.
const reference = `
name: train
namespace: train
version: v1.35.7+k0s.0
replicas: 3
expose: {external_address: api.train.example.net}
storage: {etcd: {auto_delete: true, size: 5Gi}}
network: {cilium: {encryption: wireguard}}`

func TestConfigurationsComposeToGoldenObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }
