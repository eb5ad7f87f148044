# Only the nodes of one kind of card. A pool has these labels as node_selector.
data "k0smos_gpu_inventory" "a100" {
  cluster  = { name = "train", namespace = "geo" }
  selector = { "k0smos.io/gpu-vendor" = "nvidia", "k0smos.io/gpu-model" = "A100-80GB" }
}
