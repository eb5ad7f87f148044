package kubeapi

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

const (
	kubeconfigFile = "kubeconfig"
	etcdDir        = "etcd"
	// etcd listens on sockets in the server's folder, where only the user gets at them. The process runs in that
	// folder, so that the names stay short: a socket's path may have about 100 characters only.
	etcdClient = "etcd-client:0"
	etcdPeer   = "etcd-peer:0"
)

// withoutController are the admission plugins that wait for controllers that nobody runs here: tokens and default
// accounts, the status of quotas, the finalizers of volumes.
var withoutController = []string{"ServiceAccount", "ResourceQuota", "StorageObjectInUseProtection"}

// authentication lets nobody in without a name, except those who ask whether the server is well.
const authentication = `apiVersion: apiserver.config.k8s.io/v1
kind: AuthenticationConfiguration
anonymous:
  enabled: true
  conditions: [{path: /livez}, {path: /readyz}, {path: /healthz}]
`

func (s *Server) arguments() []string {
	return []string{
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(s.opts.Port),
		"--endpoint-reconciler-type=none", // nothing in this cluster looks for its API server
		"--etcd-servers=unix://" + etcdClient,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--tls-cert-file=" + s.file("server.crt"),
		"--tls-private-key-file=" + s.file("server.key"),
		"--client-ca-file=" + s.file("ca.crt"),
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + s.file("sa.pub"),
		"--service-account-signing-key-file=" + s.file("sa.key"),
		"--authorization-mode=RBAC",
		"--authentication-config=" + s.file("authentication.yaml"),
		"--disable-admission-plugins=" + strings.Join(withoutController, ","),
		"--profiling=false",
	}
}

func (s *Server) environment() []string {
	return []string{
		"ETCD_DATA_DIR=" + s.file(etcdDir),
		"ETCD_CLIENT_URL=unix://" + etcdClient,
		"ETCD_PEER_URL=unix://" + etcdPeer,
		"CONTROLLERS_KUBECONFIG=" + s.Kubeconfig(),
	}
}

func (s *Server) file(name string) string { return filepath.Join(s.opts.Dir, name) }

func (s *Server) writeCertificates() error {
	server, err := s.opts.CA.Server(append([]string{"127.0.0.1", "localhost", "kubernetes.default.svc"}, s.opts.Hosts...)...)
	if err != nil {
		return err
	}
	public, err := pki.PublicKey(s.opts.SigningKey)
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"ca.crt":              s.opts.CA.CertPEM,
		"server.crt":          server.CertPEM,
		"server.key":          server.KeyPEM,
		"sa.key":              s.opts.SigningKey,
		"sa.pub":              public,
		"authentication.yaml": []byte(authentication),
	} {
		if err := os.WriteFile(s.file(name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// removeSockets removes what a killed server left, on which the next one could not listen.
func (s *Server) removeSockets() error {
	for _, name := range []string{etcdClient, etcdPeer} {
		if err := os.Remove(s.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
