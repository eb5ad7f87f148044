package devcluster

import (
	"context"
	"io"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/binaries"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/kubeapi"
)

// APIServer is one kube-apiserver with etcd inside.
type APIServer = kubeapi.Server

// APIServerOptions say where an API server keeps its files and who signs its certificates.
type APIServerOptions = kubeapi.Options

// StartAPIServer runs an API server without anything around it, for instance as the cluster that a control plane hosts.
func StartAPIServer(ctx context.Context, o APIServerOptions) (*APIServer, error) {
	return kubeapi.Start(ctx, o)
}

// Paths are the programs of the embedded cluster.
type Paths = binaries.Paths

// Binaries finds the programs of the embedded cluster in the user's cache, or builds them and says so on progress.
func Binaries(ctx context.Context, progress io.Writer) (Paths, error) {
	return binaries.Find(ctx, progress)
}
