# <namespace>/<name>, the name being that of the MachineDeployment.
terraform import k0smos_node_pool.quebec_a100 geo/quebec-a100
