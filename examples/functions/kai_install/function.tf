locals {
  kai = provider::k0smos::kai_install({ prometheus = true })
}

resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "train"
  version   = "v1.35.7+k0s.0"
  expose    = { type = "LoadBalancer" }
  storage   = { etcd = { auto_delete = false } }

  # KAI alone would be: helm = local.kai
  helm = {
    repositories = { prometheus = { url = "https://prometheus-community.github.io/helm-charts" } }
    charts = merge(local.kai.charts, {
      # KAI's own Prometheus needs the operator.
      metrics = { chart = "prometheus/kube-prometheus-stack", version = "75.0.0", namespace = "metrics" }
    })
  }
}

# Values of the chart, for KAI as a service of k0rdent.
output "values" {
  value = provider::k0smos::kai_install({ values = { global = { nodeSelector = { pool = "system" } } } }).charts["kai-scheduler"].values
}
