# One pool of KAI for one node pool: a scheduler of its own for the nodes with the label kai.scheduler/node-pool = quebec-a100.
resource "k0smos_scheduling_pool" "quebec" {
  name      = "quebec"
  cluster   = { name = "train", namespace = "train" } # or k0smos_hosted_control_plane.train.cluster
  engine    = "kai"
  node_pool = "quebec-a100" # or k0smos_node_pool.quebec.scheduler_pool

  resource = "nvidia.com/gpu"
  capacity = 24 # or k0smos_node_pool.quebec.gpu_capacity["nvidia.com/gpu"]

  placement   = { gpu = "binpack", cpu = "spread" }
  min_runtime = { preempt = "10m", reclaim = "30m" }
  topology    = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]

  args = {
    allow-consolidating-reclaim = "false" # never move running work to make room
  }

  # Who used much gets less of what is left over; needs Prometheus, see the function kai_install.
  fair_share_history = { window = "1w", half_life = "48h" }
}

# What departments and queues take.
output "ref" {
  value = k0smos_scheduling_pool.quebec.ref
}
