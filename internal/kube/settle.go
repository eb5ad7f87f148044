package kube

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"strings"

	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// settle reads every file that cfg refers to, brings the address into one form and checks the certificates, so that what is
// wrong is said here, in words, and not by a handshake later.
func settle(cfg *rest.Config, where string) error {
	if err := settleHost(cfg); err != "" {
		return badConfig(where, err)
	}
	if cfg.BearerTokenFile != "" {
		token, err := os.ReadFile(cfg.BearerTokenFile)
		if err != nil {
			return badConfig(where, "its token file cannot be read: "+err.Error())
		}
		if len(strings.TrimSpace(string(token))) == 0 {
			return badConfig(where, "its token file "+cfg.BearerTokenFile+" is empty")
		}
		cfg.BearerToken, cfg.BearerTokenFile = string(token), ""
	}
	cfg.BearerToken = strings.TrimSpace(cfg.BearerToken)
	if strings.ContainsFunc(cfg.BearerToken, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return badConfig(where, "its token has control characters in it (more than one line?)")
	}
	if err := rest.LoadTLSFiles(cfg); err != nil {
		return badConfig(where, "a certificate file cannot be read: "+err.Error())
	}
	cfg.CAFile, cfg.CertFile, cfg.KeyFile = "", "", ""
	if len(cfg.CAData) > 0 && !x509.NewCertPool().AppendCertsFromPEM(cfg.CAData) {
		return badConfig(where, "the CA certificate holds no certificate in PEM form")
	}
	if cfg.Insecure && len(cfg.CAData) > 0 {
		return badConfig(where, "it has a CA certificate and also says not to verify the server; leave one out")
	}
	if len(cfg.CertData) > 0 || len(cfg.KeyData) > 0 {
		if _, err := tls.X509KeyPair(cfg.CertData, cfg.KeyData); err != nil {
			return badConfig(where, "the client certificate and key are not a usable pair in PEM form")
		}
	}
	if p := cfg.ExecProvider; p != nil {
		p.StdinUnavailable, p.StdinUnavailableMessage = true, "Terraform has no terminal to offer"
		if p.InteractiveMode == "" { // older API versions have no such field
			p.InteractiveMode = clientcmdapi.IfAvailableExecInteractiveMode
		}
	}
	return nil
}

// settleHost makes a URL of the address. Without a scheme it is https, never http.
func settleHost(cfg *rest.Config) string {
	host := cfg.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	u, err := url.Parse(host)
	switch {
	case err != nil || u.Host == "":
		return "the server's address is not a URL like https://host:6443"
	case u.Scheme != "https" && u.Scheme != "http":
		return "the server's address must start with https://"
	case u.User != nil:
		return "the server's address holds a user name or password; use token, client_certificate or exec instead"
	}
	u.RawQuery, u.Fragment = "", ""
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), ""
	cfg.Host = u.String()
	return ""
}

// stamp is equal for two settled configurations that connect the same way.
func stamp(cfg *rest.Config) string {
	proxy := ""
	if cfg.Proxy != nil {
		if u, err := cfg.Proxy(nil); err == nil && u != nil {
			proxy = u.String()
		}
	}
	all, err := json.Marshal([]any{cfg.Host, cfg.Username, cfg.Password, cfg.BearerToken, cfg.CAData, cfg.CertData, cfg.KeyData,
		cfg.Insecure, cfg.ServerName, cfg.ExecProvider, cfg.Impersonate, proxy})
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:])
}
