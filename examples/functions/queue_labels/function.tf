locals {
  pool = { engine = "kai", node_pool = "quebec-a100" } # or k0smos_scheduling_pool.quebec.ref

  # Half a GPU for a notebook that must not be taken down.
  notebook = provider::k0smos::queue_labels(local.pool, "vision", { gpu_fraction = 0.5, priority = "build", preemptible = false })
}

resource "k0smos_manifest" "notebook" {
  cluster = { name = "train", namespace = "train" }

  manifest = {
    apiVersion = "v1"
    kind       = "Pod"
    metadata = {
      name        = "notebook"
      namespace   = "vision"
      labels      = local.notebook.labels
      annotations = local.notebook.annotations
    }
    spec = {
      schedulerName = local.notebook.scheduler_name
      containers    = [{ name = "jupyter", image = "quay.io/jupyter/pytorch-notebook:cuda12-latest" }]
    }
  }
}
