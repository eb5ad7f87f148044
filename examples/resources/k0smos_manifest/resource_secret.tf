variable "registry_token" {
  type      = string
  sensitive = true
  ephemeral = true
}

# A Secret whose data is in no state, plan or log. Raise the version to write it again.
resource "k0smos_manifest" "registry" {
  manifest = <<-EOT
    apiVersion: v1
    kind: Secret
    metadata:
      name: registry
      namespace: geo
  EOT

  secret_data_wo         = { token = var.registry_token }
  secret_data_wo_version = 1
}
