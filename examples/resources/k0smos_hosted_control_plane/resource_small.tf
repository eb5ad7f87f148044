# One member, for trying things out: reached by a port of the management cluster's nodes, gone with everything on destroy.
resource "k0smos_hosted_control_plane" "try" {
  name      = "try"
  namespace = "geo"
  version   = "1.35.7"

  expose  = { type = "NodePort", external_address = "192.0.2.10" }
  storage = { etcd = { auto_delete = true } }
  network = { provider = "kuberouter" }

  deletion_protection = false
}
