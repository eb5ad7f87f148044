# The key is in a Secret that something else keeps up to date, under the key "value".
resource "k0smos_site" "atlanta" {
  name      = "atlanta"
  namespace = "geo"
  region    = "us-atlanta"

  ssh = { secret = "vault-atlanta" }
}
