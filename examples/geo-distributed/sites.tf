# Three places that share nothing but the internet. The control plane's pods run in Frankfurt, too, but in the management
# cluster; the hosts there are for what else a cluster needs beside GPUs.
locals {
  places = {
    quebec    = { region = "ca-quebec", zone = "beauharnois", latitude = 45.3151, longitude = -73.8779 }
    atlanta   = { region = "us-atlanta", zone = "lithia-springs", latitude = 33.7940, longitude = -84.6605 }
    frankfurt = { region = "eu-frankfurt", zone = "hattersheim", latitude = 50.0726, longitude = 8.4866 }
  }
}

resource "k0smos_site" "this" {
  for_each = local.places

  name      = each.key
  namespace = k0smos_hosted_control_plane.train.namespace # made with the control plane
  region    = each.value.region
  zone      = each.value.zone
  location  = { latitude = each.value.latitude, longitude = each.value.longitude }

  ssh = {
    user                   = var.ssh_user
    use_sudo               = var.ssh_user != "root"
    private_key_wo         = var.ssh_private_key
    private_key_wo_version = var.ssh_private_key_version
  }
}
