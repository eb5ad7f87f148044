# What GPUs the nodes of a hosted cluster have now.
data "k0smos_gpu_inventory" "train" {
  cluster = { name = "train", namespace = "geo" }
}

locals {
  offerings = data.k0smos_gpu_inventory.train.offerings
  resources = data.k0smos_gpu_inventory.train.resources
}

# Devices by site and resource: { atlanta = { "amd.com/gpu" = 16 }, quebec = { "nvidia.com/gpu" = 32 } }.
output "gpus" {
  value = {
    for site in distinct([for o in local.offerings : coalesce(o.site, "elsewhere")]) : site => {
      for resource in distinct([for o in local.offerings : o.resource if coalesce(o.site, "elsewhere") == site]) :
      resource => sum([for o in local.offerings : o.allocatable if coalesce(o.site, "elsewhere") == site && o.resource == resource])
    }
  }
}

# Said in every plan and apply while devices are missing: a node is not ready, or the GPU operator does not run there.
check "a100" {
  assert {
    condition     = try(local.resources["nvidia.com/gpu"].allocatable, 0) >= 32
    error_message = "The cluster has fewer than 32 GPUs to give out."
  }
}
