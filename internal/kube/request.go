package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	jsonType     = "application/json"
	metadataOnly = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json"
	metadataList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
)

// request is one call of the Kubernetes API, to be sent as often as it takes.
type request struct {
	verb        string // as Requests counts it
	method      string
	path        string // escaped, from the API's root
	query       url.Values
	body        []byte
	contentType string
	accept      string
	key         Key    // the object it is about, if it is about one
	object      string // what messages call that, if not key.String()
	once        bool   // not idempotent: never sent again where the server may have acted on it
	guarded     bool   // carries a precondition, so that a 409 is final
	patient     bool   // sent also while the cluster is taken to be down
}

// response is a successful answer.
type response struct {
	code int
	body []byte
}

// do sends r until it succeeds, is refused, or there is no sense in trying further.
func (c *Cluster) do(ctx context.Context, r request) (*response, error) {
	down := c.outage.Load()
	if down != nil && !r.patient && time.Now().Before(down.until) {
		e := *down.err
		e.Object = r.about()
		return nil, &e
	}
	var last *failure
	renewed := map[Reason]bool{}
	for start, attempt := time.Now(), 0; ; attempt++ {
		conn, err := c.connection(ctx)
		if err != nil {
			return nil, r.name(err)
		}
		resp, f := c.send(ctx, conn, r)
		if f == nil {
			c.outage.Store(nil)
			return resp, nil
		}
		if last != nil && ctx.Err() != nil {
			return nil, c.interrupted(ctx, last) // says more than that the time is over
		}
		last = f
		if f.mayHaveMoved() && !renewed[f.err.Reason] {
			renewed[f.err.Reason] = true
			changed, err := c.renew(ctx, conn)
			if err != nil {
				return nil, r.name(err)
			}
			if (changed || conn.exec && f.err.code == http.StatusUnauthorized) && f.repeatable(r) {
				continue
			}
		}
		pause, again := c.pool.timing.retry(f, r, attempt, time.Since(start))
		if !again || down != nil && f.link && !r.patient {
			return nil, c.lost(f)
		}
		if !sleep(ctx, pause) {
			return nil, c.interrupted(ctx, f)
		}
	}
}

// interrupted is the end of a request that was to be sent again after f when ctx ended.
func (c *Cluster) interrupted(ctx context.Context, f *failure) error {
	err := c.lost(f)
	if !errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	e := *f.err
	e.Reason, e.Cause, e.Message = ReasonCancelled, ctx.Err(), "cancelled while retrying: "+e.Message
	return &e
}

// lost is the end of a request that failed. A cluster that cannot be reached is left alone for a moment, and what was known
// of who it is has to be asked again.
func (c *Cluster) lost(f *failure) error {
	if f.link || f.err.Reason == ReasonUnauthorized {
		c.pins.Store(newPins())
	}
	if f.link && f.err.Reason == ReasonOffline {
		c.outage.Store(&outage{until: time.Now().Add(c.pool.timing.outage), err: f.err})
	}
	return f.err
}

// send sends r once.
func (c *Cluster) send(ctx context.Context, conn *connection, r request) (*response, *failure) {
	leave, err := c.pool.enter(ctx)
	if err != nil {
		return nil, c.fail(ctx, r, err)
	}
	defer leave()
	attempt, cancel := context.WithTimeout(ctx, c.pool.timing.attempt)
	defer cancel()
	resp, err := c.open(attempt, conn, r)
	if err != nil {
		return nil, c.fail(ctx, r, err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, c.fail(ctx, r, err)
	}
	if open := resp.ContentLength < 0 && len(resp.TransferEncoding) == 0 && !resp.Uncompressed && resp.ProtoMajor == 1; open && !json.Valid(body) {
		return nil, c.fail(ctx, r, io.ErrUnexpectedEOF) // nothing but the end of the connection says where such an answer ends
	}
	if resp.StatusCode/100 != 2 {
		return nil, c.refuse(conn, r, resp, body)
	}
	return &response{code: resp.StatusCode, body: body}, nil
}

// open sends r and leaves the body of the answer to the caller.
func (c *Cluster) open(ctx context.Context, conn *connection, r request) (*http.Response, error) {
	address := conn.base.String() + r.path
	if len(r.query) > 0 {
		address += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, address, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	if r.body == nil {
		req.Body, req.GetBody, req.ContentLength = nil, nil, 0
	}
	accept := r.accept
	if accept == "" {
		accept = jsonType
	}
	req.Header.Set("Accept", accept)
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	c.pool.count(r.verb)
	return conn.client.Do(req)
}

// about is what messages call the object of r.
func (r request) about() string {
	if r.object != "" || r.key == (Key{}) {
		return r.object
	}
	return r.key.String()
}

// name writes the object of r into an error that names none.
func (r request) name(err error) error {
	if AsError(err).Object != "" {
		return err
	}
	return named(r.about(), err)
}

func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
