# <apiVersion>/<Kind>:[<namespace>/]<name>, in the management cluster
terraform import k0smos_manifest.registry v1/Secret:geo/registry

# <cluster namespace>/<cluster name>: before it, in a hosted cluster
terraform import k0smos_manifest.vision geo/train:v1/ResourceQuota:vision/vision
