package composite

import (
	"maps"
	"sync"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// DefaultFieldManager is the field manager's name unless the provider block says another.
const DefaultFieldManager = "terraform-provider-k0smos"

// Marks that the engine puts on what it owns.
const (
	OwnerAnnotation     = ownership.OwnerAnnotation     // random id of the resource instance
	OwnerNameAnnotation = "k0smos.io/owner-name"        // the provider's owner, for people
	RotationAnnotation  = "k0smos.io/rotation"          // counter of the last generated secret
	MadeAnnotation      = "k0smos.io/created-namespace" // on a namespace that create_namespace made
	ManagedByLabel      = ownership.ManagedByLabel
	ManagedBy           = ownership.ManagedBy
)

// Provider is what the provider block sets up for every resource. One value lives for one Configure call.
type Provider struct {
	Pool           *kube.Pool
	FieldManager   string
	Owner          string
	ForceConflicts bool
	PlanManifests  bool
	DefaultLabels  map[string]string

	LabelsUnknown    bool // some default label is not known yet
	ManifestsUnknown bool // plan_manifests is not known yet

	mu     sync.Mutex
	warned map[*kube.Cluster]bool // a plan without this cluster was explained already
	silent map[*kube.Cluster]bool // did not answer a plan
	absent map[place]bool         // a dry run of this process has just found nothing there
	held   map[place]string       // owner ids of this run's applies
	leaves map[string]bool        // owner ids of resources that this plan replaces
	told   map[question]*answer   // what shared queries were told
}

// place is where an object is.
type place struct {
	cluster  *kube.Cluster
	identity string
}

// explainOnce tells whether the caller is the first to explain something about a cluster.
func (p *Provider) explainOnce(cluster *kube.Cluster) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	first := !p.warned[cluster]
	if p.warned == nil {
		p.warned = map[*kube.Cluster]bool{}
	}
	p.warned[cluster] = true
	return first
}

// silence remembers that a cluster does not answer, so that the rest of the plan does not wait for it again.
func (p *Provider) silence(cluster *kube.Cluster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent == nil {
		p.silent = map[*kube.Cluster]bool{}
	}
	p.silent[cluster] = true
}

func (p *Provider) isSilent(cluster *kube.Cluster) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent[cluster]
}

// noteAbsent remembers that a dry run would have created an object, and takeAbsent spends that knowledge. It saves the
// create the question whether the object exists: the plan that core repeats right before an apply has just asked.
func (p *Provider) noteAbsent(at place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.absent == nil {
		p.absent = map[place]bool{}
	}
	p.absent[at] = true
}

func (p *Provider) takeAbsent(at place) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.absent[at]
	delete(p.absent, at)
	return was
}

// hold reserves a place for the apply of one owner. Two resources of a configuration that name one object may find nothing
// there at the same time: the second one is told whose it is by now.
func (p *Provider) hold(at place, owner string) (other string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if by, taken := p.held[at]; taken && by != owner {
		return by
	}
	if p.held == nil {
		p.held = map[place]string{}
	}
	p.held[at] = owner
	return ""
}

// free gives a place back when its apply failed, or its object was deleted.
func (p *Provider) free(at place, owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held[at] == owner {
		delete(p.held, at)
	}
}

// noteLeaving remembers that a resource is replaced, so that its object is no surprise to the plan of the new one.
func (p *Provider) noteLeaving(owner string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.leaves == nil {
		p.leaves = map[string]bool{}
	}
	p.leaves[owner] = true
}

func (p *Provider) isLeaving(owner string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.leaves[owner]
}

// labels are the provider's default labels with a resource's own on top.
func (p *Provider) labels(own map[string]string) map[string]string {
	out := maps.Clone(p.DefaultLabels)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, own)
	return out
}
