package kube

import (
	"context"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
)

// Options are what a Pool can be told.
type Options struct {
	UserAgent   string
	MaxInFlight int // requests at a time over all clusters, watches not counted; 0 means 32
}

// Ref names a hosted cluster by its Cluster API Cluster. UID is "" where it is not known; the pool does not look at it.
type Ref struct{ Namespace, Name, UID string }

// String is namespace/name.
func (r Ref) String() string { return r.Namespace + "/" + r.Name }

// Pool holds the clusters of one configuration of the provider, and all that was learnt about them.
type Pool struct {
	source  Source
	options Options
	dialer  *net.Dialer
	timing  timing
	slots   chan struct{}

	management *Cluster

	mu     sync.Mutex
	hosted map[Ref]*Cluster
	counts map[string]int
}

// timing is every duration of the package; tests shorten them.
type timing struct {
	attempt   time.Duration // one request, answer included; the API server gives up after 60 s itself
	budget    time.Duration // no further attempt after that long
	throttled time.Duration // the same where the server asks to wait
	backoff   time.Duration // first pause
	pause     time.Duration // longest pause
	outage    time.Duration // how long a cluster that did not answer at all is not asked again
	watch     time.Duration // a watch is renewed after that long
	grace     time.Duration // a wait puts up with 401 and 403 that long: API servers that start say so
}

var defaultTiming = timing{
	attempt: 65 * time.Second, budget: 20 * time.Second, throttled: 2 * time.Minute, backoff: 200 * time.Millisecond, pause: 5 * time.Second,
	outage: 5 * time.Second, watch: 4 * time.Minute, grace: 10 * time.Second,
}

// client-go logs the errors of credential plugins, with what they printed. Its logger may only be set before anything logs.
func init() { klog.SetLogger(logr.Discard()) }

// NewPool makes a pool. Nothing is dialled or read.
func NewPool(s Source, o Options) *Pool {
	if o.MaxInFlight <= 0 {
		o.MaxInFlight = 32
	}
	p := &Pool{
		source: s, options: o, timing: defaultTiming, slots: make(chan struct{}, o.MaxInFlight),
		// Of several addresses each gets its share of the timeout, so a dead one does not use up all of it.
		dialer: &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second},
		hosted: map[Ref]*Cluster{}, counts: map[string]int{},
	}
	p.management = newCluster(p, nil, func(context.Context) (*rest.Config, error) { return s.config() })
	return p
}

// Management is the management cluster.
func (p *Pool) Management() *Cluster { return p.management }

// Hosted is the hosted cluster of a Cluster API Cluster, the same pointer for the same namespace and name. Whether it exists
// shows at the first request.
func (p *Pool) Hosted(ref Ref) *Cluster {
	ref.UID = ""
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.hosted[ref]
	if c == nil {
		c = newCluster(p, &ref, func(ctx context.Context) (*rest.Config, error) { return p.hostedConfig(ctx, ref) })
		p.hosted[ref] = c
	}
	return c
}

// Requests counts what was sent so far by verb, in the words of the API server's own metrics: GET, LIST, WATCH, APPLY, PATCH,
// POST, PUT, DELETE.
func (p *Pool) Requests() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.counts)
}

// Close gives up idle connections. The pool stays usable.
func (p *Pool) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.management.closeIdle()
	for _, c := range p.hosted {
		c.closeIdle()
	}
}

func (p *Pool) count(verb string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts[verb]++
}

// enter takes one of the slots for requests in flight; the returned function gives it back.
func (p *Pool) enter(ctx context.Context) (func(), error) {
	select {
	case p.slots <- struct{}{}:
		return func() { <-p.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
