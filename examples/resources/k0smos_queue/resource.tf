# A queue of one team below a department that another workspace declares.
resource "k0smos_queue" "speech" {
  name         = "speech-quebec-a100"
  display_name = "Speech"
  cluster      = { name = "train", namespace = "train" } # or k0smos_hosted_control_plane.train.cluster
  engine       = "kai"
  parent       = "research-quebec-a100" # or k0smos_department.research.parents["quebec-a100"]

  pool = { # or k0smos_scheduling_pool.quebec.ref
    node_pool = "quebec-a100"
    resource  = "nvidia.com/gpu"
    capacity  = 24
  }

  namespaces = ["speech"]
  gpu        = { quota = 4, limit = 8 }
  cpu        = { quota = "64" }
}

# The labels by which pods run in this queue.
output "speech" {
  value = k0smos_queue.speech.pod_labels
}
