# Which host is which node, and what is wrong with those that are none.
data "k0smos_node_pool" "quebec" {
  name      = "quebec-a100"
  namespace = "geo"
}

output "nodes" {
  value = { for key, host in data.k0smos_node_pool.quebec.hosts : key => host.node if host.ready }
}

output "trouble" {
  value = { for key, host in data.k0smos_node_pool.quebec.hosts : key => host.last_error if host.reserved && !host.ready }
}

# Said in every plan and apply while it is so.
check "quebec" {
  assert {
    condition     = data.k0smos_node_pool.quebec.up_to_date_replicas == data.k0smos_node_pool.quebec.replicas
    error_message = "Hosts in quebec still run an older template or version."
  }
}
