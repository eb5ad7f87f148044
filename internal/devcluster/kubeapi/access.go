package kubeapi

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

// KubeconfigFor makes a kubeconfig for a user that the given groups contain. Context, cluster and user have the same
// name, that of the server's folder.
func (s *Server) KubeconfigFor(user string, groups ...string) ([]byte, error) {
	client, err := s.opts.CA.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(s.opts.Dir)
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: s.Endpoint(), CertificateAuthorityData: s.opts.CA.CertPEM}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: client.CertPEM, ClientKeyData: client.KeyPEM}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.Write(*config)
}

// RESTConfigFor is the access of a user that the given groups contain, for instance one that RBAC allows little.
func (s *Server) RESTConfigFor(user string, groups ...string) (*rest.Config, error) {
	client, err := s.opts.CA.Client(user, groups...)
	if err != nil {
		return nil, err
	}
	return s.restConfig(client), nil
}

func (s *Server) restConfig(client pki.Pair) *rest.Config {
	return &rest.Config{
		Host: s.Endpoint(),
		QPS:  -1,
		TLSClientConfig: rest.TLSClientConfig{
			CAData: s.opts.CA.CertPEM, CertData: client.CertPEM, KeyData: client.KeyPEM,
		},
	}
}

// writeKubeconfig writes the administrator's kubeconfig, which the controllers inside the server use as well.
func (s *Server) writeKubeconfig() error {
	data, err := s.KubeconfigFor("admin", "system:masters")
	if err != nil {
		return err
	}
	return os.WriteFile(s.Kubeconfig(), data, 0o600)
}

// newProbe returns the test of readiness. The server calls itself ready a moment before the system namespaces are there.
func (s *Server) newProbe() (func(context.Context) error, error) {
	client, err := rest.HTTPClientFor(s.RESTConfig())
	if err != nil {
		return nil, err
	}
	client.Timeout = 5 * time.Second
	return func(ctx context.Context) error {
		for _, path := range []string{"/readyz", "/api/v1/namespaces/default", "/api/v1/namespaces/kube-system"} {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Endpoint()+path, nil)
			if err != nil {
				return err
			}
			response, err := client.Do(request)
			if err != nil {
				return err
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				return fmt.Errorf("%s answers %s", path, response.Status)
			}
		}
		client.CloseIdleConnections()
		return nil
	}, nil
}
