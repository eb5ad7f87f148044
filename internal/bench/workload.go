package main

import (
	"embed"
	"fmt"
	"io/fs"
)

// The objects are KAI queues: small, cluster-scoped, and with a dependency as the real ones have, since every queue names
// its department. A fixed number of departments keeps the graph of the command line linear in the number of objects.
const (
	departments = 2
	group       = "scheduling.run.ai"
	version     = "v2"
	plural      = "queues"
)

//go:embed crds
var embedded embed.FS

// definitions is the CRD of the objects.
func definitions() (fs.FS, error) { return fs.Sub(embedded, "crds") }

// kinds of configuration.
const (
	manifests = "k0smos_manifest"
	reference = "terraform_data"
)

// configuration declares n objects with a kind of resource. Both kinds are given the same values and the same references.
func configuration(resource string, n int) string {
	argument, name := "manifest", "manifest.metadata.name"
	head := "terraform {\n  required_providers {\n    k0smos = { source = \"k0smos/k0smos\" }\n  }\n}\n\nprovider \"k0smos\" {}\n"
	if resource == reference {
		argument, name, head = "input", "output.metadata.name", ""
	}
	return fmt.Sprintf(`%[1]s
locals {
  departments = ["research", "product"]
  numbers     = [for pair in setproduct(range(%[9]d), range(1000)) : pair[0] * 1000 + pair[1]] # range stops at 1024
  queues      = { for i in local.numbers : format("queue-%%05d", i) => local.departments[i %% %[5]d] if i < %[4]d }
}

resource %[2]q "department" {
  for_each = toset(local.departments)
  %[3]s = {
    apiVersion = "%[7]s/%[8]s"
    kind       = "Queue"
    metadata   = { name = each.key }
    spec = {
      displayName = "Department ${each.key}"
      resources = {
        gpu    = { quota = 8, limit = -1, overQuotaWeight = 1 }
        cpu    = { quota = -1, limit = -1, overQuotaWeight = 1 }
        memory = { quota = -1, limit = -1, overQuotaWeight = 1 }
      }
    }
  }
}

resource %[2]q "queue" {
  for_each = local.queues
  %[3]s = {
    apiVersion = "%[7]s/%[8]s"
    kind       = "Queue"
    metadata   = { name = each.key }
    spec = {
      parentQueue = %[2]s.department[each.value].%[6]s
      priority    = 100
      resources = {
        gpu    = { quota = 1, limit = -1, overQuotaWeight = 1 }
        cpu    = { quota = 4000, limit = -1, overQuotaWeight = 1 }
        memory = { quota = 16000, limit = -1, overQuotaWeight = 1 }
      }
    }
  }
}
`, head, resource, argument, n-departments, departments, name, group, version, n/1000+1)
}
