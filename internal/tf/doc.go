// Package tf holds the value types, validators and shared texts from which the schemas and models of all
// resources are made. A model built of these types can hold null and unknown anywhere, takes its Terraform
// type from its Go type, and compares quantities, durations, versions and manifests by what they mean.
package tf
