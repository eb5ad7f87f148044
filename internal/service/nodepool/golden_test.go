package nodepool

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

// configs are the cases of the golden files in testdata.
var configs = map[string]string{
	"minimal": `
name: system
cluster: {name: train, namespace: train}
site: {name: frankfurt, namespace: train, ssh: {secret: frankfurt-ssh}}
version: 1.35.7
hosts:
  cpu01: {address: 192.0.2.11}
  cpu02: {address: 192.0.2.12}`,

	"quebec": quebec,

	"atlanta": `
name: atlanta-mi300x
cluster: {name: train, namespace: train}
site: {name: atlanta, namespace: train, region: us-ga, zone: atlanta-1, ssh: {user: k0s, port: 2222, use_sudo: true, secret: atlanta-ssh}}
version: v1.35.7+k0s.0
hosts:
  gpu01: {address: 198.51.100.11, labels: {rack: r1}}
  gpu02: {address: 198.51.100.12, port: 22, user: root, labels: {rack: r2}}
gpu: {vendor: amd, model: MI300X, per_node: 8, memory: 192Gi}`,

	"everything": `
name: edge
namespace: edge
cluster: {name: edge, namespace: edge, uid: 5f0c}
site: {name: lab, namespace: edge, ssh: {secret: lab-ssh}}
version: v1.36.2+k0s.1
hosts:
  a: {address: 10.20.0.11, object_name: lab-host-a}
  b: {address: 10.20.0.12}
  c: {address: 10.20.0.13, state: drain}
replicas: 1
gpu: {vendor: nvidia, model: L40S, per_node: 2, runtime: host}
labels: {example.com/team: vision, node-role.kubernetes.io/gpu: "", node-restriction.kubernetes.io/tenant: blue}
annotations: {example.com/ticket: "4711"}
taints:
  nvidia.com/gpu: {value: present}
  example.com/edge: {effect: NoExecute}
scheduler_pool: edge-l40s
node_ip_cidr: 10.20.0.0/16
pre_k0s_commands: ["modprobe nvidia", "test -e /dev/nvidia0 || exit 1"]
post_k0s_commands: ["systemctl restart node-exporter"]
files:
  /etc/sysctl.d/90-edge.conf: {content: "vm.swappiness = 0\n"}
  /etc/k0s/registries.yaml: {secret: {name: registries, key: config}, permissions: "0600"}
worker_args: ["--profile=gpu", "--kubelet-extra-args=--max-pods=250 --v=2", "--cri-socket=remote:unix:///run/a b's.sock"]
k0s: {download_url: "https://mirror.example.net/k0s-v1.36.2+k0s.1-amd64"}
rollout: {max_unavailable: 1, max_surge: 1}
drain: {timeout: 1h, volume_detach_timeout: 10m, node_deletion_timeout: 90s}
health_check: {timeout: 10m, node_startup_timeout: 30m, max_unhealthy: 40%}
reprovision: {a: "2026-11-30"}`,

	"autoscaled": `
name: quebec-a100
cluster: {name: train, namespace: train}
site: {name: quebec, namespace: train, region: ca-qc, ssh: {secret: quebec-ssh}}
version: v1.35.7+k0s.0
hosts:
  gpu01: {address: 203.0.113.11}
  gpu02: {address: 203.0.113.12}
autoscaling: {min: 0, max: 2, cpu: 128, memory: 1024Gi}
taints: {nvidia.com/gpu: {value: present}}
gpu: {vendor: nvidia, model: A100-80GB, per_node: 8}`,

	"energy": `
name: quebec-a100
cluster: {name: train, namespace: train}
site: {name: quebec, namespace: train, ssh: {secret: quebec-ssh}}
version: v1.35.7+k0s.0
hosts: {gpu01: {address: 203.0.113.11}}
autoscaling: {min: 0, max: 1, by: energy}
rollout: {strategy: on_delete, paused: true}`,

	"partitioned": `
name: edge-mig
cluster: {name: edge, namespace: edge}
site: {name: lab, namespace: edge, ssh: {secret: lab-ssh}}
version: v1.35.7+k0s.0
hosts: {a: {address: 10.20.0.11}}
gpu: {vendor: nvidia, model: A100-80GB, per_node: 4, memory: 80Gi, partitioning: {mode: mig, profile: 1g.10gb, strategy: mixed}}`,

	"elsewhere": `
name: burst
cluster: {name: train, namespace: train}
site: {name: cloud, namespace: train, region: eu-west}
version: v1.35.7+k0s.0
machine_template: {api_version: infrastructure.cluster.x-k8s.io/v1beta2, kind: AWSMachineTemplate, name: burst-gpu}
replicas: 3`,

	"job": `
name: behind-bastion
cluster: {name: train, namespace: train}
site: {name: vault, namespace: train, ssh: {secret: vault-ssh}}
version: v1.35.7+k0s.0
hosts: {a: {address: 10.9.0.11}}
k0s: {pre_installed: true}
provision_job:
  ssh_command: tsh ssh
  scp_command: tsh scp
  job_template: '{"spec":{"backoffLimit":3,"template":{"spec":{"containers":[{"name":"ssh","image":"example.net/tsh:17"}],"restartPolicy":"Never"}}}}'`,
}

// quebec is the largest pool of the reference deployment.
const quebec = `
name: quebec-a100
cluster: {name: train, namespace: train, uid: 0f3c}
site: {name: quebec, namespace: train, region: ca-qc, zone: montreal-1, ssh: {user: root, port: 22, use_sudo: false, secret: quebec-ssh}}
version: v1.35.7+k0s.0
hosts:
  gpu01: {address: 203.0.113.11, labels: {rack: r12}}
  gpu02: {address: 203.0.113.12, labels: {rack: r12}}
  gpu03: {address: 203.0.113.13, labels: {rack: r13}}
  gpu04: {address: 203.0.113.14, labels: {rack: r13}}
gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, memory: 80Gi}
taints: {nvidia.com/gpu: {value: present}}
scheduler_pool: quebec-a100`

func TestConfigurationsComposeToGoldenObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }
