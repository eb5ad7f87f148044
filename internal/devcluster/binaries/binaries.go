// Package binaries finds the programs of the embedded cluster, or builds them once per user and version.
//
// They are built from Go modules, each in a module of its own beside this package, and kept in the user's cache. Stock
// binaries (KUBEBUILDER_ASSETS) are not used: they come without the garbage collector and the namespace controller,
// and without these nothing that is deleted in the foreground would ever go away.
package binaries

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Paths are the programs of the embedded cluster.
type Paths struct {
	APIServer  string // kube-apiserver with etcd and two controllers inside
	ClusterAPI string // Cluster API's core manager
	// ClusterAPISource is the folder of Cluster API's module: its CRDs and webhook manifests are in there.
	ClusterAPISource string
}

// Find returns the programs, and builds first those that the cache does not have. The build is told on progress, which
// may be nil. Processes that come at the same time wait for one build.
func Find(ctx context.Context, progress io.Writer) (Paths, error) {
	if progress == nil {
		progress = io.Discard
	}
	var paths Paths
	source, err := sourceFolder()
	if err != nil {
		return paths, err
	}
	apiServer, err := apiServerRecipe(ctx, filepath.Join(source, "apiserver"))
	if err != nil {
		return paths, err
	}
	clusterAPI, err := clusterAPIRecipe(ctx, filepath.Join(source, "clusterapi"))
	if err != nil {
		return paths, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return paths, err
	}
	if paths.APIServer, err = apiServer.find(ctx, cache, progress); err != nil {
		return paths, err
	}
	if paths.ClusterAPI, err = clusterAPI.find(ctx, cache, progress); err != nil {
		return paths, err
	}
	paths.ClusterAPISource = clusterAPI.source
	return paths, nil
}

func cacheFolder() (string, error) {
	user, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where to keep the programs of the embedded cluster: %w (set HOME or XDG_CACHE_HOME)", err)
	}
	return filepath.Join(user, "k0smos", "devcluster"), nil
}

// sourceFolder finds this repository from the working directory upwards: tests and `go run` always start inside of it.
func sourceFolder() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for start := dir; ; dir = filepath.Dir(dir) {
		folder := filepath.Join(dir, "internal", "devcluster")
		_, err := os.Stat(filepath.Join(folder, "apiserver", "go.mod"))
		if err == nil {
			return folder, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("the embedded cluster is built from its source, and %s is not inside of this repository", start)
		}
	}
}
