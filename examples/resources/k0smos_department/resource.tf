# 16 of the 24 A100s in Quebec for research, shared by two projects. What one leaves idle the other may use.
resource "k0smos_department" "research" {
  name         = "research"
  display_name = "Research"
  cluster      = { name = "train", namespace = "train" } # or k0smos_hosted_control_plane.train.cluster
  engine       = "kai"
  priority     = 200

  reclaim_min_runtime = "30m" # what was lent runs this long at least before it is taken back

  pools = {
    quebec-a100 = {               # the label of the nodes: k0smos_node_pool.quebec.scheduler_pool
      resource = "nvidia.com/gpu" # or scheduling_pool = k0smos_scheduling_pool.quebec.ref, without resource and capacity
      capacity = 24
      gpu      = { quota = 16, limit = 24 }
    }
  }

  projects = {
    vision = {
      display_name       = "Vision"
      namespaces         = ["vision-train", "vision-serve"]
      enforce_namespaces = true # no other namespace may use its queues
      pools = {
        quebec-a100 = {
          gpu    = { quota = 8, limit = 12, over_quota_weight = 2 }
          memory = { limit = "2Ti" }
        }
      }
    }
    language = {
      namespaces = ["nlp"]
      pools      = { quebec-a100 = { gpu = { quota = 8 } } }
    }
  }
}

# The labels by which pods of the project vision run in the pool.
output "vision" {
  value = k0smos_department.research.pod_labels["vision"]["quebec-a100"]
}
