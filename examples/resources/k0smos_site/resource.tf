# The key comes from the environment, a vault or a file, and goes into one Secret; no state holds it.
variable "quebec_key" {
  type      = string
  ephemeral = true
  sensitive = true
}

resource "k0smos_site" "quebec" {
  name      = "quebec"
  namespace = "geo"
  region    = "ca-quebec"
  zone      = "beauharnois"
  location  = { latitude = 45.3151, longitude = -73.8779 }

  ssh = {
    user                   = "k0s"
    use_sudo               = true
    private_key_wo         = var.quebec_key
    private_key_wo_version = 1 # another number writes the key again
  }
}
