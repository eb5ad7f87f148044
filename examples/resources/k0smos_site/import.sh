# <namespace>/<name>
terraform import k0smos_site.quebec geo/quebec
