locals {
  projects = {
    vision   = { cpu = "256", memory = "1Ti" }
    language = { cpu = "128500m", memory = "512Gi" }
  }
}

# "384500m" and "1536Gi"
output "cpu" {
  value = provider::k0smos::quantity_sum([for p in local.projects : p.cpu])
}

output "memory" {
  value = provider::k0smos::quantity_sum([for p in local.projects : p.memory])
}
