package acctest

// Requirement names the provider for a CLI that runs outside of the test framework.
const Requirement = `terraform {
  required_providers {
    k0smos = { source = "k0smos/k0smos" }
  }
}
`
