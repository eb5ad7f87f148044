resource "k0smos_hosted_control_plane" "serve" {
  name      = "serve"
  namespace = "serve"
  version   = "v1.35.7+k0s.0"
  expose    = { type = "LoadBalancer" }
  storage   = { etcd = { auto_delete = false } }

  helm = provider::k0smos::kueue_install({ require_queue = true })
}
