package nodepool_test

import (
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest"
)

func TestMain(m *testing.M) { acctest.Main(m) }
