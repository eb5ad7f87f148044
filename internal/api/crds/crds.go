// Package crds ships the CustomResourceDefinitions that are generated from the structs of internal/api: the subset of
// the original definitions that demo and tests need where the originals cannot be had. The provider never installs
// definitions, so it must not import this package.
package crds

import "embed"

// Files holds one definition per file, named <group>_<plural>.yaml. Cluster API's manager needs its own definition of
// clusters.cluster.x-k8s.io, whole, in place of the one here.
//
//go:embed *.yaml
var Files embed.FS
