# Admin access to a hosted cluster of the same configuration. It is opened once the cluster is there, since
# cluster.uid is not known before.
resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "geo"
  version   = "v1.35.7+k0s.0"
  expose    = { external_address = "train.example.net" }
  storage   = { etcd = { auto_delete = true } }
}

ephemeral "k0smos_kubeconfig" "admin" {
  cluster = k0smos_hosted_control_plane.train.cluster
}

# Kept for a pipeline in the management cluster, and not in the state: k0smos_manifest never stores secret_data_wo there.
resource "k0smos_manifest" "pipeline" {
  manifest = {
    apiVersion = "v1"
    kind       = "Secret"
    metadata   = { name = "train-access", namespace = "geo" }
  }

  secret_data_wo         = { kubeconfig = ephemeral.k0smos_kubeconfig.admin.kubeconfig }
  secret_data_wo_version = 1
}
