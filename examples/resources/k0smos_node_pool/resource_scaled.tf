# The cluster autoscaler says how many of the hosts are used.
resource "k0smos_node_pool" "atlanta_mi300x" {
  name    = "atlanta-mi300x"
  cluster = k0smos_hosted_control_plane.train.cluster
  site    = k0smos_site.atlanta.ref
  version = k0smos_hosted_control_plane.train.version

  hosts = { for i in range(1, 9) : format("gpu%02d", i) => { address = "198.51.100.${10 + i}" } }

  autoscaling = { min = 0, max = 8, cpu = "192", memory = "2Ti" }

  gpu = {
    vendor   = "amd"
    model    = "MI300X"
    per_node = 8
  }
}
