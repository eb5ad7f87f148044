# What the management cluster can do, before anything is made in it.
data "k0smos_management" "this" {
  lifecycle {
    postcondition {
      condition     = self.cluster_api.supported && self.k0smotron.supported
      error_message = "Cluster API 1.11 and k0smotron 2.0 or later are needed; this cluster serves ${jsonencode(concat(self.cluster_api.versions, self.k0smotron.versions))}."
    }
  }
}

output "management" {
  value = {
    uid        = data.k0smos_management.this.uid
    kubernetes = data.k0smos_management.this.kubernetes_version
    k0rdent    = data.k0smos_management.this.k0rdent.installed
  }
}
