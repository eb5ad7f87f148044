# A pool for system pods: no GPUs, and rebuilt by itself where a node stays unhealthy.
resource "k0smos_node_pool" "system" {
  name    = "frankfurt-system"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.frankfurt.ref
  version = k0smos_hosted_control_plane.train.version

  hosts = {
    cpu01 = { address = "203.0.113.11" }
    cpu02 = { address = "203.0.113.12" }
  }

  labels       = { "node-role.kubernetes.io/system" = "" }
  health_check = { timeout = "10m" }
}
