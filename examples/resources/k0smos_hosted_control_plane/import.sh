# <namespace>/<name>
terraform import k0smos_hosted_control_plane.train geo/train
