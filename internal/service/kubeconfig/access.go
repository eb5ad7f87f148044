package kubeconfig

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"

	"sigs.k8s.io/yaml"
)

// access is what it takes to reach an API server.
type access struct {
	cluster cluster
	user    user
	ca      []byte
	cert    []byte
	key     []byte
}

// file is a kubeconfig, with the fields that are carried over. Others that matter are named in order to be refused.
type file struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	CurrentContext string         `json:"current-context"`
	Clusters       []namedCluster `json:"clusters"`
	Users          []namedUser    `json:"users"`
	Contexts       []namedContext `json:"contexts"`
}

type namedCluster struct {
	Name    string  `json:"name"`
	Cluster cluster `json:"cluster"`
}

type cluster struct {
	Server        string `json:"server"`
	CA            string `json:"certificate-authority-data,omitempty"`
	TLSServerName string `json:"tls-server-name,omitempty"`
	Insecure      bool   `json:"insecure-skip-tls-verify,omitempty"`
	ProxyURL      string `json:"proxy-url,omitempty"`
}

type namedUser struct {
	Name string `json:"name"`
	User user   `json:"user"`
}

type user struct {
	Certificate string `json:"client-certificate-data,omitempty"`
	Key         string `json:"client-key-data,omitempty"`
	Token       string `json:"token,omitempty"`
	As          string `json:"as,omitempty"`
}

type namedContext struct {
	Name    string  `json:"name"`
	Context context `json:"context"`
}

type context struct {
	Cluster   string `json:"cluster"`
	User      string `json:"user"`
	Namespace string `json:"namespace,omitempty"`
}

// read takes the access of the current context out of a kubeconfig. Its errors never quote the content.
func read(content []byte) (access, error) {
	var f file
	if err := yaml.Unmarshal(content, &f); err != nil || len(f.Contexts) == 0 {
		return access{}, errors.New("it is not a kubeconfig in YAML or JSON; its content is not shown here because it may hold secrets")
	}
	var a access
	var at *context
	for _, c := range f.Contexts {
		if c.Name == f.CurrentContext {
			at = &c.Context
		}
	}
	if at == nil {
		return access{}, errors.New("its current context is not in it")
	}
	for _, c := range f.Clusters {
		if c.Name == at.Cluster {
			a.cluster = c.Cluster
		}
	}
	for _, u := range f.Users {
		if u.Name == at.User {
			a.user = u.User
		}
	}
	return a, a.decode()
}

// decode checks what was read, so that what is wrong is said here and not by another provider's handshake.
func (a *access) decode() error {
	if !strings.HasPrefix(a.cluster.Server, "https://") {
		return errors.New("its current context names no cluster with an https:// address")
	}
	if a.user.As != "" {
		return errors.New("its user acts as another one (as), which certificate and token alone cannot say")
	}
	for _, field := range []struct {
		name string
		from string
		into *[]byte
	}{
		{"certificate-authority-data", a.cluster.CA, &a.ca}, {"client-certificate-data", a.user.Certificate, &a.cert}, {"client-key-data", a.user.Key, &a.key},
	} {
		value, err := base64.StdEncoding.DecodeString(field.from)
		if err != nil {
			return fmt.Errorf("its %s is not base64", field.name)
		}
		*field.into = value
	}
	if len(a.ca) > 0 && !x509.NewCertPool().AppendCertsFromPEM(a.ca) {
		return errors.New("its certificate-authority-data holds no certificate in PEM form")
	}
	if len(a.cert) == 0 && len(a.key) == 0 {
		if a.user.Token == "" {
			return errors.New("its user has neither a client certificate nor a token in the Secret itself; programs and files are not used")
		}
		return nil
	}
	if _, err := tls.X509KeyPair(a.cert, a.key); err != nil {
		return errors.New("its client certificate and key are not a usable pair in PEM form")
	}
	return nil
}

// expires is when the client certificate ends; zero where there is none.
func (a access) expires() time.Time {
	block, _ := pem.Decode(a.cert)
	if block == nil {
		return time.Time{}
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return time.Time{}
	}
	return certificate.NotAfter
}

// write makes a kubeconfig with one cluster, one user and one context. Equal access gives equal bytes.
func (a access) write(clusterName, userName, namespace string) (string, error) {
	content, err := yaml.Marshal(file{
		APIVersion: "v1", Kind: "Config", CurrentContext: clusterName,
		Clusters: []namedCluster{{clusterName, a.cluster}},
		Users:    []namedUser{{userName, a.user}},
		Contexts: []namedContext{{clusterName, context{clusterName, userName, namespace}}},
	})
	return string(content), err
}
