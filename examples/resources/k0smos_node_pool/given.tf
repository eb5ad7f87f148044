# What the pools of this folder refer to.
resource "k0smos_hosted_control_plane" "train" {
  name      = "train"
  namespace = "geo"
  version   = "v1.35.7+k0s.0"
  expose    = { external_address = "train.geo.example.com" }
  storage   = { etcd = { auto_delete = false } }
}

resource "k0smos_site" "quebec" {
  name      = "quebec"
  namespace = "geo"
  region    = "ca-quebec"
  ssh       = { secret = "quebec-ssh" }
}

resource "k0smos_site" "atlanta" {
  name      = "atlanta"
  namespace = "geo"
  region    = "us-atlanta"
  ssh       = { secret = "atlanta-ssh" }
}

resource "k0smos_site" "frankfurt" {
  name      = "frankfurt"
  namespace = "geo"
  region    = "eu-frankfurt"
  ssh       = { secret = "frankfurt-ssh" }
}
