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
