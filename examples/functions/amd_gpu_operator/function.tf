# What cards the pools have stands in locals, since pools need the control plane and it must not need them.
locals {
  gpus = {
    atlanta = {
      vendor       = "amd"
      model        = "MI300X"
      per_node     = 8
      partitioning = { mode = "amd_partition", profile = "cpx_nps4" }
    }
    quebec = { vendor = "nvidia", model = "A100-80GB", per_node = 8 }
  }

  # Both operators in one cluster: node feature discovery comes with NVIDIA's.
  nvidia = provider::k0smos::nvidia_gpu_operator(local.gpus)
  amd    = provider::k0smos::amd_gpu_operator(local.gpus, { node_feature_discovery = false })
}

resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "train"
  version   = "v1.35.7+k0s.0"
  expose    = { type = "LoadBalancer" }
  storage   = { etcd = { auto_delete = false } }

  # AMD's operator alone would be: helm = provider::k0smos::amd_gpu_operator(local.gpus)
  helm = {
    repositories = merge(local.nvidia.repositories, local.amd.repositories)
    charts       = merge(local.nvidia.charts, local.amd.charts)
  }
}
