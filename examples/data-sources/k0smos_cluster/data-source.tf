# A hosted cluster that is made elsewhere.
data "k0smos_cluster" "train" {
  name      = "train"
  namespace = "geo"
}

# Its reference goes wherever a resource asks for a cluster.
resource "k0smos_manifest" "vision" {
  cluster  = data.k0smos_cluster.train.cluster
  manifest = { apiVersion = "v1", kind = "Namespace", metadata = { name = "vision" } }
}

# Said in every plan and apply while it is so.
check "control_plane" {
  assert {
    condition     = data.k0smos_cluster.train.ready
    error_message = "Control plane of train: ${coalesce(data.k0smos_cluster.train.not_ready_because, "ready")}."
  }
}
