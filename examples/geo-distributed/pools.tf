# What cards the hosts have. It stands in locals because the operators of NVIDIA and AMD, which the control plane installs, have
# to know it too, and pools need the control plane.
locals {
  gpus = {
    quebec  = { vendor = "nvidia", model = "A100-80GB", per_node = 8 }
    atlanta = { vendor = "amd", model = "MI300X", per_node = 8 }
  }

  operators = {
    nvidia = provider::k0smos::nvidia_gpu_operator(local.gpus)
    amd    = provider::k0smos::amd_gpu_operator(local.gpus, { node_feature_discovery = false }) # NVIDIA's brings it
  }
}

# 4 hosts with 8 A100 each.
resource "k0smos_node_pool" "quebec" {
  name    = "quebec-a100"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.this["quebec"].ref
  version = k0smos_hosted_control_plane.train.version # the control plane is upgraded first, then the hosts, one by one
  hosts   = { for key, address in var.hosts.quebec : key => { address = address } }
  gpu     = local.gpus.quebec

  taints         = { "nvidia.com/gpu" = { value = "present" } } # for pods that ask for GPUs
  scheduler_pool = local.node_pool["kai.scheduler/node-pool"]
}

# 2 hosts with 8 MI300X each.
resource "k0smos_node_pool" "atlanta" {
  name    = "atlanta-mi300x"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.this["atlanta"].ref
  version = k0smos_hosted_control_plane.train.version
  hosts   = { for key, address in var.hosts.atlanta : key => { address = address } }
  gpu     = local.gpus.atlanta

  taints         = { "amd.com/gpu" = { value = "present" } }
  scheduler_pool = "atlanta-mi300x"
}

# 2 hosts without GPUs, where system pods run.
resource "k0smos_node_pool" "frankfurt" {
  name    = "frankfurt-system"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.this["frankfurt"].ref
  version = k0smos_hosted_control_plane.train.version
  hosts   = { for key, address in var.hosts.frankfurt : key => { address = address } }

  labels = { "node-role.kubernetes.io/system" = "" }
}

# Which host is which node, read after every change of the pool.
data "k0smos_node_pool" "quebec" {
  name      = k0smos_node_pool.quebec.name
  namespace = k0smos_hosted_control_plane.train.namespace

  depends_on = [k0smos_node_pool.quebec]
}
