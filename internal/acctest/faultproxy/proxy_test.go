package faultproxy_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"

	"github.com/k0smos/terraform-provider-k0smos/internal/acctest/faultproxy"
)

// rig is a proxy before a small server that counts what reaches it.
type rig struct {
	*faultproxy.Proxy
	client  *http.Client
	reached atomic.Int32
	auth    atomic.Value
	more    chan string // what a watch sends
}

func start(t *testing.T) *rig {
	t.Helper()
	g := &rig{more: make(chan string)}
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.reached.Add(1)
		g.auth.Store(r.Header.Get("Authorization"))
		if r.URL.Query().Get("watch") == "" {
			_, _ = fmt.Fprint(w, strings.Repeat("x", 4000))
			return
		}
		for {
			_ = http.NewResponseController(w).Flush()
			select {
			case line := <-g.more:
				_, _ = fmt.Fprintln(w, line)
			case <-r.Context().Done():
				return
			}
		}
	}))
	t.Cleanup(upstream.Close)
	proxy, err := faultproxy.Start(faultproxy.Options{
		Dir:      t.TempDir(),
		Upstream: faultproxy.Upstream{URL: upstream.URL, Transport: upstream.Client().Transport},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proxy.Close() })
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(proxy.CA()) {
		t.Fatal("the CA is not PEM")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	t.Cleanup(transport.CloseIdleConnections)
	g.Proxy, g.client = proxy, &http.Client{Transport: transport}
	return g
}

type sent struct {
	status int
	header http.Header
	body   string
	err    error
}

func (g *rig) send(ctx context.Context, method, path, contentType string) sent {
	request, err := http.NewRequestWithContext(ctx, method, g.URL()+path, strings.NewReader("{}"))
	if err != nil {
		return sent{err: err}
	}
	request.Header.Set("Authorization", "Bearer "+g.Token())
	request.Header.Set("Content-Type", contentType)
	request.GetBody = nil // no silent retry by the transport
	answer, err := g.client.Do(request)
	if err != nil {
		return sent{err: err}
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	return sent{answer.StatusCode, answer.Header, string(body), err}
}

const (
	queue     = "/apis/scheduling.run.ai/v2/queues/x"
	applyType = "application/apply-patch+yaml"
)

func TestActions(t *testing.T) {
	released := make(chan struct{})
	close(released)
	tests := map[string]struct {
		do      faultproxy.Action
		status  int
		err     error
		reached int32
		noted   int // status in the record
	}{
		"forwarding changes nothing":                           {faultproxy.Forward(), 200, nil, 1, 200},
		"a delayed request arrives in the end":                 {faultproxy.Delay(time.Millisecond), 200, nil, 1, 200},
		"a held request arrives once it is released":           {faultproxy.Hold(released), 200, nil, 1, 200},
		"a reset before forwarding keeps it from the server":   {faultproxy.ResetBefore(), 0, syscall.ECONNRESET, 0, 0},
		"a reset after forwarding loses only the answer":       {faultproxy.ResetAfter(), 0, syscall.ECONNRESET, 1, 0},
		"a refusal is answered in the server's place":          {faultproxy.Answer(503, "ServiceUnavailable", "later"), 503, nil, 0, 503},
		"a cut body ends early":                                {faultproxy.CutBody(100), 200, io.ErrUnexpectedEOF, 1, 200},
		"the second action of a chain sees what the first did": {faultproxy.Chain(faultproxy.Call(func() {}), faultproxy.ResetAfter()), 0, syscall.ECONNRESET, 1, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			rule := g.Add(faultproxy.Rule{Name: "fault", Match: faultproxy.Match{Path: "/queues/x$"}, Do: test.do})
			got := g.send(t.Context(), http.MethodPatch, queue+"?dryRun=All&fieldManager=me&force=true", applyType)
			if got.status != test.status || !errors.Is(got.err, test.err) {
				t.Errorf("got %d, %v; want %d, %v", got.status, got.err, test.status, test.err)
			}
			if g.reached.Load() != test.reached {
				t.Errorf("%d requests reached the server, want %d", g.reached.Load(), test.reached)
			}
			log := g.Requests()
			if len(log) != 1 || log[0].Verb != "apply" || log[0].Fault != "fault" || log[0].Status != test.noted || !log[0].DryRun || !log[0].Force || log[0].Manager != "me" {
				t.Errorf("recorded %+v", log)
			}
			if rule.Fired() != 1 {
				t.Errorf("fired %d times", rule.Fired())
			}
			<-rule.Acted()
		})
	}
}

