package kubeapi

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

var (
	configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

func TestAnAPIServer(t *testing.T) {
	s := start(t, Options{})

	t.Run("answers to the administrator of its kubeconfig, which nobody else can read", func(t *testing.T) {
		config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client(t, config).Resource(namespaces).Get(t.Context(), "kube-system", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		info, err := os.Stat(s.Kubeconfig())
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v (%v)", info.Mode(), err)
		}
		dir, err := os.Stat(s.Dir())
		if err != nil || dir.Mode().Perm() != 0o700 {
			t.Errorf("mode of the folder %v (%v)", dir.Mode(), err)
		}
	})

	t.Run("tells those without a name nothing but its health", func(t *testing.T) {
		anonymous, err := rest.HTTPClientFor(rest.AnonymousClientConfig(s.RESTConfig()))
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]int{"/readyz": 200, "/livez": 200, "/version": 401, "/api/v1/namespaces": 401, "/metrics": 401} {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Endpoint()+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := anonymous.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if response.StatusCode != want {
				t.Errorf("%s answers %s", path, response.Status)
			}
		}
	})

	t.Run("allows users only what RBAC allows them", func(t *testing.T) {
		config, err := s.RESTConfigFor("ana", "developers")
		if err != nil {
			t.Fatal(err)
		}
		_, err = client(t, config).Resource(configMaps).Namespace("default").List(t.Context(), metav1.ListOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), `User "ana" cannot list`) {
			t.Errorf("got %v", err)
		}
	})

	t.Run("keeps data and address when it is killed and started again", func(t *testing.T) {
		kept := configMap("kept")
		admin := client(t, s.RESTConfig()).Resource(configMaps).Namespace("default")
		if _, err := admin.Create(t.Context(), kept, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		endpoint := s.Endpoint()
		if err := s.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := s.Restart(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s.Endpoint() != endpoint {
			t.Errorf("moved from %s to %s", endpoint, s.Endpoint())
		}
		if _, err := admin.Get(t.Context(), "kept", metav1.GetOptions{}); err != nil {
			t.Error(err)
		}
		select {
		case <-s.Died():
			t.Errorf("what we killed counts as dead by itself: %v", s.Err())
		default:
		}
	})

	t.Run("says so when it dies by itself", func(t *testing.T) {
		if err := syscall.Kill(s.PID(), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-s.Died()
		if err := s.Err(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Errorf("got %v", err)
		}
	})
}

func TestTwoAPIServersDoNotKnowEachOther(t *testing.T) {
	ca, err := pki.NewCA("given")
	if err != nil {
		t.Fatal(err)
	}
	first, second := start(t, Options{CA: ca}), start(t, Options{})
	if _, err := client(t, first.RESTConfig()).Resource(configMaps).Namespace("default").Create(t.Context(), configMap("one"), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	_, err = client(t, second.RESTConfig()).Resource(configMaps).Namespace("default").Get(t.Context(), "one", metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the second server answers %v about what is in the first", err)
	}
	if string(first.CA().CertPEM) != string(ca.CertPEM) {
		t.Error("the CA that was given is not the one that is used")
	}
	stranger := first.RESTConfig()
	stranger.Host, stranger.CAData = second.Endpoint(), second.CA().CertPEM
	_, err = client(t, stranger).Resource(namespaces).Get(t.Context(), "default", metav1.GetOptions{})
	if !apierrors.IsUnauthorized(err) {
		t.Errorf("the second server answers %v to the first one's administrator", err)
	}

	pid, port := first.PID(), first.Port()
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-pid, 0); err == nil {
		t.Errorf("process group %d is still there", pid)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatalf("the port is not free: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
}

func TestATakenPortIsAnErrorThatSaysSo(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the test is over
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		t.Fatal("no TCP address")
	}
	dir := t.TempDir()
	_, err = Start(t.Context(), Options{Dir: dir, Port: address.Port})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Fatalf("got %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.pid")); err != nil || len(left) > 0 {
		t.Errorf("left %v (%v)", left, err)
	}
}

func start(t *testing.T, o Options) *Server {
	t.Helper()
	o.Dir = filepath.Join(t.TempDir(), "server")
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func client(t *testing.T, config *rest.Config) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func configMap(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name, "namespace": "default"},
	}}
}
