# What cards the pools have stands in locals, since pools need the control plane and it must not need them.
locals {
  gpus = {
    quebec = {
      vendor       = "nvidia"
      model        = "A100-80GB"
      per_node     = 8
      partitioning = { mode = "mig", profile = "1g.10gb", strategy = "mixed" }
    }
    notebooks = {
      vendor       = "nvidia"
      model        = "T4"
      per_node     = 2
      partitioning = { mode = "time_slicing", replicas = 4 }
    }
  }

  nvidia = provider::k0smos::nvidia_gpu_operator(local.gpus)
}

resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "train"
  version   = "v1.35.7+k0s.0"
  expose    = { type = "LoadBalancer" }
  storage   = { etcd = { auto_delete = false } }

  # The operator alone would be: helm = local.nvidia
  helm = {
    repositories = merge(local.nvidia.repositories, {
      prometheus = { url = "https://prometheus-community.github.io/helm-charts" }
    })
    charts = merge(local.nvidia.charts, {
      metrics = { chart = "prometheus/kube-prometheus-stack", version = "75.0.0", namespace = "metrics" }
    })
  }
}

resource "k0smos_node_pool" "quebec" {
  name    = "quebec"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.quebec.ref
  version = k0smos_hosted_control_plane.train.version
  hosts   = { gpu01 = { address = "192.0.2.11" } }
  gpu     = local.gpus.quebec
}

resource "k0smos_site" "quebec" {
  name      = "quebec"
  namespace = "train"
  ssh       = { secret = "quebec-ssh" }
}

# Configurations of your own, and values of the chart.
output "halves" {
  value = provider::k0smos::nvidia_gpu_operator(
    { quebec = { vendor = "nvidia", model = "A100-80GB", per_node = 8, partitioning = { mode = "mig", config = "halves", strategy = "mixed" } } },
    {
      mig_configs = {
        halves = [
          { devices = [0, 1, 2, 3], mig-enabled = false },
          { devices = [4, 5, 6, 7], mig-enabled = true, mig-devices = { "3g.40gb" = 2 } },
        ]
      }
      values = { driver = { version = "580.105.08" } }
    }
  ).charts["gpu-operator"].values
}
