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
