# Hard caps of a namespace: a pod that would go over one is refused, it does not wait.
resource "k0smos_quota" "vision" {
  name      = "caps"
  namespace = "vision"
  cluster   = { name = "train", namespace = "train" } # left out: the management cluster

  cpu    = "256"
  memory = "2Ti"
  pods   = 200
  gpus = {
    "nvidia.com/gpu"         = 8
    "nvidia.com/mig-1g.10gb" = 14
    "amd.com/gpu"            = 0 # none at all
  }

  # With a cap on CPU or memory, pods have to say what they ask for; these say it for them.
  default_limits = {
    cpu            = "4"
    memory         = "16Gi"
    cpu_request    = "500m"
    memory_request = "2Gi"
  }
}
