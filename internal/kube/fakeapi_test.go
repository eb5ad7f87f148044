package kube

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// fakeAPI is an API server as far as this package can tell: paths, labels, field selectors, pages, watches, Status answers.
type fakeAPI struct {
	t      *testing.T
	server *httptest.Server

	mu      sync.Mutex
	version int
	objects map[string]map[string]any // by path
	watches map[chan []byte]string    // subscriber -> path of its object, or of its collection with a slash at the end
	served  map[string][]map[string]any
	log     []string // "GET /api/v1/..." of every request
	before  []func(http.ResponseWriter, *http.Request) bool
	tokens  map[string]bool // accepted bearer tokens; nil accepts all
}

func newFakeAPI(t *testing.T) *fakeAPI {
	f := &fakeAPI{t: t, objects: map[string]map[string]any{}, watches: map[chan []byte]string{}, served: map[string][]map[string]any{}}
	f.server = httptest.NewUnstartedServer(f)
	f.server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are meant to happen
	f.server.StartTLS()
	t.Cleanup(func() {
		f.server.CloseClientConnections()
		f.server.Close()
	})
	f.put("/api/v1/namespaces/kube-system", map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "kube-system"}})
	return f
}

// source reaches the fake by explicit arguments.
func (f *fakeAPI) source() Source {
	return Source{Host: f.server.URL, ClusterCA: f.ca(), Token: "token-of-the-test"}
}

func (f *fakeAPI) ca() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.server.Certificate().Raw}))
}

// kubeconfig reaches the fake by a file.
func (f *fakeAPI) kubeconfig(token string) string {
	return kubeconfigFor(f.server.URL, f.ca(), "token: "+strconv.Quote(token))
}

// cluster is the fake as management cluster of a pool with short pauses.
func (f *fakeAPI) cluster() *Cluster { return quickPool(f.source()).Management() }

func quickPool(s Source) *Pool {
	p := NewPool(s, Options{UserAgent: "test"})
	p.timing = timing{
		attempt: 20 * time.Second, budget: 20 * time.Second, throttled: 20 * time.Second, backoff: time.Millisecond, pause: 10 * time.Millisecond,
		outage: 20 * time.Millisecond, watch: time.Minute, grace: 50 * time.Millisecond,
	}
	return p
}

// intercept lets fn answer requests; it returns false for those that it leaves to the fake.
func (f *fakeAPI) intercept(fn func(http.ResponseWriter, *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = append(f.before, fn)
}

// interceptFirst is intercept before all others.
func (f *fakeAPI) interceptFirst(fn func(http.ResponseWriter, *http.Request) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = append([]func(http.ResponseWriter, *http.Request) bool{fn}, f.before...)
}

// first lets fn answer the first n requests of a method.
func (f *fakeAPI) first(n int, method string, fn http.HandlerFunc) {
	var mu sync.Mutex
	f.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		mine := r.Method == method && n > 0
		if mine {
			n--
		}
		mu.Unlock()
		if mine {
			fn(w, r)
		}
		return mine
	})
}

func (f *fakeAPI) requests(part string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, line := range f.log {
		if strings.Contains(line, part) {
			n++
		}
	}
	return n
}

// put stores an object as the server would after a write, and tells who watches.
func (f *fakeAPI) put(path string, obj map[string]any) map[string]any {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.putLocked(path, obj)
}

func (f *fakeAPI) putLocked(path string, obj map[string]any) map[string]any {
	old := f.objects[path]
	f.version++
	obj = cloneJSON(obj)
	meta, ok := obj["metadata"].(map[string]any)
	if !ok {
		meta = map[string]any{}
		obj["metadata"] = meta
	}
	meta["resourceVersion"] = strconv.Itoa(f.version)
	event := "MODIFIED"
	if old == nil {
		event = "ADDED"
		if meta["uid"] == nil {
			meta["uid"] = fmt.Sprintf("uid-%d", f.version)
		}
	} else {
		meta["uid"] = mustMap(old["metadata"])["uid"]
	}
	f.objects[path] = obj
	f.tell(path, event, obj)
	return obj
}

func (f *fakeAPI) remove(path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	old := f.objects[path]
	if old == nil {
		return
	}
	delete(f.objects, path)
	f.version++
	old = cloneJSON(old)
	mustMap(old["metadata"])["resourceVersion"] = strconv.Itoa(f.version)
	f.tell(path, "DELETED", old)
}

func (f *fakeAPI) tell(path, event string, obj map[string]any) {
	for ch, of := range f.watches {
		if of == path || strings.HasSuffix(of, "/") && strings.HasPrefix(path, of) {
			ch <- marshal(map[string]any{"type": event, "object": obj})
		}
	}
}

// send puts a raw event into all watches; end closes them.
func (f *fakeAPI) send(event map[string]any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.watches {
		ch <- marshal(event)
	}
}

