# A token of a service account, good for two hours, in a cluster that is made elsewhere. host, cluster_ca_certificate and
# token go into the block of another provider, such as kubernetes or helm.
ephemeral "k0smos_kubeconfig" "deployer" {
  cluster = { name = "train", namespace = "geo" }

  service_account = {
    name       = "deployer"
    namespace  = "ci"
    expiration = "2h"
  }
}
