// Package faultproxy stands between a client and an API server and plays what networks and servers do to requests:
// it delays, loses, resets, refuses and cuts them, by rules that a test switches while the client runs, and it keeps
// the sequence of requests for assertions.
package faultproxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Upstream is the server behind the proxy. Transport authenticates to it, usually by its administrator's client
// certificate; clients of the proxy never see that credential.
type Upstream struct {
	URL       string
	Transport http.RoundTripper
}

// Options say where the proxy forwards to and where it writes its files.
type Options struct {
	Upstream Upstream
	Dir      string // kubeconfig, token and CA files go here; it must exist
}

// Proxy is a running fault proxy. It speaks HTTP/1.1 over TLS only, so that one connection carries one request at a
// time and a reset hits just that one.
type Proxy struct {
	host    string
	dir     string
	server  *http.Server
	forward *httputil.ReverseProxy
	closed  chan struct{}
	authority

	mu       sync.Mutex
	upstream Upstream
	target   *url.URL
	rules    []*Active
	log      []*Request
	streams  map[*Request]context.CancelFunc
}

// Start serves on a free loopback port until Close.
func Start(o Options) (*Proxy, error) {
	p := &Proxy{dir: o.Dir, closed: make(chan struct{}), streams: map[*Request]context.CancelFunc{}}
	if err := p.SetUpstream(o.Upstream); err != nil {
		return nil, err
	}
	certificate, err := p.issue()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.host = "https://" + listener.Addr().String()
	if err := p.writeFiles(); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	quiet := log.New(io.Discard, "", 0)
	p.forward = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(p.targetURL())
			r.Out.Header.Del("Authorization")
		},
		Transport:     roundTripper(func(r *http.Request) (*http.Response, error) { return p.transport().RoundTrip(r) }),
		FlushInterval: -1,
		ErrorLog:      quiet,
		// A server that cannot be reached looks to the client as it would without a proxy: the connection breaks.
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { reset(w) },
	}
	p.server = &http.Server{
		Handler:           p,
		ErrorLog:          quiet,
		ReadHeaderTimeout: time.Minute,
		TLSNextProto:      map[string]func(*http.Server, *tls.Conn, http.Handler){}, // no HTTP/2
	}
	tlsListener := tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12})
	go func() { _ = p.server.Serve(tlsListener) }()
	return p, nil
}

// Close ends the proxy and every connection through it.
func (p *Proxy) Close() error {
	p.mu.Lock()
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	p.mu.Unlock()
	return p.server.Close()
}

// URL is what a client dials, https and loopback.
func (p *Proxy) URL() string { return p.host }

// SetUpstream puts another server behind the same address, as happens when a cluster is rebuilt.
func (p *Proxy) SetUpstream(u Upstream) error {
	target, err := url.Parse(u.URL)
	if err != nil {
		return fmt.Errorf("upstream %q: %w", u.URL, err)
	}
	if u.Transport == nil {
		u.Transport = http.DefaultTransport
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.upstream, p.target = u, target
	return nil
}

// ServeHTTP records a request, lets the first rule that is due act on it, and forwards it otherwise.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body) // whole, so that the server notices when the client hangs up
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	entry := describe(r, body)
	entry.Time = time.Now()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	rule := p.admit(entry, cancel)
	defer p.leave(entry)

	answer := &recorder{ResponseWriter: w, entry: entry, proxy: p}
	if !p.accepts(r.Header.Get("Authorization")) {
		Answer(http.StatusUnauthorized, "Unauthorized", "Unauthorized")(answer, r, nil)
		return
	}
	r = r.WithContext(context.WithValue(ctx, closedKey{}, p.closed))
	if rule == nil {
		p.forward.ServeHTTP(answer, r)
	} else {
		rule.announce()
		rule.rule.Do(answer, r, p.forward)
	}
	if ctx.Err() != nil { // a cut stream must not look complete
		panic(http.ErrAbortHandler)
	}
}

// admit writes a request down and picks the rule that acts on it.
func (p *Proxy) admit(entry *Request, cancel context.CancelFunc) *Active {
	p.mu.Lock()
	defer p.mu.Unlock()
	entry.N = len(p.log) + 1
	p.log = append(p.log, entry)
	if entry.Verb == "watch" {
		p.streams[entry] = cancel
	}
	for _, rule := range p.rules {
		if rule.due(*entry) {
			entry.Fault = rule.rule.Name
			return rule
		}
	}
	return nil
}

func (p *Proxy) leave(entry *Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.streams, entry)
	entry.Done = true
}

func (p *Proxy) targetURL() *url.URL {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.target
}

func (p *Proxy) transport() http.RoundTripper {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.upstream.Transport
}

func (p *Proxy) file(name string, content []byte) error {
	path := filepath.Join(p.dir, name)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