func TestARefusalIsAStatusObject(t *testing.T) {
	g := start(t)
	g.Add(faultproxy.Rule{Do: faultproxy.TooMany(3 * time.Second)})
	got := g.send(t.Context(), http.MethodGet, queue, "")
	var status struct{ Kind, Reason string }
	if err := json.Unmarshal([]byte(got.body), &status); err != nil {
		t.Fatal(err)
	}
	if got.status != 429 || got.header.Get("Retry-After") != "3" || status.Kind != "Status" || status.Reason != "TooManyRequests" {
		t.Errorf("got %+v", got)
	}
}

func TestHangingRequestsEndWithTheClient(t *testing.T) {
	for name, test := range map[string]struct {
		do      faultproxy.Action
		reached int32
	}{
		"the request is swallowed": {faultproxy.Hang(), 0},
		"the answer is swallowed":  {faultproxy.HangAfter(), 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			rule := g.Add(faultproxy.Rule{Do: test.do})
			ctx, cancel := context.WithCancel(t.Context())
			result := make(chan sent)
			go func() { result <- g.send(ctx, http.MethodGet, queue, "") }()
			<-rule.Acted()
			if test.reached == 1 {
				eventually(t, "the server has it", func() bool { return g.reached.Load() == 1 })
			}
			cancel()
			if got := <-result; !errors.Is(got.err, context.Canceled) {
				t.Errorf("got %v", got.err)
			}
			eventually(t, "the proxy lets go", func() bool { return g.Requests()[0].Done })
			if g.reached.Load() != test.reached {
				t.Errorf("reached the server %d times", g.reached.Load())
			}
		})
	}
}

func TestRulesChooseTheirRequests(t *testing.T) {
	ok, bad := 200, 500
	tests := map[string]struct {
		rule faultproxy.Rule
		want []int
	}{
		"the next two":                      {faultproxy.Rule{Times: 2}, []int{bad, bad, ok, ok}},
		"all after the first":               {faultproxy.Rule{Skip: 1}, []int{ok, bad, bad, bad}},
		"every second":                      {faultproxy.Rule{Every: 2}, []int{ok, bad, ok, bad}},
		"every second after one, once":      {faultproxy.Rule{Skip: 1, Every: 2, Times: 1}, []int{ok, ok, bad, ok}},
		"another path":                      {faultproxy.Rule{Match: faultproxy.Match{Path: "/queues/y$"}}, []int{ok, ok, ok, ok}},
		"another method":                    {faultproxy.Rule{Match: faultproxy.Match{Method: "GET"}}, []int{ok, ok, ok, ok}},
		"another resource":                  {faultproxy.Rule{Match: faultproxy.Match{Resource: "pods"}}, []int{ok, ok, ok, ok}},
		"another content type":              {faultproxy.Rule{Match: faultproxy.Match{ContentType: "application/json"}}, []int{ok, ok, ok, ok}},
		"dry runs only":                     {faultproxy.Rule{Match: faultproxy.Match{DryRun: faultproxy.OnlyDry}}, []int{ok, ok, ok, ok}},
		"real ones only":                    {faultproxy.Rule{Match: faultproxy.Match{DryRun: faultproxy.OnlyReal, Verb: "apply"}}, []int{bad, bad, bad, bad}},
		"what a function of the test picks": {faultproxy.Rule{Match: faultproxy.Match{Where: func(r faultproxy.Request) bool { return r.N == 3 }}}, []int{ok, ok, bad, ok}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			test.rule.Do = faultproxy.Answer(500, "InternalError", "broken")
			g.Add(test.rule)
			for i, want := range test.want {
				if got := g.send(t.Context(), http.MethodPatch, queue, applyType); got.status != want {
					t.Errorf("request %d: got %d %v, want %d", i+1, got.status, got.err, want)
				}
			}
		})
	}
}

func TestRulesCanBeTakenBack(t *testing.T) {
	g := start(t)
	first := g.Add(faultproxy.Rule{Name: "first", Do: faultproxy.Answer(500, "", "")})
	g.Add(faultproxy.Rule{Name: "second", Do: faultproxy.Answer(503, "", "")})
	for i, want := range []int{500, 503, 200} {
		if got := g.send(t.Context(), http.MethodGet, queue, ""); got.status != want {
			t.Errorf("request %d: got %d, want %d", i+1, got.status, want)
		}
		if i == 0 {
			first.Remove()
		} else {
			g.Clear()
		}
	}
}

