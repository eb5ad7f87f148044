// Package composite is the engine behind every resource: it plans, applies, waits for, reads, imports and deletes a set
// of Kubernetes objects that stand for one thing the user declared. A resource itself is only a Kind: a value made of
// pure functions.
package composite

import (
	"time"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Kind says everything the engine has to know about one resource. M is its model: a struct of attribute values that
// embeds Meta or NamespacedMeta.
type Kind[M any] struct {
	// Name is the resource's name without the provider's prefix. It is also the suffix of its field manager.
	Name string

	// Schema returns the resource's own attributes and its description. The engine adds the common ones.
	Schema func() schema.Schema

	// Checks judge a configuration by itself, with no network. Values may be unknown.
	Checks []Check[M]

	// Transitions judge a change against the prior state, again with no network: refused changes are errors, changes
	// that disrupt something are warnings.
	Transitions []Transition[M]

	// Derive fills outputs that follow from the configuration, and from the prior state where a default is frozen at
	// create. They are known in the plan. prior is nil at create.
	Derive func(m, prior *M)

	// ID names the main object. It becomes the id attribute, and SetID is its inverse at import.
	ID    func(m M) ID
	SetID func(m *M, id ID) error

	// Target is the hosted cluster that the objects go to. Nil means the management cluster.
	Target func(m M) tf.Object[ClusterRef]

	// Namespace names the namespace the objects live in and whether it is made when missing. Nil takes it from
	// NamespacedMeta.
	Namespace func(m M) (name string, create bool)

	// Namespaces lists more namespaces, of objects or of workloads: made where they are missing, and removed by destroy where
	// they were made and nothing is in them. Nil means none.
	Namespaces func(m M) []string

	// Compose turns the model into objects, in the order in which they are applied.
	Compose func(m M, f Facts) ([]Object, error)

	// Decompose reads live objects back into attributes. It starts from prior and changes only what differs from it, so
	// that the user's spelling stays. The law is compose(decompose(compose(m))) == compose(m).
	Decompose func(live Live, prior M) M

	// Import reads attributes from the objects of an import, where prior holds little more than a name. Nil means
	// Decompose. Of what this provider made it sees the fields that were applied, of foreign objects everything.
	Import func(live Live, prior M) M

	// Observe fills outputs that only the cluster knows. Observed lists them with what can move them; while nothing of that
	// changes, an update keeps what the state has.
	Observe  func(m *M, live Live)
	Observed map[string]Output

	// Locate lists the objects of an import. It is called with what was found so far until nothing new comes up.
	Locate func(m M, found Live) []Ref

	// LocateQueries selects more of them where they have no name that is known. What the composition does not have is left
	// alone.
	LocateQueries func(m M, found Live) []Query

	// Replace lists the attributes whose change only a new resource can follow.
	Replace func(prior, plan M) []path.Path

	// Ready tells by kind when an object is ready. A kind that is not listed is ready when it exists.
	Ready map[string]Readiness

	// DeleteOrder lists the kinds of objects in the order of their deletion. Kinds that are not listed come last, in
	// the reverse order of Compose.
	DeleteOrder []string

	// Attribute maps a field of an object to the attribute it was composed from, so that an answer of the API server
	// points at the user's own words. Nil, or an empty path, points at the resource.
	Attribute func(kind, field string) path.Path

	// FreeForm tells which fields of objects come from free-form input. Their values may be secret, so drift shows only
	// fingerprints of them. Nil means none.
	FreeForm func(kind, field string) bool

	// WriteOnly lists the write-only attributes (maps of strings, or strings; with dots inside of objects) whose values Facts
	// hands to Compose. A change of <attribute>_version writes them again.
	WriteOnly []string

	// Generated lists the secrets that the engine makes once and that live only in their Secret.
	Generated func(m M) []Generated

	// Related lists objects of others that Survey judges: warnings in the plan, errors in the apply.
	Related func(m M) []Ref
	Survey  func(m M, related Live) []Finding

	// RelatedFurther lists more of them by what was found so far, until nothing new comes up: the parent of a parent.
	RelatedFurther func(m M, found Live) []Ref

	// RelatedQueries selects more of them where they have no name that is known.
	RelatedQueries func(m M) []Query

	// Before lists what comes before objects are applied, in order; prior is nil at create. If a step changed anything, all
	// objects are applied after it.
	Before func(prior *M, m M) []Step

	// After lists what comes right after all objects are applied, always: also with wait = false, and before the wait, so that
	// something that never gets ready keeps nothing from the rest. One that does not end well leaves the resource pending.
	After func(prior *M, m M) []Step

	// Settle lists what belongs to the wait: it comes once all objects are ready, before those that left the composition are
	// removed, and is skipped with wait = false. One that does not end well is a wait that does not.
	Settle func(prior *M, m M) []Step

	// Leaving is what comes before an object is deleted, by a destroy or because it left the composition. Done means that it may
	// be deleted now, or is gone already. A nil Step deletes it right away.
	Leaving func(m M, ref Ref) *Step

	// Protected tells whether the state refuses destroy and replacement.
	Protected func(m M) bool

	// Timeouts are the default limits. Nil means ten minutes for each.
	Timeouts func(m M) Timeouts

	// Dialects lists the API versions that the objects are written in.
	Dialects []Dialect
}

// Output says what moves an output that only the cluster knows.
type Output struct {
	Inputs []string // attributes
	Object string   // kind of the object that it is read from: made anew, it says something else. Empty means any object.
}

// Timeouts are the default limits of one resource.
type Timeouts struct {
	Create, Update, Delete time.Duration
}

// Check judges a configuration by itself.
type Check[M any] func(m M) []Finding

// Transition judges a change from prior to plan.
type Transition[M any] func(prior, plan M) []Finding

// Finding is one thing that is wrong with a configuration, or that the user should know before applying it.
type Finding struct {
	Path    path.Path
	Summary string
	Detail  string
	Warning bool
}

// Readiness judges one live object. A failed object never gets ready by waiting and ends the wait at once.
type Readiness func(live map[string]any) (state ReadyState)

// ReadyState is the verdict of a Readiness.
type ReadyState struct {
	Ready  bool
	Failed bool
	Why    string // what is missing, or why it failed
}

// Dialect is one group version that objects are written in, and what it takes to have it.
type Dialect struct {
	Group, Version string
	Operator       string // what serves it, for messages: "k0smotron 2.x"
}

// Generated is a secret value that the engine makes before the first apply and keeps in a key of a Secret.
type Generated struct {
	Name              string // how Compose asks for it
	Namespace, Secret string
	Key               string
	Rotation          int64 // another value makes a new secret
	Make              func() ([]byte, error)
}

// defaultTimeout is the limit of an operation where neither the user nor the kind says another.
const defaultTimeout = 10 * time.Minute
