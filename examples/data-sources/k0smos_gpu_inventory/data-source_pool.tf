# Only the nodes of one kind of card.
data "k0smos_gpu_inventory" "quebec" {
  cluster  = k0smos_hosted_control_plane.train.cluster
  selector = k0smos_node_pool.quebec.node_selector
}
