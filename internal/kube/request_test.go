package kube

import (
	"context"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func plain(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
	}
}

func refusal(code int, reason, message string, details map[string]any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { status(w, code, reason, message, details) }
}

// reset breaks the connection before any answer.
func reset(w http.ResponseWriter, _ *http.Request) {
	if conn := hijack(w); conn != nil {
		if tcp, ok := conn.(interface{ NetConn() net.Conn }); ok {
			if raw, ok := tcp.NetConn().(*net.TCPConn); ok {
				_ = raw.SetLinger(0)
				_ = raw.Close()
			}
		}
		_ = conn.Close()
	}
}

// cut breaks the connection in the middle of an answer that says how long it is.
func cut(w http.ResponseWriter, _ *http.Request) {
	if conn := hijack(w); conn != nil {
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"kind\":\"Queue\","))
		_ = conn.Close()
	}
}

// cutOpen does so in an answer whose end only the end of the connection tells.
func cutOpen(w http.ResponseWriter, _ *http.Request) {
	if conn := hijack(w); conn != nil {
		_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n{\"kind\":\"Queue\","))
		_ = conn.Close()
	}
}

func hijack(w http.ResponseWriter) net.Conn {
	h, ok := w.(http.Hijacker)
	if !ok {
		return nil
	}
	conn, _, err := h.Hijack()
	if err != nil {
		return nil
	}
	return conn
}

const webhookDown = `Internal error occurred: failed calling webhook "v.k0smotron.io": failed to call webhook: Post "https://w.svc:443/x?timeout=10s": an error on the server ("") has prevented the request from succeeding`

func TestTransientFailuresAreRetried(t *testing.T) {
	failures := map[string]http.HandlerFunc{
		"a webhook that answers 500":       refusal(500, "InternalError", webhookDown, nil),
		"an internal error":                refusal(500, "InternalError", "Internal error occurred: etcdserver: leader changed", nil),
		"503":                              refusal(503, "ServiceUnavailable", "apiserver not ready", nil),
		"504":                              refusal(504, "Timeout", "Timeout: request did not complete within requested timeout", nil),
		"502 of a load balancer":           plain(502, "<html>Bad Gateway</html>"),
		"429 without a time to wait":       plain(429, "slow down"),
		"a lost race inside of the server": refusal(409, "Conflict", "Operation cannot be fulfilled: the object has been modified", nil),
		"a connection reset":               reset,
		"an answer that is cut":            cut,
		"an answer without length that is cut short": cutOpen,
	}
	calls := map[string]struct {
		method string
		do     func(context.Context, *Cluster) error
	}{
		"get": {http.MethodGet, func(ctx context.Context, c *Cluster) error {
			_, err := c.Get(ctx, queueKey("a"))
			return err
		}},
		"list": {http.MethodGet, func(ctx context.Context, c *Cluster) error {
			_, err := c.List(ctx, queues, "", "", 0)
			return err
		}},
		"apply": {http.MethodPatch, func(ctx context.Context, c *Cluster) error {
			_, _, err := c.Apply(ctx, queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"})
			return err
		}},
		"delete": {http.MethodDelete, func(ctx context.Context, c *Cluster) error { _, err := c.Delete(ctx, queueKey("a"), ""); return err }},
	}
	for what, fail := range failures {
		for name, call := range calls {
			t.Run(name+" after twice "+what, func(t *testing.T) {
				f := newFakeAPI(t)
				f.put(queuePath("a"), queue("a", nil))
				f.first(2, call.method, fail)
				if err := call.do(t.Context(), f.cluster()); err != nil {
					t.Fatal(err)
				}
				if n := f.requests("queues"); n != 3 {
					t.Errorf("%d requests, want 3", n)
				}
			})
		}
	}
}

func TestCreateIsSentAgainOnlyWhereTheFirstHadNoEffect(t *testing.T) {
	tests := map[string]struct {
		fail http.HandlerFunc
		sent int
	}{
		"a webhook that is down":   {refusal(500, "InternalError", webhookDown, nil), 2},
		"429":                      {plain(429, ""), 2},
		"an answer that is lost":   {cut, 1},
		"503 of who knows whom":    {plain(503, ""), 1},
		"an error of the database": {refusal(500, "InternalError", "etcdserver: request timed out", nil), 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(1, http.MethodPost, test.fail)
			_, err := f.cluster().Create(t.Context(), queueKey("a"), queue("a", nil), "m")
			if (err == nil) != (test.sent == 2) {
				t.Errorf("error %v", err)
			}
			if n := f.requests("POST"); n != test.sent {
				t.Errorf("%d requests, want %d", n, test.sent)
			}
		})
	}
}

