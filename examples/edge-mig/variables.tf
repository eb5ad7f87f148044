variable "k0s_version" {
  description = "k0s version of control plane and hosts."
  type        = string
  default     = "v1.35.7+k0s.0"
  nullable    = false
}

variable "external_address" {
  description = "Host name or address at which the hosts reach the control plane."
  type        = string
  default     = "edge.example.com"
  nullable    = false
}

variable "ssh_private_key" {
  description = "Private key for the hosts, without a passphrase. It is in no state: give it to every run, best as TF_VAR_ssh_private_key."
  type        = string
  sensitive   = true
  ephemeral   = true
  nullable    = false
}
