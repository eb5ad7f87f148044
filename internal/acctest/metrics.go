package acctest

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
)

// Served is how many requests the API server has answered since it started, by its own count. Keys are as
// "LIST widgets.acctest.k0smos.io"; dry runs have " (dry run)" behind them.
func (a *API) Served(t testing.TB) map[string]int {
	t.Helper()
	ctx, cancel := lasting(t)
	defer cancel()
	counts, err := devcluster.RequestCounts(ctx, a.Config)
	if err != nil {
		t.Fatal(err)
	}
	return counts
}