func TestRetryAfterIsHonoured(t *testing.T) {
	f := newFakeAPI(t)
	f.put(queuePath("a"), queue("a", nil))
	f.first(1, http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		status(w, 429, "TooManyRequests", "please wait", nil)
	})
	began := time.Now()
	if _, err := f.cluster().Get(t.Context(), queueKey("a")); err != nil {
		t.Fatal(err)
	}
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("asked again after %s, want 1s", waited)
	}
}

func TestRetriesEndAndSayWhatWasWrong(t *testing.T) {
	tests := map[string]struct {
		fail     http.HandlerFunc
		reason   Reason
		contains string
	}{
		"a webhook that stays away": {refusal(500, "InternalError", webhookDown, nil), ReasonWebhookUnavailable, "v.k0smotron.io"},
		"a server in trouble":       {refusal(500, "InternalError", "etcd is gone", nil), ReasonUnavailable, "etcd is gone"},
		"a server that throttles":   {plain(429, ""), ReasonUnavailable, "429"},
		"a dead connection":         {reset, ReasonOffline, "the connection broke"},
		"a wait that is longer than ours": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			status(w, 429, "TooManyRequests", "come back later", nil)
		}, ReasonUnavailable, "come back later"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(1<<30, http.MethodGet, test.fail)
			_, err := hasty(quickPool(f.source())).Management().Get(t.Context(), queueKey("a"))
			e := errorOf(t, err, test.reason)
			wantText(t, e, test.contains, "Queue.scheduling.run.ai/v2 a in the management cluster (https://127.0.0.1:")
		})
	}
}

func TestContextEndsRetries(t *testing.T) {
	f := newFakeAPI(t)
	f.first(1<<30, http.MethodGet, refusal(500, "InternalError", "etcd is gone", nil))
	p := quickPool(f.source())
	p.timing.budget = time.Hour
	t.Run("a deadline leaves the reason of the failure", func(t *testing.T) {
		ctx, expire := expiring(t)
		done := make(chan error, 1)
		go func() {
			_, err := p.Management().Get(ctx, queueKey("a"))
			done <- err
		}()
		f.until(t.Context(), "some attempts", func() bool { return len(f.log) > 2 })
		expire()
		wantText(t, errorOf(t, <-done, ReasonUnavailable), "etcd is gone")
	})
	t.Run("a cancellation is a cancellation", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := p.Management().Get(ctx, queueKey("b"))
			done <- err
		}()
		f.until(t.Context(), "the second request", func() bool {
			return len(f.log) > 1 && strings.HasSuffix(f.log[len(f.log)-1], "/b")
		})
		cancel()
		wantReason(t, <-done, ReasonCancelled)
	})
}

func TestServerThatNeverAnswersIsGivenUp(t *testing.T) {
	f := newFakeAPI(t)
	f.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	})
	p := quickPool(f.source())
	p.timing.attempt, p.timing.budget = 300*time.Millisecond, time.Millisecond
	_, err := p.Management().Get(t.Context(), queueKey("a"))
	wantText(t, errorOf(t, err, ReasonOffline), "did not answer within 300ms")
}

func TestClusterThatIsDownIsNotAskedAgainAtOnce(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	p := hasty(quickPool(Source{Host: address, Token: canary}))
	p.timing.outage = time.Hour
	_, err = p.Management().Get(t.Context(), queueKey("a"))
	e := errorOf(t, err, ReasonOffline)
	wantText(t, e, "connection refused", "management cluster (https://"+address)
	noCanary(t, e)
	sent := p.Requests()["GET"]
	_, err = p.Management().Get(t.Context(), queueKey("b"))
	wantText(t, errorOf(t, err, ReasonOffline), "connection refused", "v2 b")
	if p.Requests()["GET"] != sent {
		t.Error("it was asked again")
	}
	p.management.outage.Load().until = time.Now()
	_, err = p.Management().Get(t.Context(), queueKey("b"))
	wantReason(t, err, ReasonOffline)
	if p.Requests()["GET"] != sent+1 {
		t.Errorf("%d attempts after the pause, want 1", p.Requests()["GET"]-sent)
	}
}

