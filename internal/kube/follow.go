package kube

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Selection selects objects of one kind in one cluster: one by Name, or those that a label selector finds.
type Selection struct {
	Cluster   *Cluster
	Kind      Kind
	Namespace string // "" is every namespace
	Name      string
	Selector  string // where Name is empty; "" is all
}

// Look tells what to follow, from what was seen so far.
type Look = func(seen []*unstructured.Unstructured) []Selection

// Judge is shown all objects that are followed, in the order of the selections and then of their names. It must not change
// them.
type Judge = func(seen []*unstructured.Unstructured) (done bool, err error)

// Follow watches what look asks for until judge is done. Look is asked again when what is seen has changed; what it asked for
// once is followed to the end. Judge is asked when everything has been seen, and then after changes: several that come
// together are judged together. A kind that is not served is one without objects until it is. What happens to the
// connections is made good for as long as ctx lives; when ctx ends, the error says what could not be seen.
func Follow(ctx context.Context, look Look, judge Judge) error {
	inner, cancel := context.WithCancel(ctx)
	f := &follower{feeds: map[Selection]*feed{}, news: make(chan struct{}, 1), began: time.Now()}
	defer f.running.Wait()
	defer cancel()
	for {
		seen, whole, err := f.look(inner, look)
		if err != nil {
			return err
		}
		if whole {
			if done, err := judge(seen); done || err != nil {
				return err
			}
		}
		select {
		case <-f.news:
		case <-ctx.Done():
			return f.over(ctx)
		}
	}
}

// follower is one call of Follow.
type follower struct {
	feeds   map[Selection]*feed
	order   []*feed
	news    chan struct{} // there is something new
	running sync.WaitGroup
	began   time.Time
}

// look starts to follow what look asks for, and returns what is known by now. whole is true when all of it has been seen.
func (f *follower) look(ctx context.Context, look Look) (seen []*unstructured.Unstructured, whole bool, err error) {
	for {
		if seen, whole, err = f.seen(); err != nil {
			return nil, false, err
		}
		more := false
		for _, s := range look(seen) {
			if f.feeds[s] == nil {
				f.start(ctx, s)
				more = true
			}
		}
		if !more {
			return seen, whole, nil
		}
	}
}

func (f *follower) start(ctx context.Context, s Selection) {
	d := &feed{selection: s, news: f.news, items: map[string]*unstructured.Unstructured{}}
	f.feeds[s] = d
	f.order = append(f.order, d)
	f.running.Go(func() {
		line := &stream{cluster: s.Cluster, key: Key{Kind: s.Kind, Namespace: s.Namespace}, object: listName(s.Kind, s.Namespace), optional: true, to: d}
		switch {
		case s.Name != "":
			line.key.Name, line.selector = s.Name, byName(s.Name)
			line.object = line.key.String()
		case s.Selector != "":
			line.selector = url.Values{"labelSelector": {s.Selector}}
		}
		err := line.run(ctx)
		d.end(err, line.failing())
	})
}

// seen gathers what the feeds hold, each object once.
func (f *follower) seen() (seen []*unstructured.Unstructured, whole bool, err error) {
	type place struct {
		cluster *Cluster
		object  string
	}
	have := map[place]bool{}
	whole = true
	for _, d := range f.order {
		items, known, err := d.state()
		if err != nil {
			return nil, false, err
		}
		whole = whole && known
		for _, o := range items {
			at := place{d.selection.Cluster, o.GroupVersionKind().GroupKind().String() + " " + nameOf(o)}
			if !have[at] {
				have[at] = true
				seen = append(seen, o)
			}
		}
	}
	return seen, whole, nil
}

// over is the error of a Follow that was not done when ctx ended.
func (f *follower) over(ctx context.Context) error {
	f.running.Wait() // the streams end with ctx, and say then what was in their way
	e := ended(ctx, fmt.Sprintf("after %s of waiting", time.Since(f.began).Round(time.Millisecond)))
	for _, d := range f.order {
		if text := d.gap(); text != "" {
			e.Message += "; " + text
		}
	}
	return e
}

// feed is what one selection has shown so far.
type feed struct {
	selection Selection
	news      chan<- struct{}

	mu      sync.Mutex
	items   map[string]*unstructured.Unstructured
	known   bool   // listed at least once
	err     error  // it ended for good
	trouble string // what was in its way when it was over
}

func (d *feed) listed(items []unstructured.Unstructured) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first := !d.known
	if !first && len(items) == 0 && len(d.items) == 0 {
		return false, nil // nothing new
	}
	d.known = true
	clear(d.items)
	for i := range items {
		d.items[nameOf(&items[i])] = &items[i]
	}
	d.tell()
	return false, nil
}

func (d *feed) changed(obj *unstructured.Unstructured, deleted bool) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if deleted {
		delete(d.items, nameOf(obj))
	} else {
		d.items[nameOf(obj)] = obj
	}
	s := d.selection
	s.Cluster.memory.Load().batches.drop(Key{Kind: s.Kind, Namespace: obj.GetNamespace(), Name: obj.GetName()})
	d.tell()
	return false, nil
}

func (d *feed) end(err error, trouble string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trouble = trouble
	if !errors.Is(err, errOver) {
		d.err = err
	}
	d.tell()
}

func (d *feed) tell() {
	select {
	case d.news <- struct{}{}:
	default: // somebody will look already
	}
}

func (d *feed) state() (items []*unstructured.Unstructured, known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.items {
		items = append(items, o)
	}
	slices.SortFunc(items, func(a, b *unstructured.Unstructured) int { return cmp.Compare(nameOf(a), nameOf(b)) })
	return items, d.known, d.err
}

// gap says what of the selection could not be seen.
func (d *feed) gap() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	what := listName(d.selection.Kind, d.selection.Namespace) + " in the " + d.selection.Cluster.Describe()
	switch {
	case !d.known:
		return "the " + what + " was not seen even once" + d.trouble
	case d.trouble != "":
		return "the " + what + " could not be watched any more" + d.trouble
	}
	return ""
}

func nameOf(o *unstructured.Unstructured) string { return o.GetNamespace() + "/" + o.GetName() }
