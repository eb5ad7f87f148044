package acctest

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
)

// ManagementCluster is a whole management cluster: API server, Cluster API and the stand-in of k0smotron.
type ManagementCluster struct {
	*API
	Dev *devcluster.Cluster
}

var managementCluster = sync.OnceValues(startCluster)

// Cluster is the management cluster of this test binary. It is started by the first test that asks for it and stopped by
// Main. Upstream's CRDs are used where K0SMOS_CRDS names a folder with them.
func Cluster(t testing.TB) *ManagementCluster {
	t.Helper()
	c, err := managementCluster()
	if err != nil {
		t.Fatalf("start a management cluster: %v", err)
	}
	return c
}

func startCluster() (*ManagementCluster, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	dev, err := devcluster.Start(ctx, devcluster.Options{CRDs: os.Getenv("K0SMOS_CRDS"), Log: os.Stderr})
	if err != nil {
		return nil, err
	}
	AtExit(dev.Stop)
	api, err := newAPI(ctx, dev.Kubeconfig(), dev.RESTConfig())
	if err != nil {
		return nil, err
	}
	return &ManagementCluster{API: api, Dev: dev}, nil
}

// startLimit is long because the first start may have to build the programs.
const startLimit = 25 * time.Minute
