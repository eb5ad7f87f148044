package composite

import (
	"context"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// question is a query to a cluster.
type question struct {
	cluster *kube.Cluster
	query   Query
}

// answer is what a query was told, once told is closed.
type answer struct {
	told chan struct{}
	live Live
	err  error
}

// shared is query, once in a run for everybody who is content with that. A failure is told to who asked, and not kept.
func (x *instance) shared(ctx context.Context, q Query) (Live, error) {
	if !q.Shared || q.Hosted != nil {
		return x.query(ctx, q)
	}
	key := question{x.cluster, q}
	a, first := x.provider.ask(key)
	if first {
		a.live, a.err = x.query(ctx, q)
		if a.err != nil {
			x.provider.forget(key)
		}
		close(a.told)
		return a.live, a.err
	}
	select {
	case <-a.told:
		if a.err != nil { // it may have been the other's own time that ran out
			return x.query(ctx, q)
		}
		return a.live, nil
	case <-ctx.Done():
		return x.query(ctx, q) // which says so
	}
}

// ask finds who has asked the same before; the first one has to go and see.
func (p *Provider) ask(key question) (a *answer, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.told[key]; ok {
		return a, false
	}
	if p.told == nil {
		p.told = map[question]*answer{}
	}
	a = &answer{told: make(chan struct{})}
	p.told[key] = a
	return a, true
}

func (p *Provider) forget(key question) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.told, key)
}
