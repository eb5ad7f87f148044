package acctest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster"
)

// API is a cluster that tests look at and meddle with as its administrator. Kind Widget is served in it.
type API struct {
	Kubeconfig string // path of the administrator's kubeconfig
	Config     *rest.Config
	Client     dynamic.Interface
}

// Server is one bare API server, where nothing but the garbage collector and the namespace controller acts by itself.
type Server struct {
	*API
	Process *devcluster.APIServer
}

var sharedServer = sync.OnceValues(startServer)

// SharedServer is the bare API server of this test binary. It is started by the first test that asks for it and stopped
// by Main.
func SharedServer(t testing.TB) *Server {
	t.Helper()
	server, err := sharedServer()
	if err != nil {
		t.Fatalf("start an API server: %v", err)
	}
	return server
}

// OwnServer is an API server for one test, which may kill and restart it.
func OwnServer(t testing.TB) *Server {
	t.Helper()
	server, err := newServer(t.Context(), t.TempDir())
	if err != nil {
		t.Fatalf("start an API server: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Process.Stop(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func startServer() (*Server, error) {
	dir, err := os.MkdirTemp("", "k0smos-apiserver-")
	if err != nil {
		return nil, err
	}
	AtExit(func() error { return os.RemoveAll(dir) })
	server, err := newServer(context.Background(), dir)
	if err != nil {
		return nil, err
	}
	AtExit(server.Process.Stop)
	return server, nil
}

func newServer(ctx context.Context, dir string) (*Server, error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	paths, err := devcluster.Binaries(ctx, os.Stderr)
	if err != nil {
		return nil, err
	}
	running, err := devcluster.StartAPIServer(ctx, devcluster.APIServerOptions{Dir: filepath.Join(dir, "api"), Binary: paths.APIServer})
	if err != nil {
		return nil, err
	}
	api, err := newAPI(ctx, running.Kubeconfig(), running.RESTConfig())
	if err != nil {
		return nil, errors.Join(err, running.Stop())
	}
	return &Server{API: api, Process: running}, nil
}

func newAPI(ctx context.Context, kubeconfig string, config *rest.Config) (*API, error) {
	config = rest.CopyConfig(config)
	config.QPS = -1
	config.UserAgent = "acctest"
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	api := &API{Kubeconfig: kubeconfig, Config: config, Client: client}
	return api, api.install(ctx, widgetCRD)
}

// Proxy puts a fault proxy before the cluster, for one test.
func (a *API) Proxy(t testing.TB) *faultproxy.Proxy {
	t.Helper()
	transport, err := rest.TransportFor(a.Config)
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := faultproxy.Start(faultproxy.Options{
		Dir:      t.TempDir(),
		Upstream: faultproxy.Upstream{URL: a.Config.Host, Transport: transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	return proxy
}

// As is the kubeconfig of another user, for whom RBAC allows just the rules given (YAML, a list of policy rules).
func (s *Server) As(t testing.TB, user, rules string) string {
	t.Helper()
	s.ApplyAs(t, "acctest", fmt.Sprintf(`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: %[1]s}
rules: %[2]s
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: %[1]s}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %[1]s}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: %[1]s}]
`, user, rules))
	kubeconfig, err := s.Process.KubeconfigFor(user)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), user)
	if err := os.WriteFile(path, kubeconfig, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
