# Four hosts of eight A100 each. Every key names a machine that is there already.
resource "k0smos_node_pool" "quebec_a100" {
  name    = "quebec-a100"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.quebec.ref
  version = k0smos_hosted_control_plane.train.version # the control plane goes first, the hosts follow one by one

  hosts = {
    gpu01 = { address = "192.0.2.11", labels = { rack = "r12" } }
    gpu02 = { address = "192.0.2.12", labels = { rack = "r12" } }
    gpu03 = { address = "192.0.2.13", labels = { rack = "r13" } }
    gpu04 = { address = "192.0.2.14", labels = { rack = "r13" }, state = "drain" } # out for repair
  }

  gpu = {
    vendor   = "nvidia"
    model    = "A100-80GB"
    per_node = 8
  }

  taints         = { "nvidia.com/gpu" = { value = "present" } }
  scheduler_pool = "quebec-a100"
  drain          = { timeout = "30m" }
}

output "gpus" {
  value = k0smos_node_pool.quebec_a100.gpu_capacity # {"nvidia.com/gpu" = 24}
}
