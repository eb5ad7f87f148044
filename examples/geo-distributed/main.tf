# The control plane: three replicas as pods on CPU nodes in Frankfurt, reached from the GPU sites through a load balancer.
# Nothing but Kubernetes API traffic goes through it; the sites talk to each other directly, encrypted by Cilium.
resource "k0smos_hosted_control_plane" "train" {
  name      = var.name
  namespace = var.namespace
  version   = var.k0s_version
  replicas  = 3

  expose = {
    type             = "LoadBalancer"
    external_address = var.external_address
  }

  storage = {
    type = "etcd"
    etcd = {
      size          = "5Gi"
      storage_class = var.etcd_storage_class
      auto_delete   = true # the volumes go with the cluster
    }
  }

  network = {
    provider     = "cilium"
    pod_cidr     = "10.244.0.0/16"
    service_cidr = "10.96.0.0/12"
    cilium = {
      encryption = "wireguard"
    }
  }

  placement = {
    node_selector = {
      "topology.kubernetes.io/region" = var.region
    }
  }

  # The GPU operators of both vendors, in the hosted cluster.
  helm = {
    repositories = merge(local.operators.nvidia.repositories, local.operators.amd.repositories)
    charts       = merge(local.operators.nvidia.charts, local.operators.amd.charts)
  }

  deletion_protection = var.deletion_protection
}
