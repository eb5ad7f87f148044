terraform {
  required_version = ">= 1.11"

  required_providers {
    k0smos = {
      source = "k0smos/k0smos"
    }
  }
}

# Reaches the management cluster by KUBE_CONFIG_PATH, or in-cluster.
provider "k0smos" {}
