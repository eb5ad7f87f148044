terraform {
  required_providers {
    k0smos = {
      source = "k0smos/k0smos"
    }
  }
}

provider "k0smos" {
  config_path    = "~/.kube/management"
  config_context = "frankfurt"
}

# Runs in the management cluster ...
resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "geo"
  version   = "v1.35.7+k0s.0"

  expose  = { type = "LoadBalancer" }
  storage = { type = "etcd", etcd = { size = "5Gi", auto_delete = false } }
}

# ... and this is put into the cluster that it hosts, in the same apply.
resource "k0smos_manifest" "team" {
  cluster = k0smos_hosted_control_plane.train.cluster

  manifest = {
    apiVersion = "v1"
    kind       = "Namespace"
    metadata   = { name = "vision" }
  }
}
