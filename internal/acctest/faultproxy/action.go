package faultproxy

import (
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"
)

// Action deals with one request; next forwards it to the upstream server.
type Action func(w http.ResponseWriter, r *http.Request, next http.Handler)

// closedKey finds the channel in a request's context that is closed with the proxy.
type closedKey struct{}

func closing(r *http.Request) <-chan struct{} {
	c, _ := r.Context().Value(closedKey{}).(chan struct{})
	return c
}

// Chain lets each action see the request after the one before it forwarded it.
func Chain(actions ...Action) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		for i := len(actions) - 1; i >= 0; i-- {
			act, after := actions[i], next
			next = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { act(w, r, after) })
		}
		next.ServeHTTP(w, r)
	}
}

// Forward does nothing to the request; it is for counting by a rule.
func Forward() Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) { next.ServeHTTP(w, r) }
}

// Delay forwards the request after a while, unless the client hangs up before.
func Delay(d time.Duration) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		case <-closing(r):
		}
	}
}

// Hold forwards the request when release is closed, unless the client hangs up before.
func Hold(release <-chan struct{}) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		select {
		case <-release:
			next.ServeHTTP(w, r)
		case <-r.Context().Done():
		case <-closing(r):
		}
	}
}

// Call runs f when the request arrives, and then forwards it.
func Call(f func()) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		f()
		next.ServeHTTP(w, r)
	}
}

// CallAfter forwards the request and runs f once the server has done it, before the client has the answer.
func CallAfter(f func()) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&callOnAnswer{ResponseWriter: w, call: f}, r)
	}
}

// ResetBefore breaks the connection with a TCP reset; the server never sees the request.
func ResetBefore() Action {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { reset(w) }
}

// ResetAfter lets the server do what is asked and then breaks the connection with a TCP reset: the answer is lost.
func ResetAfter() Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&discard{header: http.Header{}}, r)
		reset(w)
	}
}

// Hang swallows the request: the server never sees it and the client gets no answer until it gives up.
func Hang() Action {
	return func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
		select {
		case <-r.Context().Done():
		case <-closing(r):
		}
		reset(w)
	}
}

// HangAfter lets the server do what is asked and swallows the answer until the client gives up.
func HangAfter() Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&discard{header: http.Header{}}, r)
		Hang()(w, r, nil)
	}
}

// Answer answers in the server's place, with a Status object as an API server writes it.
func Answer(code int, reason, message string) Action {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		body, err := json.Marshal(map[string]any{
			"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{},
			"status": "Failure", "reason": reason, "message": message, "code": code,
		})
		if err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = w.Write(body)
	}
}

// TooMany answers 429 and asks to come back after some time (full seconds).
func TooMany(retryAfter time.Duration) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		w.Header().Set("Retry-After", strconv.Itoa(int(retryAfter.Seconds())))
		Answer(http.StatusTooManyRequests, "TooManyRequests", "too many requests, please try again later")(w, r, next)
	}
}

// CutBody forwards the request and breaks the connection after so many bytes of the answer's body, which must be longer.
func CutBody(after int) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&cutter{ResponseWriter: w, left: after, cost: func(byte) int { return 1 }}, r)
		panic(http.ErrAbortHandler) // the body was shorter: a chunked one loses its end all the same
	}
}

// CutWatch forwards a watch and breaks the connection after so many events.
func CutWatch(after int) Action {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(&cutter{ResponseWriter: w, left: after, cost: func(b byte) int {
			if b == '\n' { // events end with a newline
				return 1
			}
			return 0
		}}, r)
	}
}

var errCut = errors.New("cut by the fault proxy")

// cutter passes bytes on until their cost is spent; the failed write makes the reverse proxy abort the answer.
type cutter struct {
	http.ResponseWriter
	left int
	cost func(byte) int
}

func (c *cutter) Write(b []byte) (int, error) {
	for i := range b {
		if c.left <= 0 {
			n, err := c.pass(b[:i])
			return n, errors.Join(err, errCut)
		}
		c.left -= c.cost(b[i])
	}
	n, err := c.pass(b)
	if err == nil && c.left <= 0 {
		err = errCut
	}
	return n, err
}

func (c *cutter) pass(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	if err != nil {
		return n, err
	}
	return n, http.NewResponseController(c.ResponseWriter).Flush()
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// callOnAnswer calls once, when the server's answer begins.
type callOnAnswer struct {
	http.ResponseWriter
	call func()
}

func (c *callOnAnswer) WriteHeader(status int) {
	if c.call != nil {
		c.call()
		c.call = nil
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *callOnAnswer) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// discard is where lost answers go.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(b []byte) (int, error) { return io.Discard.Write(b) }

// Flush is there because the reverse proxy flushes what it copies.
func (d *discard) Flush() {}

// reset closes the client's connection so that its kernel reports a reset.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	under := conn
	if t, ok := conn.(*tls.Conn); ok {
		under = t.NetConn()
	}
	if t, ok := under.(*net.TCPConn); ok {
		_ = t.SetLinger(0)
	}
	_ = under.Close()
}
