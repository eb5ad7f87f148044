# <namespace of the Cluster>/<name of the Cluster>:<engine>/<name of the department>
terraform import k0smos_department.research train/train:kai/research
