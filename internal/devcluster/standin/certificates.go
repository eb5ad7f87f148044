package standin

import (
	"context"
	"encoding/base64"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/pki"
)

const (
	secretType       = "cluster.x-k8s.io/secret"
	clusterNameLabel = "cluster.x-k8s.io/cluster-name"
)

// authorities are the key pairs that a control plane starts from, in the order in which the operator makes them.
var authorities = []string{"ca", "sa", "proxy", "etcd"}

// etcdCertificates are signed by the etcd authority.
var etcdCertificates = []string{"apiserver-etcd-client", "etcd-server", "etcd-peer"}

// ensureAuthorities makes the CA Secrets that are not there. Those that a user made beforehand stay.
func (s *StandIn) ensureAuthorities(ctx context.Context, cluster Ref, owner *unstructured.Unstructured) error {
	for _, purpose := range authorities {
		issue := func() (pki.Pair, error) {
			if purpose == "sa" {
				private, public, err := pki.SigningKey()
				return pki.Pair{CertPEM: public, KeyPEM: private}, err
			}
			ca, err := pki.NewCA(cluster.Name + "-" + purpose)
			if err != nil {
				return pki.Pair{}, err
			}
			return ca.Pair, nil
		}
		if err := s.ensureKeyPair(ctx, cluster, purpose, ownedBy(owner, controlPlane, true), issue); err != nil {
			return err
		}
	}
	return nil
}

// ensureEtcdCertificates makes the certificates of the etcd that would run beside the control plane.
func (s *StandIn) ensureEtcdCertificates(ctx context.Context, cluster Ref, owner *unstructured.Unstructured) error {
	pair, err := s.keyPair(ctx, cluster, "etcd")
	if err != nil {
		return fmt.Errorf("error looking up etcd certs: %w", err)
	}
	ca, err := pki.ParseCA(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		return fmt.Errorf("error parsing etcd CA certificate: %w", err)
	}
	for _, purpose := range etcdCertificates {
		issue := func() (pki.Pair, error) { return ca.Server(purpose, "127.0.0.1", "localhost") }
		if err := s.ensureKeyPair(ctx, cluster, purpose, ownedBy(owner, derivedCluster, true), issue); err != nil {
			return err
		}
	}
	return nil
}

func (s *StandIn) clusterCA(ctx context.Context, cluster Ref) (pki.Pair, error) {
	return s.keyPair(ctx, cluster, "ca")
}

func (s *StandIn) keyPair(ctx context.Context, cluster Ref, purpose string) (pki.Pair, error) {
	secret, err := s.get(ctx, secrets, Ref{cluster.Namespace, cluster.Name + "-" + purpose})
	if err != nil {
		return pki.Pair{}, err
	}
	cert, err := base64.StdEncoding.DecodeString(text(secret.Object, "data", "tls.crt"))
	if err != nil {
		return pki.Pair{}, err
	}
	key, err := base64.StdEncoding.DecodeString(text(secret.Object, "data", "tls.key"))
	return pki.Pair{CertPEM: cert, KeyPEM: key}, err
}

func (s *StandIn) ensureKeyPair(ctx context.Context, cluster Ref, purpose string, owners []any, issue func() (pki.Pair, error)) error {
	found, err := s.find(ctx, secrets, Ref{cluster.Namespace, cluster.Name + "-" + purpose})
	if err != nil || found != nil {
		return err
	}
	pair, err := issue()
	if err != nil {
		return err
	}
	_, err = s.create(ctx, secrets, newSecret(cluster.Namespace, cluster.Name+"-"+purpose, owners,
		map[string]any{clusterNameLabel: cluster.Name},
		map[string][]byte{"tls.crt": pair.CertPEM, "tls.key": pair.KeyPEM}))
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func newSecret(namespace, name string, owners []any, labels map[string]any, content map[string][]byte) *unstructured.Unstructured {
	data := map[string]any{}
	for key, value := range content {
		data[key] = base64.StdEncoding.EncodeToString(value)
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": secrets.apiVersion(),
		"kind":       secrets.name,
		"metadata": map[string]any{
			"namespace":       namespace,
			"name":            name,
			"labels":          labels,
			"ownerReferences": owners,
		},
		"type": secretType,
		"data": data,
	}}
}
