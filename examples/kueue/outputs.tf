output "labels" {
  description = "Labels for workloads, by project and pool."
  value       = merge(k0smos_department.research.pod_labels, k0smos_department.product.pod_labels)
}

output "training_job" {
  description = "What a job of project vision carries to run on the A100s."
  value       = provider::k0smos::queue_labels(k0smos_scheduling_pool.this["quebec-a100"].ref, "vision")
}
