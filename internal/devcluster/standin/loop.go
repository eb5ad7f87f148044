package standin

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// controller keeps the objects of one kind as the operator would. Adding a kind to the stand-in is writing reconcile
// for it and listing it in Start.
type controller struct {
	kind kind
	// reconcile looks at the object as it is now and does the next thing. It is called again after the returned time
	// (0: when something changes), or soon after an error.
	reconcile func(ctx context.Context, ref Ref) (time.Duration, error)
	// wokenBy are other kinds whose changes concern this controller, and whom of its objects.
	wokenBy map[kind]related
}

// related says which objects of a controller's kind a changed object of another kind concerns.
type related func(obj *unstructured.Unstructured) []Ref

// controllersOf is related by owner reference, or, for k, the owners of kind k by name.
func controllersOf(k kind) related {
	return func(obj *unstructured.Unstructured) []Ref {
		var refs []Ref
		for _, owner := range obj.GetOwnerReferences() {
			if k.owns(owner) {
				refs = append(refs, Ref{obj.GetNamespace(), owner.Name})
			}
		}
		return refs
	}
}

type request struct {
	kind kind
	ref  Ref
}

// newQueue retries within seconds: people and tests wait for what is retried here.
func newQueue() workqueue.TypedRateLimitingInterface[request] {
	return workqueue.NewTypedRateLimitingQueue(
		workqueue.NewTypedItemExponentialFailureRateLimiter[request](20*time.Millisecond, 2*time.Second))
}

func (s *StandIn) enqueue(k kind, ref Ref) { s.queue.Add(request{k, ref}) }

// watch starts the watches, waits until each has listed once, and starts the one worker. With one worker the
// controllers never race, which keeps the order of their writes the same in every run.
func (s *StandIn) watch(ctx context.Context) error {
	wakes := map[kind][]func(obj *unstructured.Unstructured){}
	for _, c := range s.controllers {
		wakes[c.kind] = append(wakes[c.kind], func(obj *unstructured.Unstructured) {
			s.enqueue(c.kind, Ref{obj.GetNamespace(), obj.GetName()})
		})
		for other, concerned := range c.wokenBy {
			wakes[other] = append(wakes[other], func(obj *unstructured.Unstructured) {
				for _, ref := range concerned(obj) {
					s.enqueue(c.kind, ref)
				}
			})
		}
	}
	var listed []cache.InformerSynced
	for k, wake := range wakes {
		synced, err := s.watchKind(ctx, k, wake)
		if err != nil {
			return err
		}
		listed = append(listed, synced)
	}
	if !cache.WaitForCacheSync(ctx.Done(), listed...) {
		return context.Cause(ctx)
	}
	s.running.Go(func() { s.work(ctx) })
	return nil
}

func (s *StandIn) watchKind(ctx context.Context, k kind, wake []func(*unstructured.Unstructured)) (cache.InformerSynced, error) {
	objects := s.client.Resource(k.resource)
	informer := cache.NewSharedInformer(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return objects.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return objects.Watch(ctx, o)
		},
	}, &unstructured.Unstructured{}, 0)
	if err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		s.logf("watching %s: %v", k, err)
	}); err != nil {
		return nil, err
	}
	changed := func(obj any) {
		if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
			obj = gone.Obj
		}
		if u, ok := obj.(*unstructured.Unstructured); ok {
			for _, f := range wake {
				f(u)
			}
		}
	}
	registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    changed,
		UpdateFunc: func(_, obj any) { changed(obj) },
		DeleteFunc: changed,
	})
	if err != nil {
		return nil, err
	}
	s.running.Go(func() { informer.RunWithContext(ctx) })
	return registration.HasSynced, nil
}

func (s *StandIn) work(ctx context.Context) {
	reconcilers := map[kind]func(context.Context, Ref) (time.Duration, error){}
	for _, c := range s.controllers {
		reconcilers[c.kind] = c.reconcile
	}
	for {
		r, down := s.queue.Get()
		if down {
			return
		}
		again, err := reconcilers[r.kind](ctx, r.ref)
		switch {
		case err != nil && ctx.Err() == nil:
			s.logf("%s %s: %v", r.kind, r.ref, err)
			s.queue.AddRateLimited(r)
		case again > 0:
			s.queue.Forget(r)
			s.queue.AddAfter(r, again)
		default:
			s.queue.Forget(r)
		}
		s.queue.Done(r)
	}
}
