# A label on an object that something else owns. Only the label is owned; destroy takes it off again and leaves the object.
resource "k0smos_manifest" "default_namespace" {
  manifest = {
    apiVersion = "v1"
    kind       = "Namespace"
    metadata   = { name = "default", labels = { team = "platform" } }
  }

  adopt = true
}
