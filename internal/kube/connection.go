package kube

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
)

// connection is one way to reach one cluster. It never changes: other credentials or another endpoint make another connection.
type connection struct {
	config *rest.Config
	base   *url.URL
	client *http.Client
	stamp  string
	exec   bool              // a credential plugin stands behind it; client-go runs it again after a 401
	scrub  *strings.Replacer // takes our credentials out of what a server says
}

// errRedirect stops the client at a redirect: following it would carry the credentials to another server.
var errRedirect = errors.New("redirected")

func (p *Pool) connect(cfg *rest.Config, where string) (*connection, error) {
	cfg.UserAgent = p.options.UserAgent
	cfg.QPS = -1 // the server paces us, by 429
	cfg.Dial = p.dialer.DialContext
	base, err := url.Parse(cfg.Host)
	if err != nil {
		return nil, badConfig(where, "the server's address is not a URL")
	}
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		return nil, badConfig(where, "its credentials cannot be used: "+err.Error())
	}
	c := &connection{config: cfg, base: base, stamp: stamp(cfg), scrub: scrubber(cfg)}
	if cfg.ExecProvider != nil {
		c.exec = true
		transport = &pluginTransport{next: transport, command: cfg.ExecProvider.Command}
	}
	c.client = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect }}
	return c, nil
}

func (c *connection) close() { utilnet.CloseIdleConnectionsFor(c.client.Transport) }

// scrubber replaces what only we and the server may know.
func scrubber(cfg *rest.Config) *strings.Replacer {
	var pairs []string
	secrets := []string{cfg.BearerToken, cfg.Password, strings.TrimSpace(string(cfg.KeyData))}
	if cfg.ExecProvider != nil {
		for _, e := range cfg.ExecProvider.Env {
			secrets = append(secrets, e.Value)
		}
	}
	for _, secret := range secrets {
		if len(secret) >= 6 { // shorter ones would cut holes into ordinary words
			pairs = append(pairs, secret, "(withheld)")
		}
	}
	return strings.NewReplacer(pairs...)
}

// pluginTransport stands before a transport that runs a credential plugin: it does not let a plugin that hangs outlive the
// caller's patience, and keeps what the plugin printed out of errors.
type pluginTransport struct {
	next    http.RoundTripper
	command string
}

// pluginError is a credential plugin that gave no credentials.
type pluginError struct{ command, why string }

func (e *pluginError) Error() string { return "the credential plugin " + e.command + " " + e.why }

func (t *pluginTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	type outcome struct {
		resp *http.Response
		err  error
	}
	// A plugin cannot be interrupted, so this goroutine may live until the plugin ends. An answer that nobody waits for any
	// more needs no care: its request's context is over, and that closes it.
	done := make(chan outcome, 1)
	own := req.Clone(req.Context())
	go func() {
		resp, err := t.next.RoundTrip(own)
		done <- outcome{resp, err}
	}()
	select {
	case o := <-done:
		return o.resp, t.explain(o.err)
	case <-req.Context().Done():
		return nil, context.Cause(req.Context())
	}
}

// WrappedRoundTripper lets idle connections be closed through this transport.
func (t *pluginTransport) WrappedRoundTripper() http.RoundTripper { return t.next }

var exitCode = regexp.MustCompile(`failed with exit code (-?\d+)`)

// explain rewords client-go's plugin errors, some of which quote the output.
func (t *pluginTransport) explain(err error) error {
	if err == nil || !strings.Contains(err.Error(), "getting credentials: ") {
		return err
	}
	text, why := err.Error(), "gave no credentials"
	switch {
	case strings.Contains(text, "executable") && strings.Contains(text, "not found"), strings.Contains(text, "no such file"):
		why = "was not found. Install it where Terraform runs, or give its full path"
	case exitCode.MatchString(text):
		why = "failed with exit code " + exitCode.FindStringSubmatch(text)[1] + ". Run it by hand to see why"
	case strings.Contains(text, "decoding stdout"):
		why = "did not print an ExecCredential (its output is not shown here). Run it by hand to see what it prints"
	case strings.Contains(text, "returned version"):
		why = "did not print an ExecCredential of the API version that is configured (exec.api_version)"
	case strings.Contains(text, "interactive mode"), strings.Contains(text, "standard input"):
		why = "wants to ask on a terminal, which Terraform does not have. Log in by hand first, or use one that does not ask"
	case strings.Contains(text, "status field"), strings.Contains(text, "token or cert"), strings.Contains(text, "certificate or key"),
		strings.Contains(text, "failed parsing client"):
		why = "printed an ExecCredential without usable credentials in it"
	}
	return &pluginError{command: t.command, why: why}
}