func TestWatchesAreCut(t *testing.T) {
	for name, test := range map[string]struct {
		rule *faultproxy.Rule
		cut  func(*rig)
	}{
		"after two events": {rule: &faultproxy.Rule{Match: faultproxy.Match{Verb: "watch"}, Do: faultproxy.CutWatch(2)}},
		"on demand":        {cut: func(g *rig) { g.CutWatches() }},
	} {
		t.Run(name, func(t *testing.T) {
			g := start(t)
			if test.rule != nil {
				g.Add(*test.rule)
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL()+"/apis/scheduling.run.ai/v2/queues?watch=true", nil)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+g.Token())
			answer, err := g.client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = answer.Body.Close() }()
			lines := bufio.NewScanner(answer.Body)
			for _, event := range []string{"one", "two"} {
				g.more <- event
				if !lines.Scan() || lines.Text() != event {
					t.Fatalf("got %q, %v; want %q", lines.Text(), lines.Err(), event)
				}
			}
			if test.cut != nil {
				test.cut(g)
			}
			if lines.Scan() || !errors.Is(lines.Err(), io.ErrUnexpectedEOF) {
				t.Errorf("got %q, %v", lines.Text(), lines.Err())
			}
			eventually(t, "the stream is gone", func() bool { return g.OpenWatches() == 0 })
		})
	}
}

func TestTokensExpireAndAreRenewed(t *testing.T) {
	g := start(t)
	if got := g.send(t.Context(), http.MethodGet, queue, ""); got.status != 200 || g.auth.Load() != "" {
		t.Fatalf("got %d; the server was shown %q", got.status, g.auth.Load())
	}
	config, err := clientcmd.BuildConfigFromFlags("", g.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if config.Host != g.URL() || config.BearerToken != g.Token() || string(config.CAData) != string(g.CA()) {
		t.Errorf("kubeconfig says %+v", config)
	}
	g.ExpireToken()
	if held := read(t, g.TokenFile()); held != config.BearerToken || held == g.Token() {
		t.Errorf("file holds %q, accepted is %q", held, g.Token())
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, g.URL()+queue, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+config.BearerToken)
	answer, err := g.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != 401 {
		t.Errorf("the old token got %d", answer.StatusCode)
	}
	if err := g.RenewToken(); err != nil {
		t.Fatal(err)
	}
	if read(t, g.TokenFile()) != g.Token() {
		t.Error("the file was not renewed")
	}
}

func TestAServerThatIsDownLooksLikeABrokenConnection(t *testing.T) {
	g := start(t)
	if err := g.SetUpstream(faultproxy.Upstream{URL: "https://127.0.0.1:1"}); err != nil {
		t.Fatal(err)
	}
	if got := g.send(t.Context(), http.MethodGet, queue, ""); !errors.Is(got.err, syscall.ECONNRESET) {
		t.Errorf("got %d, %v", got.status, got.err)
	}
}

func TestRequestsAreDescribedAsTheServerWould(t *testing.T) {
	g := start(t)
	for _, test := range []struct{ method, path, contentType, want string }{
		{"GET", "/version", "", "get  //"},
		{"GET", "/apis/scheduling.run.ai/v2", "", "get  //"},
		{"GET", "/api/v1/namespaces", "", "list namespaces //"},
		{"GET", "/api/v1/namespaces/geo", "", "get namespaces /geo/"},
		{"PUT", "/api/v1/namespaces/geo/finalize", "", "update namespaces /geo/finalize"},
		{"GET", "/api/v1/namespaces/geo/secrets", "", "list secrets geo//"},
		{"DELETE", "/api/v1/namespaces/geo/secrets/s", "", "delete secrets geo/s/"},
		{"DELETE", "/api/v1/namespaces/geo/secrets", "", "deletecollection secrets geo//"},
		{"POST", "/api/v1/namespaces/geo/serviceaccounts/a/token", "", "create serviceaccounts geo/a/token"},
		{"PATCH", queue, "application/json-patch+json", "patch queues /x/"},
		{"PATCH", queue, applyType, "apply queues /x/"},
	} {
		g.Forget()
		g.send(t.Context(), test.method, test.path, test.contentType)
		r := g.Requests()[0]
		if got := fmt.Sprintf("%s %s %s/%s/%s", r.Verb, r.Resource, r.Namespace, r.Name, r.Subresource); got != test.want {
			t.Errorf("%s %s: got %q, want %q", test.method, test.path, got, test.want)
		}
	}
	g.send(t.Context(), "PATCH", queue+"?dryRun=All", applyType)
	if got := g.Counts(); got["apply queues"] != 1 || got["dry-run queues"] != 1 {
		t.Errorf("counted %v", got)
	}
	if got := g.Matching(faultproxy.Match{Resource: "queues", DryRun: faultproxy.OnlyReal}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("not so after 10 s: %s", what)
		}
		time.Sleep(time.Millisecond)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
