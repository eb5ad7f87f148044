// Package pki makes the certificates of clusters that live for one demo or test.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"time"
)

// lifetime outlasts any demo. Certificates are made anew with every cluster, so none is ever renewed.
const lifetime = 365 * 24 * time.Hour

// CA signs the certificates of one cluster.
type CA struct {
	Pair
	cert *x509.Certificate
	key  crypto.Signer
}

// Pair is a certificate and its private key, PEM encoded as files and Secrets hold them.
type Pair struct {
	CertPEM, KeyPEM []byte
}

// NewCA makes a certificate authority with the given common name.
func NewCA(name string) (*CA, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := newTemplate(pkix.Name{CommonName: name})
	if err != nil {
		return nil, err
	}
	template.IsCA = true
	template.BasicConstraintsValid = true
	template.KeyUsage = x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	return sign(template, template, key, key)
}

// ParseCA reads a certificate authority that somebody else made, such as the content of a `<name>-ca` Secret.
func ParseCA(certPEM, keyPEM []byte) (*CA, error) {
	pair, err := tls.X509KeyPair(certPEM, keyPEM)
	if err != nil {
		return nil, fmt.Errorf("certificate authority: %w", err)
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return nil, errors.New("certificate authority: the private key cannot sign")
	}
	if !pair.Leaf.IsCA {
		return nil, fmt.Errorf("certificate authority: %q is not a CA certificate", pair.Leaf.Subject.CommonName)
	}
	return &CA{Pair: Pair{CertPEM: certPEM, KeyPEM: keyPEM}, cert: pair.Leaf, key: key}, nil
}

// Server issues a certificate for a server that answers under the given names and addresses.
func (ca *CA) Server(hosts ...string) (Pair, error) {
	if len(hosts) == 0 {
		return Pair{}, errors.New("a server certificate needs a host")
	}
	return ca.issue(pkix.Name{CommonName: hosts[0]}, hosts, x509.ExtKeyUsageServerAuth)
}

// Client issues a certificate for a user, as Kubernetes reads it: common name = user, organisations = groups.
func (ca *CA) Client(user string, groups ...string) (Pair, error) {
	return ca.issue(pkix.Name{CommonName: user, Organization: groups}, nil, x509.ExtKeyUsageClientAuth)
}

// SigningKey makes a key pair without a certificate, for service account tokens: private and public half.
func SigningKey() (private, public []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	if private, err = encodeKey(key); err != nil {
		return nil, nil, err
	}
	if public, err = PublicKey(private); err != nil {
		return nil, nil, err
	}
	return private, public, nil
}

// PublicKey returns the public half of a PEM encoded private key made by SigningKey.
func PublicKey(private []byte) ([]byte, error) {
	block, _ := pem.Decode(private)
	if block == nil {
		return nil, errors.New("signing key: not PEM")
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	key, ok := parsed.(crypto.Signer)
	if !ok {
		return nil, errors.New("signing key: cannot sign")
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("signing key: %w", err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), nil
}

func (ca *CA) issue(subject pkix.Name, hosts []string, usage x509.ExtKeyUsage) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, err
	}
	template, err := newTemplate(subject)
	if err != nil {
		return Pair{}, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{usage}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	leaf, err := sign(template, ca.cert, key, ca.key)
	if err != nil {
		return Pair{}, err
	}
	return leaf.Pair, nil
}

// newTemplate starts an hour ago, so that a clock that is stepped back a little does no harm.
func newTemplate(subject pkix.Name) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 126))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.Add(lifetime),
	}, nil
}

func sign(template, parent *x509.Certificate, key, parentKey crypto.Signer) (*CA, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	keyPEM, err := encodeKey(key)
	if err != nil {
		return nil, err
	}
	certPEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return &CA{Pair: Pair{CertPEM: certPEM, KeyPEM: keyPEM}, cert: cert, key: key}, nil
}

func encodeKey(key crypto.Signer) ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), nil
}
