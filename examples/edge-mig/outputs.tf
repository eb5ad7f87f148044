output "devices" {
  description = "What the pools offer, by resource name: for quotas."
  value = {
    inference = k0smos_node_pool.inference.gpu_capacity # nvidia.com/mig-3g.40gb = 8
    notebooks = k0smos_node_pool.notebooks.gpu_capacity # nvidia.com/gpu = 8
  }
}

output "selectors" {
  description = "Labels by which a workload picks the nodes of a pool."
  value = {
    inference = k0smos_node_pool.inference.node_selector
    notebooks = k0smos_node_pool.notebooks.node_selector
  }
}
