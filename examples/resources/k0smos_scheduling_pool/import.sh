# <namespace of the Cluster>/<name of the Cluster>:<engine>/<name of the pool>
terraform import k0smos_scheduling_pool.quebec train/train:kai/quebec
