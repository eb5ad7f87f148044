package kube

import (
	"context"
	"net/url"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// batches remembers objects by kind and namespace. The first read of such a group is a GET; the second one lists the group,
// and from then on the list answers.
type batches struct {
	mu  sync.Mutex
	all map[batchKey]*batch
}

type batchKey struct {
	kind      Kind
	namespace string
}

type batch struct {
	items   map[string]*unstructured.Unstructured
	flight  chan struct{}   // closed when the LIST under way is over; nil without one
	touched map[string]bool // written while the LIST was under way: its answer for these is old
	loaded  bool            // the LIST is in items
	refused bool            // the LIST is not allowed; every read is a GET
	writes  int             // counts writes, so that an older GET does not overwrite a newer write
}

// move is what a reader does next.
type move int

const (
	take   move = iota // the object is in hand
	ask                // GET it
	lead               // LIST for everybody
	follow             // wait for who lists
)

// Read is Get for a refresh of many objects: few LIST requests instead of one GET per object. Absence is always confirmed by
// a GET. What this pool wrote is seen.
func (c *Cluster) Read(ctx context.Context, key Key) (*unstructured.Unstructured, error) {
	if _, err := key.path(); err != nil {
		return nil, c.place(err)
	}
	b := &c.memory.Load().batches
	for waited := false; ; waited = true {
		next, live, flight, writes := b.next(key, waited)
		switch next {
		case take:
			return live, nil
		case lead:
			c.load(ctx, b, key)
		case follow:
			select {
			case <-flight:
			case <-ctx.Done():
				return nil, c.place(named(key.String(), ended(ctx, "waiting for the list that another read started")))
			}
		case ask:
			live, err := c.Get(ctx, key)
			if err == nil {
				b.learn(key, live, writes)
			}
			return live, err
		}
	}
}

// next decides; a reader that already waited for a LIST in vain asks by itself.
func (b *batches) next(key Key, waited bool) (move, *unstructured.Unstructured, chan struct{}, int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := batchKey{key.Kind, key.Namespace}
	g := b.all[id]
	if g == nil {
		b.all[id] = &batch{items: map[string]*unstructured.Unstructured{}}
		return ask, nil, nil, 0
	}
	if live := g.items[key.Name]; live != nil {
		return take, live.DeepCopy(), nil, 0
	}
	switch {
	case g.loaded, g.refused, waited:
		return ask, nil, nil, g.writes
	case g.flight != nil:
		return follow, nil, g.flight, 0
	}
	g.flight, g.touched = make(chan struct{}), map[string]bool{}
	return lead, nil, nil, 0
}

// load lists the group of key and wakes up who waits for it. A failure is not reported: each reader then asks for its own
// object, and hears about it there.
func (c *Cluster) load(ctx context.Context, b *batches, key Key) {
	items, _, err := c.list(ctx, key.Kind, key.Namespace, listOptions{query: url.Values{"labelSelector": {ownership.ManagedByLabel + "=" + ownership.ManagedBy}}})
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.all[batchKey{key.Kind, key.Namespace}]
	defer func() {
		close(g.flight)
		g.flight, g.touched = nil, nil
	}()
	if err != nil {
		g.refused = is(err, ReasonForbidden)
		return
	}
	for name := range g.items {
		if !g.touched[name] {
			delete(g.items, name)
		}
	}
	for i := range items {
		if name := items[i].GetName(); !g.touched[name] {
			g.items[name] = &items[i]
		}
	}
	g.loaded = true
}

// learn keeps what a GET brought, unless something was written since.
func (b *batches) learn(key Key, live *unstructured.Unstructured, writes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if g := b.all[batchKey{key.Kind, key.Namespace}]; g != nil && g.writes == writes && g.flight == nil {
		g.items[key.Name] = live.DeepCopy()
	}
}

// store keeps what a write returned, where the group is read at all.
func (b *batches) store(key Key, live *unstructured.Unstructured) {
	b.write(key, func(g *batch) { g.items[key.Name] = live.DeepCopy() })
}

// drop forgets an object, so that the next read asks the cluster.
func (b *batches) drop(key Key) {
	b.write(key, func(g *batch) { delete(g.items, key.Name) })
}

func (b *batches) write(key Key, change func(*batch)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	g := b.all[batchKey{key.Kind, key.Namespace}]
	if g == nil {
		return
	}
	g.writes++
	if g.flight != nil {
		g.touched[key.Name] = true
	}
	change(g)
}
