# What is inside of the hosted cluster, in the same apply: the kind Queue of the KAI scheduler, and two queues of it.
# The scheduler's chart normally brings the kind; this is the part of it that the queues below use.
resource "k0smos_manifest" "queue_kind" {
  cluster = k0smos_hosted_control_plane.train.cluster

  manifest = {
    apiVersion = "apiextensions.k8s.io/v1"
    kind       = "CustomResourceDefinition"
    metadata   = { name = "queues.scheduling.run.ai" }
    spec = {
      group = "scheduling.run.ai"
      scope = "Cluster"
      names = { kind = "Queue", listKind = "QueueList", plural = "queues", singular = "queue" }
      versions = [{
        name         = "v2"
        served       = true
        storage      = true
        subresources = { status = {} }
        schema = {
          openAPIV3Schema = {
            type = "object"
            properties = {
              spec = {
                type = "object"
                properties = {
                  displayName       = { type = "string" }
                  parentQueue       = { type = "string" }
                  priority          = { type = "integer" }
                  preemptMinRuntime = { type = "string" }
                  reclaimMinRuntime = { type = "string" }
                  resources = {
                    type       = "object"
                    properties = { for resource in ["gpu", "cpu", "memory"] : resource => local.shares }
                  }
                }
              }
              status = {
                type                                   = "object"
                "x-kubernetes-preserve-unknown-fields" = true
              }
            }
          }
        }
      }]
    }
  }
}

locals {
  # The share of one resource that a queue has.
  shares = {
    type = "object"
    properties = {
      quota           = { type = "number" } # guaranteed
      limit           = { type = "number" } # never more than this
      overQuotaWeight = { type = "number" } # share of what others leave idle
    }
  }

  # -1 stands for "unlimited". A number that is left out would mean 0, which lets nothing run, so all nine are written.
  unlimited = { quota = -1, limit = -1, overQuotaWeight = 1 }

  # The scheduler of a node pool sees only queues that carry its label, parents too.
  node_pool = { "kai.scheduler/node-pool" = "quebec-a100" }
}

# A department, and one project of it with 8 of the department's 16 GPUs guaranteed and 12 at most.
resource "k0smos_manifest" "research" {
  cluster = k0smos_hosted_control_plane.train.cluster

  manifest = {
    apiVersion = "scheduling.run.ai/v2"
    kind       = "Queue"
    metadata = {
      name   = "research-quebec-a100"
      labels = local.node_pool
    }
    spec = {
      displayName       = "research"
      priority          = 100
      reclaimMinRuntime = "30m"
      resources = {
        gpu    = { quota = 16, limit = -1, overQuotaWeight = 1 }
        cpu    = local.unlimited
        memory = local.unlimited
      }
    }
  }

  depends_on = [k0smos_manifest.queue_kind]
}

resource "k0smos_manifest" "vision" {
  cluster = k0smos_hosted_control_plane.train.cluster

  manifest = {
    apiVersion = "scheduling.run.ai/v2"
    kind       = "Queue"
    metadata = {
      name   = "vision-quebec-a100"
      labels = local.node_pool
    }
    spec = {
      displayName = "vision"
      parentQueue = k0smos_manifest.research.manifest.metadata.name
      resources = {
        gpu    = { quota = 8, limit = 12, overQuotaWeight = 2 }
        cpu    = local.unlimited
        memory = local.unlimited
      }
    }
  }
}
