variable "cluster" {
  description = "The hosted cluster: the attribute cluster of a hosted control plane, or its name and namespace."
  type        = object({ name = string, namespace = string, uid = optional(string) })
  default     = { name = "train", namespace = "train" }
}

variable "pools" {
  description = "GPU pools, by the value of the node label kai.scheduler/node-pool (scheduler_pool of the node pool)."
  type        = map(object({ resource = string, capacity = number }))
  default = {
    quebec-a100    = { resource = "nvidia.com/gpu", capacity = 24 }
    atlanta-mi300x = { resource = "amd.com/gpu", capacity = 16 }
  }
}
