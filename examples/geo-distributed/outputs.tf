output "cluster" {
  description = "How other resources address the hosted cluster."
  value       = k0smos_hosted_control_plane.train.cluster
}

output "endpoint" {
  description = "API endpoint of the hosted cluster."
  value       = k0smos_hosted_control_plane.train.endpoint
}

output "queues" {
  description = "Names of the queues, parent first."
  value = [
    k0smos_manifest.research.manifest.metadata.name,
    k0smos_manifest.vision.manifest.metadata.name,
  ]
}

output "gpus" {
  description = "GPUs of each pool by resource name."
  value = {
    quebec  = k0smos_node_pool.quebec.gpu_capacity
    atlanta = k0smos_node_pool.atlanta.gpu_capacity
  }
}

output "quebec_nodes" {
  description = "Which node each host in Quebec is."
  value       = { for key, host in data.k0smos_node_pool.quebec.hosts : key => host.node }
}
