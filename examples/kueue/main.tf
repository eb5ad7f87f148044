# Kueue's twin of the departments in ../geo-distributed: the same declaration, another engine. Kueue itself comes with the
# control plane: helm = provider::k0smos::kueue_install().
resource "k0smos_scheduling_pool" "this" {
  for_each  = var.pools
  name      = each.key
  cluster   = var.cluster
  engine    = "kueue"
  node_pool = each.key
  resource  = each.value.resource
  capacity  = each.value.capacity

  lifecycle {
    create_before_destroy = true # a flavor that quotas are given of cannot go before them
  }
}

# Two departments over the same cards of two vendors. Kueue has one queue for each project, with every pool as a flavor; what
# one department leaves idle, the other borrows, and gives back when it is asked for.
resource "k0smos_department" "research" {
  name    = "research"
  cluster = var.cluster
  engine  = "kueue"

  pools = {
    quebec-a100    = { scheduling_pool = k0smos_scheduling_pool.this["quebec-a100"].ref, gpu = { quota = 16 } }
    atlanta-mi300x = { scheduling_pool = k0smos_scheduling_pool.this["atlanta-mi300x"].ref, gpu = { quota = 8 } }
  }

  projects = {
    vision = {
      namespaces         = ["vision"]
      enforce_namespaces = true
      pools = {
        quebec-a100    = { gpu = { quota = 8, limit = 12 } }
        atlanta-mi300x = { gpu = { quota = 4 } }
      }
    }
    language = {
      namespaces         = ["language"]
      enforce_namespaces = true
      pools = {
        quebec-a100    = { gpu = { quota = 8 } }
        atlanta-mi300x = { gpu = { quota = 4 } }
      }
    }
  }
}

resource "k0smos_department" "product" {
  name    = "product"
  cluster = var.cluster
  engine  = "kueue"

  pools = {
    quebec-a100    = { scheduling_pool = k0smos_scheduling_pool.this["quebec-a100"].ref, gpu = { quota = 8 } }
    atlanta-mi300x = { scheduling_pool = k0smos_scheduling_pool.this["atlanta-mi300x"].ref, gpu = { quota = 8 } }
  }

  projects = {
    serving = {
      namespaces         = ["serving"]
      enforce_namespaces = true
      pools = {
        quebec-a100    = { gpu = { quota = 8 } }
        atlanta-mi300x = { gpu = { quota = 8 } }
      }
    }
  }
}

# A hard cap besides: no more pods than this, whatever the queues allow.
resource "k0smos_quota" "vision" {
  name      = "caps"
  namespace = "vision"
  cluster   = var.cluster
  pods      = 200

  depends_on = [k0smos_department.research] # which makes the namespace
}
