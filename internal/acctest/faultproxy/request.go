package faultproxy

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Request is one request as the proxy saw it, in the terms of the Kubernetes API.
type Request struct {
	N                                     int // position in the sequence, from 1
	Time                                  time.Time
	Verb                                  string // get, list, watch, create, update, apply, patch, delete, deletecollection; else the method in lower case
	Method, Path, ContentType             string
	Query                                 url.Values
	Group, Version, Resource, Subresource string // empty for paths that name no resource
	Namespace, Name                       string
	DryRun, Force                         bool
	Manager                               string // fieldManager
	Body                                  []byte
	Status                                int    // of the answer as the client was to see it; 0 = none was sent
	Fault                                 string // name of the rule that acted on it
	Done                                  bool   // nothing more is sent to the client
}

// describe reads what a request asks for from its path, as the API server does.
func describe(r *http.Request, body []byte) *Request {
	q := r.URL.Query()
	e := &Request{
		Method: r.Method, Path: r.URL.Path, Query: q, Body: body,
		DryRun: q.Get("dryRun") == "All", Force: q.Get("force") == "true", Manager: q.Get("fieldManager"),
	}
	e.ContentType, _, _ = mime.ParseMediaType(r.Header.Get("Content-Type"))
	e.locate()
	e.Verb = e.verb()
	return e
}

func (e *Request) locate() {
	parts := strings.Split(strings.Trim(e.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		e.Version, parts = parts[1], parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		e.Group, e.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return
	}
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		e.Namespace, parts = parts[1], parts[2:]
	}
	e.Resource = parts[0]
	if len(parts) > 1 {
		e.Name = parts[1]
	}
	if len(parts) > 2 {
		e.Subresource = strings.Join(parts[2:], "/")
	}
}

func (e *Request) verb() string {
	if e.Resource == "" {
		return strings.ToLower(e.Method)
	}
	watch := e.Query.Get("watch")
	switch {
	case e.Method == http.MethodGet && (watch == "true" || watch == "1"):
		return "watch"
	case e.Method == http.MethodGet && e.Name == "":
		return "list"
	case e.Method == http.MethodPost:
		return "create"
	case e.Method == http.MethodPut:
		return "update"
	case e.Method == http.MethodPatch && e.ContentType == "application/apply-patch+yaml":
		return "apply"
	case e.Method == http.MethodDelete && e.Name == "":
		return "deletecollection"
	}
	return strings.ToLower(e.Method)
}

// Requests is the sequence so far, oldest first.
func (p *Proxy) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Request, 0, len(p.log))
	for _, e := range p.log {
		all = append(all, *e)
	}
	return all
}

// Matching is the part of the sequence that m matches.
func (p *Proxy) Matching(m Match) []Request {
	var found []Request
	for _, e := range p.Requests() {
		if m.matches(e) {
			found = append(found, e)
		}
	}
	return found
}

// Counts is the number of requests by "verb resource", dry runs as "dry-run resource".
func (p *Proxy) Counts() map[string]int {
	counts := map[string]int{}
	for _, e := range p.Requests() {
		verb, resource := e.Verb, e.Resource
		if e.DryRun {
			verb = "dry-run"
		}
		if resource == "" {
			resource = e.Path
		}
		counts[verb+" "+resource]++
	}
	return counts
}

// Forget empties the sequence; rules and their counters stay.
func (p *Proxy) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = nil
}

// OpenWatches is the number of watch streams that are open now.
func (p *Proxy) OpenWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.streams)
}

// CutWatches breaks every watch stream that is open now, and says how many there were.
func (p *Proxy) CutWatches() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, cancel := range p.streams {
		cancel()
	}
	return len(p.streams)
}

// recorder notes the status of an answer on its way to the client.
type recorder struct {
	http.ResponseWriter
	entry *Request
	proxy *Proxy
}

func (w *recorder) WriteHeader(status int) {
	w.note(status)
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	w.note(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

func (w *recorder) note(status int) {
	w.proxy.mu.Lock()
	defer w.proxy.mu.Unlock()
	if w.entry.Status == 0 {
		w.entry.Status = status
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }
