package faultproxy

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

// authority is what the proxy proves itself by and what it asks of clients.
type authority struct {
	ca     []byte // PEM
	tokens struct {
		sync.Mutex
		current string
	}
}

// issue makes a certificate authority and a certificate for loopback, and the first token.
func (a *authority) issue() (tls.Certificate, error) {
	a.tokens.current = "token-" + rand.Text()
	ca, err := pki.NewCA("fault proxy")
	if err != nil {
		return tls.Certificate{}, err
	}
	server, err := ca.Server("127.0.0.1", "localhost")
	if err != nil {
		return tls.Certificate{}, err
	}
	a.ca = ca.CertPEM
	return tls.X509KeyPair(server.CertPEM, server.KeyPEM)
}

func (a *authority) accepts(header string) bool { return header == "Bearer "+a.Token() }

// CA is the PEM of the authority that signed the proxy's certificate.
func (a *authority) CA() []byte { return a.ca }

// Token is the bearer token that is accepted now.
func (a *authority) Token() string {
	a.tokens.Lock()
	defer a.tokens.Unlock()
	return a.tokens.current
}

// ExpireToken makes the token that clients have answer 401. The next one is Token; RenewToken puts it into the file.
func (a *authority) ExpireToken() {
	a.tokens.Lock()
	defer a.tokens.Unlock()
	a.tokens.current = "token-" + rand.Text()
}

// RenewToken writes the token that is accepted now into TokenFile, as a kubelet does with a projected one.
func (p *Proxy) RenewToken() error { return p.file("token", []byte(p.Token())) }

// TokenFile holds the token of the last RenewToken, at first the first one: what token_path is to point at.
func (p *Proxy) TokenFile() string { return filepath.Join(p.dir, "token") }

// Kubeconfig is a file that points at the proxy with the first token written into it.
func (p *Proxy) Kubeconfig() string { return filepath.Join(p.dir, "kubeconfig") }

// KubeconfigText is what a kubeconfig file for the proxy holds, with the token that is accepted now.
func (p *Proxy) KubeconfigText() string {
	return fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: faultproxy
contexts:
- name: faultproxy
  context: {cluster: faultproxy, user: faultproxy}
clusters:
- name: faultproxy
  cluster:
    server: %s
    certificate-authority-data: %s
users:
- name: faultproxy
  user: {token: %s}
`, p.URL(), base64.StdEncoding.EncodeToString(p.CA()), p.Token())
}

func (p *Proxy) writeFiles() error {
	if err := p.RenewToken(); err != nil {
		return err
	}
	if err := p.file("ca.crt", p.CA()); err != nil {
		return err
	}
	return p.file("kubeconfig", []byte(p.KubeconfigText()))
}
