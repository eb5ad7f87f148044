package kube

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func unwrap(err error) error { return errors.Unwrap(err) }

func contextWithTimeout(t *testing.T, milliseconds int) (context.Context, context.CancelFunc) {
	t.Helper()
	return context.WithTimeout(t.Context(), time.Duration(milliseconds)*time.Millisecond)
}

// unstr is short for what judges of waits look at.
type unstr = unstructured.Unstructured

// selfSigned is a CA that signed nothing else.
func selfSigned(t *testing.T) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "another"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// expiring is a context whose deadline passes when expire is called.
func expiring(t *testing.T) (ctx context.Context, expire func()) {
	t.Helper()
	inner, cancel := context.WithCancel(t.Context())
	return onDemand{inner}, cancel
}

type onDemand struct{ context.Context }

func (o onDemand) Err() error {
	if o.Context.Err() != nil {
		return context.DeadlineExceeded
	}
	return nil
}

// hasty makes the clusters of a pool give up after two or three attempts.
func hasty(p *Pool) *Pool {
	p.timing.budget = 5 * time.Millisecond
	return p
}
