package acctest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// LeastRole is the provider block of a user who has exactly the role of examples/rbac, for tests in internal/service/*.
func (c *ManagementCluster) LeastRole(t testing.TB) string {
	t.Helper()
	role, err := os.ReadFile("../../../examples/rbac/provider.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c.ApplyAs(t, "acctest", string(role)+`
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: terraform}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: terraform-provider-k0smos}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: terraform}]
`)
	kubeconfig, err := c.Dev.APIServer().KubeconfigFor("terraform")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return ProviderBlock(fmt.Sprintf("config_path = %q", path))
}
