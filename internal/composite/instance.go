package composite

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// instance is one resource instance in one operation: whose objects, in which cluster, on what terms.
type instance struct {
	provider *Provider
	cluster  *kube.Cluster
	hosted   bool
	wantUID  string // UID of the hosted cluster that is meant, where it is known
	kind     string // name of the resource kind
	id       string // import id of the resource
	record   *record
	adopt    bool
	release  bool
	wait     bool

	pruning    bool // objects are deleted that left the composition
	destroying bool

	labels      map[string]string // the user's, on every object
	annotations map[string]string
	leaving     func(ref Ref) *Step // before an object is deleted; nil = nothing

	namespace       string
	createNamespace bool
	namespaces      []string // more of them, to be made as well
	namespaceSeen   bool
	ready           map[string]Readiness
	dialects        []Dialect
	freeForm        func(kind, field string) bool
}

// partial says that the instance adds fields to objects of others and owns none of them: it adopts and will release.
// Such fields are held by a manager of their own, so that two states can add different fields to one object.
//
// It is decided at create and kept, because it decides the field manager: a later change of on_destroy must not leave
// fields behind with another one.
func (x *instance) partial() bool { return x.record.Partial }

// manager is the field manager that holds the instance's fields.
func (x *instance) manager() string {
	name := x.provider.FieldManager + ":" + x.kind
	if x.partial() {
		name += ":" + x.record.Owner[:8]
	}
	return name
}

// dress puts the user's labels and annotations on objects.
func (x *instance) dress(objects []Object) []Object {
	for _, o := range objects {
		o.setMeta("labels", x.labels)
		o.setMeta("annotations", x.annotations)
	}
	return objects
}

// mark puts the marks of ownership on objects that are about to be applied or compared.
func (x *instance) mark(objects []Object) []Object {
	if x.partial() {
		return objects
	}
	for _, o := range objects {
		if !slices.Contains(x.record.Adopted, o.String()) {
			o.setMeta("labels", map[string]string{ManagedByLabel: ManagedBy})
		}
		o.setMeta("annotations", map[string]string{OwnerAnnotation: x.record.Owner, OwnerNameAnnotation: x.provider.Owner})
	}
	return objects
}

// adopted notes that an object was made by others. Its label that says who manages it is not among the declared fields, and
// stays as it is.
func (x *instance) adopted(o Object) {
	if x.partial() {
		return
	}
	if !slices.Contains(x.record.Adopted, o.String()) {
		x.record.Adopted = append(x.record.Adopted, o.String())
	}
	labels := asMap(asMap(o.Content["metadata"])["labels"])
	if labels[ManagedByLabel] == ManagedBy {
		delete(labels, ManagedByLabel)
	}
}

// A write is never cut in the middle by a cancelled run, since its outcome would be unknown: it gets its own time.
const writeTime = 30 * time.Second

func writing(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	out, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	return out, cancel, nil
}

// persist repeats an attempt while it fails for want of something that is on its way: a kind whose CRD is being
// installed, a webhook that starts, a namespace that is going away, a hosted API server that comes up.
func (x *instance) persist(ctx context.Context, attempt func() error) error {
	pause := 200 * time.Millisecond
	for {
		err := attempt()
		if err == nil || !x.comesLater(err) {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return err
		case <-timer.C:
		}
		pause = min(pause*2, 5*time.Second)
	}
}

func (x *instance) comesLater(err error) bool {
	switch kube.AsError(err).Reason {
	case kube.ReasonNoKind, kube.ReasonWebhookUnavailable, kube.ReasonNamespaceTerminating, kube.ReasonHostedNotReady:
		return true
	case kube.ReasonOffline, kube.ReasonUnavailable:
		return x.hosted
	default:
		return false
	}
}

// resolve completes a kind that the composition knows only by name, and makes sure that the object has a namespace if,
// and only if, its kind lives in one.
func (x *instance) resolve(ctx context.Context, o *Object) error {
	if o.Kind.Resource == "" {
		kind, err := x.cluster.Lookup(ctx, o.Kind.APIVersion(), o.Kind.Kind)
		if err != nil {
			return err
		}
		o.Kind = api.Kind(kind)
	}
	switch {
	case o.Kind.Namespaced && o.Namespace == "":
		return &refusal{o.String() + " needs a namespace", fmt.Sprintf("%s is a namespaced kind. Set metadata.namespace; there is no default, since a default namespace is where stray objects collect.", o.Kind.Kind)}
	case !o.Kind.Namespaced && o.Namespace != "":
		return &refusal{o.String() + " cannot have a namespace", fmt.Sprintf("%s is a cluster-scoped kind. Remove metadata.namespace.", o.Kind.Kind)}
	}
	return nil
}
