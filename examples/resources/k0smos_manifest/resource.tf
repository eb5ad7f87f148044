# An object in a hosted cluster. Here the cluster is made elsewhere; in the same configuration, write
# cluster = k0smos_hosted_control_plane.train.cluster.
resource "k0smos_manifest" "vision" {
  cluster = { name = "train", namespace = "geo" }

  manifest = {
    apiVersion = "v1"
    kind       = "ResourceQuota"
    metadata   = { name = "vision", namespace = "vision" }
    spec       = { hard = { "requests.cpu" = "64", "requests.nvidia.com/gpu" = "8" } }
  }

  create_namespace = true
}
