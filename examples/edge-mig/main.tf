# A cluster at the edge: one member of a control plane, and two small pools of hosts whose cards are shared.
locals {
  # The operator that the control plane installs and the pools have to agree on how cards are divided, so both read it here.
  gpus = {
    # Each A100 becomes two instances of 3g.40gb, each with compute and memory of its own.
    inference = {
      vendor       = "nvidia"
      model        = "A100-80GB"
      per_node     = 2
      partitioning = { mode = "mig", profile = "3g.40gb", strategy = "mixed" }
    }
    # Each T4 is offered four times; what runs there takes turns and shares its memory.
    notebooks = {
      vendor       = "nvidia"
      model        = "T4"
      per_node     = 2
      partitioning = { mode = "time_slicing", replicas = 4 }
    }
  }
}

resource "k0smos_hosted_control_plane" "edge" {
  name      = "edge"
  namespace = "edge"
  version   = var.k0s_version
  expose    = { external_address = var.external_address }
  storage   = { etcd = { auto_delete = true } }

  # NVIDIA's operator, with the configurations that the pools' nodes ask for by label.
  helm = provider::k0smos::nvidia_gpu_operator(local.gpus)

  deletion_protection = false
}

resource "k0smos_site" "plant" {
  name      = "plant"
  namespace = k0smos_hosted_control_plane.edge.namespace
  region    = "eu-stuttgart"
  zone      = "hall-3"

  ssh = { private_key_wo = var.ssh_private_key, private_key_wo_version = 1 }
}

# Nodes offer nvidia.com/mig-3g.40gb. Another profile makes new templates; each host takes it when it is built anew, drained first.
resource "k0smos_node_pool" "inference" {
  name    = "plant-inference"
  cluster = k0smos_hosted_control_plane.edge.cluster
  site    = k0smos_site.plant.ref
  version = k0smos_hosted_control_plane.edge.version
  hosts = {
    line1 = { address = "192.0.2.31", labels = { line = "1" } }
    line2 = { address = "192.0.2.32", labels = { line = "2" } }
  }
  gpu    = local.gpus.inference
  taints = { "nvidia.com/gpu" = { value = "present" } }

  rollout = { strategy = "on_delete" } # a host is only taken out of the line when somebody says so (reprovision)
}

# Nodes offer nvidia.com/gpu, eight of them each for two cards.
resource "k0smos_node_pool" "notebooks" {
  name    = "plant-notebooks"
  cluster = k0smos_hosted_control_plane.edge.cluster
  site    = k0smos_site.plant.ref
  version = k0smos_hosted_control_plane.edge.version
  hosts   = { office1 = { address = "192.0.2.41" } }
  gpu     = local.gpus.notebooks
}
