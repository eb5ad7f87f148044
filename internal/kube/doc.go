// Package kube does all I/O with Kubernetes clusters: credentials, the pool of clusters, server-side apply, batched reads,
// waits and the wording of what went wrong. It knows the Kubernetes API and nothing of Terraform.
//
// A Pool belongs to one configuration of the provider. It dials nothing until the first request, and all that it remembers
// dies with it. Requests are plain HTTP against paths that are known beforehand: no OpenAPI document is fetched, and nothing
// is discovered that was not asked for.
package kube