func (f *fakeAPI) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for ch := range f.watches {
		close(ch)
	}
	clear(f.watches)
}

// watched returns when somebody watches.
func (f *fakeAPI) watched(ctx context.Context) {
	f.until(ctx, "somebody watches", func() bool { return len(f.watches) > 0 })
}

// until returns when condition, called with the lock held, is true.
func (f *fakeAPI) until(ctx context.Context, what string, condition func() bool) {
	f.t.Helper()
	for tick := time.NewTicker(time.Millisecond); ; {
		f.mu.Lock()
		ok := condition()
		f.mu.Unlock()
		if ok {
			tick.Stop()
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			f.t.Errorf("never happened: %s", what)
			return
		}
	}
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	f.log = append(f.log, r.Method+" "+r.URL.RequestURI())
	before, tokens := slices.Clone(f.before), f.tokens
	f.mu.Unlock()
	if token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); tokens != nil && !tokens[token] {
		status(w, 401, "Unauthorized", "Unauthorized", nil)
		return
	}
	for _, fn := range before {
		if fn(w, r) {
			return
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch {
	case r.Method == http.MethodGet && r.URL.Query().Get("watch") == "true":
		f.serveWatch(w, r)
	case r.Method == http.MethodGet:
		f.serveGet(w, r)
	case r.Method == http.MethodPatch && r.Header.Get("Content-Type") == applyType:
		f.serveApply(w, r, body)
	case r.Method == http.MethodPost:
		f.servePost(w, r, body)
	case r.Method == http.MethodDelete:
		f.serveDelete(w, r, body)
	default:
		status(w, 405, "MethodNotAllowed", "the server does not allow this method", nil)
	}
}

func (f *fakeAPI) serveGet(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := r.URL.Path
	if list, ok := f.served[path]; ok {
		answer(w, 200, map[string]any{"kind": "APIResourceList", "groupVersion": strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/"), "resources": list})
		return
	}
	if obj := f.objects[path]; obj != nil {
		answer(w, 200, obj)
		return
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "apis" && len(parts) <= 3, parts[0] == "api" && len(parts) <= 2:
		w.WriteHeader(404)
		_, _ = w.Write([]byte("404 page not found\n"))
	case isCollection(parts):
		f.serveList(w, r)
	default:
		notFound(w, parts)
	}
}

func (f *fakeAPI) serveList(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var paths []string
	for path := range f.objects {
		if strings.HasPrefix(path, r.URL.Path+"/") && selected(f.objects[path], q.Get("labelSelector"), q.Get("fieldSelector")) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	start, _ := strconv.Atoi(q.Get("continue"))
	end, meta := len(paths), map[string]any{"resourceVersion": strconv.Itoa(f.version)}
	if limit, _ := strconv.Atoi(q.Get("limit")); limit > 0 && start+limit < end {
		end = start + limit
		meta["continue"] = strconv.Itoa(end)
	}
	items := []any{}
	for _, path := range paths[start:end] {
		items = append(items, f.objects[path])
	}
	answer(w, 200, map[string]any{"kind": "List", "apiVersion": "v1", "metadata": meta, "items": items})
}

func (f *fakeAPI) serveWatch(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path + "/" + strings.TrimPrefix(r.URL.Query().Get("fieldSelector"), "metadata.name=")
	ch := make(chan []byte, 100)
	f.mu.Lock()
	since, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	for at, obj := range f.objects {
		if within := strings.HasSuffix(path, "/") && strings.HasPrefix(at, path); at != path && !within {
			continue
		}
		if version, _ := strconv.Atoi(fmt.Sprint(mustMap(obj["metadata"])["resourceVersion"])); version > since {
			ch <- marshal(map[string]any{"type": "MODIFIED", "object": obj})
		}
	}
	f.watches[ch] = path
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.watches, ch)
		f.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(200)
	flush(w)
	for {
		select {
		case event, ok := <-ch:
			if !ok {
				return
			}
			_, _ = w.Write(append(event, '\n'))
			flush(w)
		case <-r.Context().Done():
			return
		}
	}
}

func (f *fakeAPI) serveApply(w http.ResponseWriter, r *http.Request, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var obj map[string]any
	if err := json.Unmarshal(body, &obj); err != nil {
		status(w, 400, "BadRequest", "cannot be read", nil)
		return
	}
	code := 200
	if f.objects[r.URL.Path] == nil {
		code = 201
	}
	if r.URL.Query().Get("dryRun") == "" {
		obj = f.putLocked(r.URL.Path, obj)
	}
	answer(w, code, obj)
}

func (f *fakeAPI) servePost(w http.ResponseWriter, r *http.Request, body []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var obj map[string]any
	_ = json.Unmarshal(body, &obj)
	path := r.URL.Path + "/" + fmt.Sprint(mustMap(obj["metadata"])["name"])
	if f.objects[path] != nil {
		status(w, 409, "AlreadyExists", "already exists", nil)
		return
	}
	answer(w, 201, f.putLocked(path, obj))
}

func (f *fakeAPI) serveDelete(w http.ResponseWriter, r *http.Request, body []byte) {
	f.mu.Lock()
	obj := f.objects[r.URL.Path]
	f.mu.Unlock()
	if obj == nil {
		notFound(w, strings.Split(strings.Trim(r.URL.Path, "/"), "/"))
		return
	}
	var options struct {
		Preconditions struct{ UID, ResourceVersion string }
	}
	_ = json.Unmarshal(body, &options)
	have := fmt.Sprint(mustMap(obj["metadata"])["uid"])
	if want := options.Preconditions.UID; want != "" && want != have {
		status(w, 409, "Conflict", `Operation cannot be fulfilled on Queue "a": the UID in the precondition (`+want+") does not match the UID in record ("+have+")", nil)
		return
	}
	version := fmt.Sprint(mustMap(obj["metadata"])["resourceVersion"])
	if want := options.Preconditions.ResourceVersion; want != "" && want != version {
		status(w, 409, "Conflict", `Operation cannot be fulfilled on Queue "a": the ResourceVersion in the precondition (`+want+") does not match the ResourceVersion in record ("+version+")", nil)
		return
	}
	if mustMap(obj["metadata"])["finalizers"] != nil {
		held := cloneJSON(obj)
		mustMap(held["metadata"])["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		answer(w, 200, f.put(r.URL.Path, held))
		return
	}
	f.remove(r.URL.Path)
	answer(w, 200, map[string]any{"kind": "Status", "status": "Success"})
}

// isCollection tells the paths of lists from those of objects.
func isCollection(parts []string) bool {
	if parts[0] == "api" {
		parts = parts[2:]
	} else {
		parts = parts[3:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 {
		parts = parts[2:]
	}
	return len(parts) == 1
}

func selected(obj map[string]any, labels, fields string) bool {
	meta := mustMap(obj["metadata"])
	if name, value, ok := strings.Cut(labels, "="); ok {
		if have, _ := meta["labels"].(map[string]any); have == nil || have[name] != value {
			return false
		}
	}
	for _, one := range strings.Split(fields, ",") {
		path, value, _ := strings.Cut(one, "=")
		switch path {
		case "metadata.name":
			if meta["name"] != value {
				return false
			}
		case "involvedObject.name", "involvedObject.kind":
			if mustMap(obj["involvedObject"])[strings.TrimPrefix(path, "involvedObject.")] != value {
				return false
			}
		}
	}
	return true
}

func notFound(w http.ResponseWriter, parts []string) {
	resource, name := parts[len(parts)-2], parts[len(parts)-1]
	status(w, 404, "NotFound", fmt.Sprintf("%s %q not found", resource, name), map[string]any{"name": name, "kind": resource})
}

func status(w http.ResponseWriter, code int, reason, message string, details map[string]any) {
	answer(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": code, "reason": reason, "message": message, "details": details})
}

func answer(w http.ResponseWriter, code int, obj any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(marshal(obj))
}

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func cloneJSON(obj map[string]any) map[string]any {
	var out map[string]any
	if err := json.Unmarshal(marshal(obj), &out); err != nil {
		panic(err)
	}
	return out
}

func mustMap(v any) map[string]any {
	m, ok := v.(map[string]any)
	if !ok {
		return map[string]any{}
	}
	return m
}

// The kind that most tests use.
var queues = Kind{Group: "scheduling.run.ai", Version: "v2", Kind: "Queue", Resource: "queues"}

func queueKey(name string) Key { return Key{Kind: queues, Name: name} }

func queuePath(name string) string { return "/apis/scheduling.run.ai/v2/queues/" + name }

func queue(name string, extra map[string]any) map[string]any {
	obj := map[string]any{"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
		"metadata": map[string]any{"name": name, "labels": map[string]any{ownership.ManagedByLabel: ownership.ManagedBy}}}
	maps.Copy(obj, extra)
	return obj
}

// errorOf is the error of a call that has to fail for a reason.
func errorOf(t *testing.T, err error, want Reason) *Error {
	t.Helper()
	e := AsError(err)
	if e == nil {
		t.Fatalf("no error, want reason %s", want)
	}
	if e.Reason != want {
		t.Fatalf("reason %s, want %s: %v", e.Reason, want, err)
	}
	return e
}

func wantReason(t *testing.T, err error, want Reason) {
	t.Helper()
	_ = errorOf(t, err, want)
}

func wantText(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error lacks %q: %v", part, err)
		}
	}
}
