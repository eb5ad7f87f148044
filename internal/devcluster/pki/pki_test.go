package pki

import (
	"crypto/tls"
	"crypto/x509"
	"testing"
)

func TestIssuedCertificatesFitTheirUseOnly(t *testing.T) {
	ca, err := NewCA("ca")
	if err != nil {
		t.Fatal(err)
	}
	server, err := ca.Server("127.0.0.1", "localhost")
	if err != nil {
		t.Fatal(err)
	}
	client, err := ca.Client("ana", "team-a", "team-b")
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewCA("ca")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		pair  Pair
		roots *CA
		host  string
		usage x509.ExtKeyUsage
		ok    bool
	}{
		{"a server is trusted under its address", server, ca, "127.0.0.1", x509.ExtKeyUsageServerAuth, true},
		{"a server is trusted under its name", server, ca, "localhost", x509.ExtKeyUsageServerAuth, true},
		{"a server is not trusted under another name", server, ca, "example.com", x509.ExtKeyUsageServerAuth, false},
		{"a server is not trusted by another CA of the same name", server, other, "localhost", x509.ExtKeyUsageServerAuth, false},
		{"a client is trusted as a client", client, ca, "", x509.ExtKeyUsageClientAuth, true},
		{"a client is not trusted as a server", client, ca, "", x509.ExtKeyUsageServerAuth, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(test.roots.CertPEM)
			_, err := leaf(t, test.pair).Verify(x509.VerifyOptions{
				Roots: roots, DNSName: test.host, KeyUsages: []x509.ExtKeyUsage{test.usage},
			})
			if (err == nil) != test.ok {
				t.Fatalf("verify: %v", err)
			}
		})
	}
	subject := leaf(t, client).Subject
	if subject.CommonName != "ana" || len(subject.Organization) != 2 {
		t.Errorf("the client is %v, so Kubernetes would take it for another user", subject)
	}
}

func TestACAIsReadBackAsItWasWritten(t *testing.T) {
	made, err := NewCA("ca")
	if err != nil {
		t.Fatal(err)
	}
	read, err := ParseCA(made.CertPEM, made.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	server, err := read.Server("localhost")
	if err != nil {
		t.Fatal(err)
	}
	if err := leaf(t, server).CheckSignatureFrom(leaf(t, made.Pair)); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseCA(server.CertPEM, server.KeyPEM); err == nil {
		t.Error("a server certificate was taken for a CA")
	}
	if _, err := ParseCA(made.CertPEM, server.KeyPEM); err == nil {
		t.Error("a key of another certificate was accepted")
	}
}

func TestThePublicHalfOfASigningKeyFollowsFromThePrivateOne(t *testing.T) {
	private, public, err := SigningKey()
	if err != nil {
		t.Fatal(err)
	}
	again, err := PublicKey(private)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(public) {
		t.Error("the public key differs")
	}
	if _, err := PublicKey(public); err == nil {
		t.Error("a public key was taken for a private one")
	}
	if _, err := PublicKey([]byte("nothing")); err == nil {
		t.Error("text was taken for a key")
	}
}

func leaf(t *testing.T, pair Pair) *x509.Certificate {
	t.Helper()
	parsed, err := tls.X509KeyPair(pair.CertPEM, pair.KeyPEM)
	if err != nil {
		t.Fatal(err)
	}
	return parsed.Leaf
}
