# [<namespace of the Cluster>/<name of the Cluster>:]<namespace>/<name>
terraform import k0smos_quota.vision train/train:vision/caps