func TestRequestsInFlightAreBoundedWithoutWatches(t *testing.T) {
	f := newFakeAPI(t)
	var now, most atomic.Int32
	f.intercept(func(_ http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("watch") != "" {
			return false
		}
		n := now.Add(1)
		defer now.Add(-1)
		for {
			old := most.Load()
			if n <= old || most.CompareAndSwap(old, n) {
				break
			}
		}
		time.Sleep(2 * time.Millisecond)
		return false
	})
	p := NewPool(f.source(), Options{MaxInFlight: 2})
	c := p.Management()
	waiting, stop := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 3 { // more watches than slots
		all.Go(func() {
			_, _ = c.Wait(waiting, queueKey("w"), func(*unstr) (bool, string, error) { return false, "", nil })
		})
	}
	f.until(t.Context(), "three watches", func() bool { return len(f.watches) == 3 })
	var readers sync.WaitGroup
	for range 20 {
		readers.Go(func() { _, _ = c.Get(t.Context(), queueKey("a")) })
	}
	readers.Wait()
	stop()
	all.Wait()
	if most.Load() != 2 {
		t.Errorf("%d requests at a time, want 2", most.Load())
	}
	got := p.Requests()
	if got["GET"] != 20 || got["LIST"] != 3 || got["WATCH"] != 3 {
		t.Errorf("counted %v", got)
	}
}

func TestHostThatResolvesToADeadAddressFirst(t *testing.T) {
	f := newFakeAPI(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(f.server.URL, "https://"))
	p := quickPool(Source{Host: "https://cluster.test.:" + port, ClusterCA: f.ca(), Token: "x", TLSServerName: "example.com"})
	p.dialer.Resolver = resolverOf(t, [4]byte{127, 9, 9, 9}, [4]byte{127, 0, 0, 1})
	if _, err := p.Management().Pin(t.Context()); err != nil {
		t.Fatal(err)
	}
	p = hasty(quickPool(Source{Host: "https://cluster.test.:" + port, Token: "x"}))
	p.dialer.Resolver = resolverOf(t)
	_, err := p.Management().Pin(t.Context())
	wantText(t, errorOf(t, err, ReasonOffline), "the name cluster.test. does not resolve")
}

// resolverOf answers every question for an IPv4 address with these, in this order.
func resolverOf(t *testing.T, addresses ...[4]byte) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	go func() { // ends when conn is closed
		buffer := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buffer[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			m.Response, m.Additionals = true, nil
			if len(addresses) == 0 {
				m.RCode = dnsmessage.RCodeNameError
			}
			if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
				for _, a := range addresses {
					m.Answers = append(m.Answers, dnsmessage.Resource{
						Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}, Body: &dnsmessage.AResource{A: a},
					})
				}
			}
			if out, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestTLSProblemsAreNamed(t *testing.T) {
	f := newFakeAPI(t)
	tests := map[string]struct {
		source   Source
		contains string
	}{
		"no CA":        {Source{Host: f.server.URL}, "authority that is not trusted"},
		"another name": {Source{Host: f.server.URL, ClusterCA: f.ca(), TLSServerName: "other.example.org"}, "for another name"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := quickPool(test.source).Management().Get(t.Context(), queueKey("a"))
			wantText(t, errorOf(t, err, ReasonOffline), test.contains)
		})
	}
	t.Run("insecure does not verify", func(t *testing.T) {
		if _, err := quickPool(Source{Host: f.server.URL, Insecure: true}).Management().Pin(t.Context()); err != nil {
			t.Error(err)
		}
	})
	t.Run("a server without TLS", func(t *testing.T) {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: plain(200, "hello"), ReadHeaderTimeout: time.Second}
		t.Cleanup(func() { _ = server.Close() })
		go func() { _ = server.Serve(listener) }()
		_, err = quickPool(Source{Host: listener.Addr().String()}).Management().Get(t.Context(), queueKey("a"))
		wantText(t, errorOf(t, err, ReasonOffline), "does not speak TLS")
	})
}
