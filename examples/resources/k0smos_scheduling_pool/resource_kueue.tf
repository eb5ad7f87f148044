# The same pool for Kueue: a ResourceFlavor, and a Topology.
resource "k0smos_scheduling_pool" "kueue" {
  name      = "quebec"
  cluster   = { name = "serve", namespace = "serve" }
  engine    = "kueue"
  node_pool = "quebec-a100"
  resource  = "nvidia.com/gpu"
  capacity  = 24
  topology  = ["topology.kubernetes.io/zone", "kubernetes.io/hostname"]

  lifecycle {
    create_before_destroy = true # a flavor that quotas are given of cannot go before them
  }
}
