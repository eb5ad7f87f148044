package composite

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// stride is what steps did.
type stride struct {
	touched bool     // something was written
	waited  bool     // time has passed
	applied []Object // objects of the resource itself
	live    Live     // what the applies answered
	stuck   *Object  // the object that could not be applied
}

// postponed is the verdict of a step that says Later.
type postponed struct{ why string }

func (p *postponed) Error() string { return p.why }

// walk takes steps, one after the other.
func (x *instance) walk(ctx context.Context, steps []Step) (stride, error) {
	var did stride
	for _, step := range steps {
		if err := x.take(ctx, step, &did); err != nil {
			return did, err
		}
	}
	return did, nil
}

// take goes by what a step wants until it is done. The error is a *halt where it does not get done, a *postponed, or that of
// a write.
func (x *instance) take(ctx context.Context, step Step, did *stride) error {
	h := &halt{step: step.Name, destroying: x.destroying}
	err := kube.Follow(ctx, func(seen []*unstructured.Unstructured) []kube.Selection {
		if step.Look == nil {
			return nil
		}
		return x.selections(step.Look(seen))
	}, func(seen []*unstructured.Unstructured) (bool, error) {
		move := step.Next(seen)
		h.seen, h.why = seen, move.Why
		switch {
		case move.Failed:
			return false, h
		case move.Later && x.pruning:
			return false, &postponed{move.Why}
		}
		did.waited = did.waited || !move.Done
		return move.Done, x.move(ctx, move, did, h)
	})
	if err == nil || ctx.Err() == nil || errors.As(err, new(*postponed)) || errors.As(err, new(*halt)) {
		return err
	}
	h.over = kube.AsError(err)
	if h.over.Reason != kube.ReasonTimeout && h.over.Reason != kube.ReasonCancelled {
		h.missed = h.over.Error()
	}
	return h
}

// move does what a step wants now.
func (x *instance) move(ctx context.Context, move Move, did *stride, h *halt) error {
	if len(move.Apply) > 0 {
		done, err := x.applyAll(ctx, x.mark(x.dress(move.Apply)))
		did.applied, did.live = append(did.applied, move.Apply[:len(done.live)]...), append(done.live, did.live...)
		did.touched, did.stuck = did.touched || done.began, done.stuck
		if err != nil {
			return err
		}
	}
	for _, p := range move.Patch {
		err := x.in(p.Hosted).write(ctx, p.Ref, func(ctx context.Context, cluster *kube.Cluster, key kube.Key) error {
			return cluster.Patch(ctx, key, p.JSON)
		})
		if err := did.written(err, h); err != nil {
			return err
		}
	}
	for _, d := range move.Delete {
		err := x.write(ctx, d.Ref, func(ctx context.Context, cluster *kube.Cluster, key kube.Key) error {
			_, err := cluster.DeleteVersion(ctx, key, d.UID, d.ResourceVersion)
			return err
		})
		if err := did.written(err, h); err != nil {
			return err
		}
	}
	return nil
}

// written notes a write to an object of others. That it is another one by now, or gone, was decided on what is old: the step
// is asked again when the news arrives.
func (did *stride) written(err error, h *halt) error {
	switch e := kube.AsError(err); {
	case e == nil:
		did.touched, h.missed = true, ""
		return nil
	case e.Reason == kube.ReasonPrecondition || e.Reason == kube.ReasonNotFound || e.Reason == kube.ReasonNoNamespace:
		h.missed = e.Error()
		return nil
	default:
		return err
	}
}

// write changes an object that need not be the resource's own.
func (x *instance) write(ctx context.Context, ref Ref, change func(context.Context, *kube.Cluster, kube.Key) error) error {
	return x.persist(ctx, func() error {
		o := Object{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name}
		if err := x.resolve(ctx, &o); err != nil {
			return err
		}
		wctx, cancel, err := writing(ctx)
		if err != nil {
			return err
		}
		defer cancel()
		return change(wctx, x.cluster, o.key())
	})
}

// in is the same operation in a hosted cluster; nil is the resource's own cluster.
func (x *instance) in(hosted *HostedRef) *instance {
	if hosted == nil {
		return x
	}
	there := *x
	there.hosted, there.wantUID = true, ""
	there.cluster = x.provider.Pool.Hosted(kube.Ref{Namespace: hosted.Namespace, Name: hosted.Name})
	return &there
}

func (x *instance) selections(queries []Query) []kube.Selection {
	out := make([]kube.Selection, 0, len(queries))
	for _, q := range queries {
		out = append(out, kube.Selection{Cluster: x.in(q.Hosted).cluster, Kind: kube.Kind(q.Kind), Namespace: q.Namespace, Name: q.Name, Selector: q.Selector})
	}
	return out
}

// query gets once what a query selects.
func (x *instance) query(ctx context.Context, q Query) (Live, error) {
	x = x.in(q.Hosted)
	if q.Name != "" {
		o := Object{Kind: q.Kind, Namespace: q.Namespace, Name: q.Name}
		live, err := x.lookAt(ctx, &o)
		if err != nil || live == nil {
			return nil, err
		}
		return Live{live}, nil
	}
	kind := kube.Kind(q.Kind)
	if kind.Resource == "" {
		var err error
		if kind, err = x.cluster.Lookup(ctx, kind.APIVersion(), kind.Kind); err != nil {
			return nil, err
		}
	}
	items, err := x.cluster.List(ctx, kind, q.Namespace, q.Selector, 0)
	if err != nil {
		return nil, err
	}
	out := make(Live, 0, len(items))
	for i := range items {
		out = append(out, &items[i])
	}
	return out, nil
}

// what names a query in messages.
func (q Query) what() string {
	if q.Name != "" {
		return memberName(q.Kind.Kind, q.Namespace, q.Name)
	}
	where := "in every namespace"
	if q.Namespace != "" {
		where = "in namespace " + q.Namespace
	}
	if q.Selector != "" {
		where += " with " + q.Selector
	}
	return fmt.Sprintf("the objects of kind %s %s", q.Kind.Kind, where)
}
