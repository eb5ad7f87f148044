# What GPUs the nodes of a hosted cluster have now.
data "k0smos_gpu_inventory" "train" {
  cluster = k0smos_hosted_control_plane.train.cluster
}

# Devices by site and resource: { atlanta = { "amd.com/gpu" = 16 }, quebec = { "nvidia.com/gpu" = 32 } }.
output "gpus" {
  value = {
    for site in distinct(data.k0smos_gpu_inventory.train.offerings[*].site) : coalesce(site, "elsewhere") => {
      for resource in distinct([for o in data.k0smos_gpu_inventory.train.offerings : o.resource if o.site == site]) :
      resource => sum([for o in data.k0smos_gpu_inventory.train.offerings : o.allocatable if o.site == site && o.resource == resource])
    }
  }
}

# Said in every plan and apply while a pool has fewer devices than it is to have.
check "quebec_is_complete" {
  assert {
    condition = alltrue([
      for resource, count in k0smos_node_pool.quebec.gpu_capacity :
      try(data.k0smos_gpu_inventory.train.resources[resource].allocatable, 0) >= count
    ])
    error_message = "Pool quebec lacks devices: look for nodes that are not ready, and for the GPU operator."
  }
}
