package composite

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
)

// Query selects objects: one by Name, or all of a kind in a namespace by label selector.
type Query struct {
	Kind      api.Kind
	Namespace string     // "" is every namespace
	Name      string     // one object
	Selector  string     // label selector, where Name is empty; "" is all
	Hosted    *HostedRef // the hosted cluster to ask; nil is the cluster of the resource itself

	// Shared, in RelatedQueries, takes an answer that another resource got in this run: a thousand resources that look at the
	// same thousand objects ask once. What was written since is not in it, and nobody may change what it holds.
	Shared bool
}

// HostedRef names a hosted cluster by namespace and name of the Cluster that stands for it in the management cluster.
type HostedRef struct{ Namespace, Name string }

// Step is a stretch of an operation that goes by what the cluster shows: a small controller whose decisions are pure. It is
// not remembered anywhere. One that was interrupted is simply decided again, so Next must say Done of work that is done.
type Step struct {
	Name string                  // what it does, for messages: "release hosts gpu01, gpu02"
	Look func(seen Live) []Query // what Next is shown; asked again when seen changes, until nothing new comes up
	Next func(seen Live) Move    // asked at first, and after every change of what is looked at
}

// Move is what a step wants done now. Everything in it is idempotent, and what is as wanted already need not be in it.
// Afterwards the step is asked again when something that it looks at has changed, unless it is Done.
type Move struct {
	Apply  []Object // objects of the resource itself; they get its marks, labels and annotations, and are applied by its field manager
	Patch  []Patch  // changes of objects that belong to others
	Delete []Delete
	Done   bool
	Later  bool   // of a Leaving when pruning: not now. The object stays a member, and the next apply or the destroy asks again
	Failed bool   // waiting does not help: the operation ends with Why as its error
	Why    string // what is missing; said when time runs out, and as a warning with Later
}

// Patch is a JSON patch (RFC 6902) of one object. Where it rewrites a list, put a test of /metadata/resourceVersion first: a
// patch that does not fit what is there by now, or whose object is gone, is no error. The step is asked again.
type Patch struct {
	Ref    Ref
	Hosted *HostedRef // the hosted cluster it is in; nil is the cluster of the resource itself
	JSON   []byte
}

// Delete deletes one object in the foreground. It is not waited for: Next sees the object go. An object that is another one,
// or another version, than the preconditions say is left alone, and the step is asked again.
type Delete struct {
	Ref             Ref
	UID             string // "" is any
	ResourceVersion string // "" is any
}

// All decodes the objects of a kind into their struct of internal/api. What does not decode is left out.
func All[T any](l Live, kind api.Kind) []T {
	var out []T
	for _, o := range l {
		gvk := o.GroupVersionKind()
		if gvk.Kind != kind.Kind || gvk.Group != kind.Group {
			continue
		}
		var decoded T
		if runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &decoded) == nil {
			out = append(out, decoded)
		}
	}
	return out
}
