package kube

import (
	"context"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// Cluster is one cluster of a pool, whether it can be reached or not.
type Cluster struct {
	pool    *Pool
	ref     *Ref // nil for the management cluster
	resolve func(context.Context) (*rest.Config, error)

	gate   gate // held while a connection is made
	conn   atomic.Pointer[connection]
	memory atomic.Pointer[memory] // replaced whenever the connection is
	pins   atomic.Pointer[pins]
	outage atomic.Pointer[outage]
}

// memory is what was learnt of a cluster through its present connection.
type memory struct {
	kinds   kinds
	batches batches
}

// outage is remembered when a cluster did not answer at all for as long as we try.
type outage struct {
	until time.Time
	err   *Error
}

func newCluster(p *Pool, ref *Ref, resolve func(context.Context) (*rest.Config, error)) *Cluster {
	c := &Cluster{pool: p, ref: ref, resolve: resolve, gate: newGate()}
	c.forget()
	return c
}

func (c *Cluster) forget() {
	c.memory.Store(newMemory())
	c.pins.Store(newPins())
	c.outage.Store(nil)
}

func newMemory() *memory {
	return &memory{kinds: kinds{gate: newGate()}, batches: batches{all: map[batchKey]*batch{}}}
}

// Describe names the cluster for messages.
func (c *Cluster) Describe() string {
	if c.ref != nil {
		return "hosted cluster " + c.ref.String()
	}
	if conn := c.conn.Load(); conn != nil {
		return "management cluster (" + conn.config.Host + ")"
	}
	return "management cluster"
}

// RESTConfig is how the cluster is reached, with the content of files instead of their names. It holds credentials.
func (c *Cluster) RESTConfig(ctx context.Context) (*rest.Config, error) {
	conn, err := c.connection(ctx)
	if err != nil {
		return nil, err
	}
	cfg := rest.CopyConfig(conn.config)
	cfg.Dial = nil
	return cfg, nil
}

// connection is the present connection; it is made if there is none.
func (c *Cluster) connection(ctx context.Context) (*connection, error) {
	if conn := c.conn.Load(); conn != nil {
		return conn, nil
	}
	if err := c.gate.lock(ctx); err != nil {
		return nil, c.place(err)
	}
	defer c.gate.unlock()
	if conn := c.conn.Load(); conn != nil {
		return conn, nil
	}
	return c.make(ctx, nil)
}

// renew looks whether there is another way to the cluster than old: other credentials, another endpoint.
func (c *Cluster) renew(ctx context.Context, old *connection) (changed bool, err error) {
	if err := c.gate.lock(ctx); err != nil {
		return false, c.place(err)
	}
	defer c.gate.unlock()
	if c.conn.Load() != old {
		return true, nil
	}
	conn, err := c.make(ctx, old)
	return conn != old, err
}

// make resolves the cluster anew; the result is old itself where nothing has changed.
func (c *Cluster) make(ctx context.Context, old *connection) (*connection, error) {
	cfg, err := c.resolve(ctx)
	if err != nil {
		return old, c.place(err)
	}
	conn, err := c.pool.connect(cfg, "the configuration of the "+c.Describe())
	if err != nil {
		return old, c.place(err)
	}
	if old != nil {
		if old.stamp == conn.stamp {
			return old, nil
		}
		old.close()
		c.forget()
	}
	c.conn.Store(conn)
	return conn, nil
}

func (c *Cluster) closeIdle() {
	if conn := c.conn.Load(); conn != nil {
		conn.close()
	}
}

// place writes the cluster into an error that names none yet.
func (c *Cluster) place(err error) error {
	if err == nil {
		return nil
	}
	e := *AsError(err)
	if e.Cluster == "" {
		e.Cluster = c.Describe()
	}
	return &e
}
