variable "namespace" {
  description = "Namespace of the management cluster that holds the control plane. Made if it is missing."
  type        = string
  default     = "geo"
  nullable    = false
}

variable "name" {
  description = "Name of the hosted cluster."
  type        = string
  default     = "train"
  nullable    = false
}

variable "k0s_version" {
  description = "k0s version of the control plane, in any of its spellings. Goes up by one minor version at a time."
  type        = string
  default     = "v1.35.7+k0s.0"
  nullable    = false
}

variable "external_address" {
  description = "Host name or address at which the GPU hosts reach the control plane from outside."
  type        = string
  default     = "train.geo.example.com"
  nullable    = false
}

variable "region" {
  description = "Region of the management cluster's CPU nodes that run the control plane (node label topology.kubernetes.io/region)."
  type        = string
  default     = "frankfurt"
  nullable    = false
}

variable "etcd_storage_class" {
  description = "Storage class of the etcd volumes; null takes the management cluster's default."
  type        = string
  default     = null
}

variable "deletion_protection" {
  description = "Refuse to destroy the control plane while this is true. Off here so that the demo can clean up; leave it on for a cluster that matters."
  type        = bool
  default     = false
  nullable    = false
}

variable "hosts" {
  description = "Addresses of the hosts by site and by a name of yours for each, as the management cluster reaches them by SSH. The defaults are addresses that documentation uses; no host has them."
  type = object({
    quebec    = map(string)
    atlanta   = map(string)
    frankfurt = map(string)
  })
  default = {
    quebec    = { gpu01 = "192.0.2.11", gpu02 = "192.0.2.12", gpu03 = "192.0.2.13", gpu04 = "192.0.2.14" }
    atlanta   = { gpu01 = "198.51.100.11", gpu02 = "198.51.100.12" }
    frankfurt = { cpu01 = "203.0.113.11", cpu02 = "203.0.113.12" }
  }
  nullable = false
}

variable "ssh_user" {
  description = "User to log in to the hosts as. Any but root needs sudo without a password."
  type        = string
  default     = "root"
  nullable    = false
}

variable "ssh_private_key" {
  description = "Private key for the hosts, without a passphrase. It is in no state: give it to every run, best as TF_VAR_ssh_private_key."
  type        = string
  sensitive   = true
  ephemeral   = true
  nullable    = false
}

variable "ssh_private_key_version" {
  description = "Any number; another one writes the key again."
  type        = number
  default     = 1
  nullable    = false
}
