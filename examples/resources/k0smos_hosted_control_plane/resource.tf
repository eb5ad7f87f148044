# Three members on CPU nodes in Frankfurt, for GPU hosts that are elsewhere.
resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "geo"
  version   = "v1.35.7+k0s.0"
  replicas  = 3

  expose = {
    type             = "LoadBalancer"
    external_address = "train.geo.example.com"
  }

  storage = {
    type = "etcd"
    etcd = {
      size        = "5Gi"
      auto_delete = false # keep the volumes when the cluster is destroyed
    }
  }

  network = {
    provider = "cilium"
    cilium = {
      encryption = "wireguard"
    }
  }

  placement = {
    node_selector = {
      "topology.kubernetes.io/region" = "frankfurt"
    }
  }
}

# Other resources address the hosted cluster by this, in the same run too.
output "cluster" {
  value = k0smos_hosted_control_plane.train.cluster
}
