data "k0smos_queue_usage" "research" {
  cluster    = { name = "train", namespace = "train" }
  engine     = "kai"
  department = "research"
}

# Who is over the quota, and by how much.
output "borrowed" {
  value = {
    for q in data.k0smos_queue_usage.research.queues : "${q.pool}/${q.name}" => q.gpu.allocated - q.gpu.quota
    if q.gpu.quota != null && try(q.gpu.allocated > q.gpu.quota, false)
  }
}

# A plan says so when somebody broke the tree by hand.
check "tree" {
  assert {
    condition     = length(data.k0smos_queue_usage.research.problems) == 0
    error_message = join("; ", data.k0smos_queue_usage.research.problems)
  }
}
