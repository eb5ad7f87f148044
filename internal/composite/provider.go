package composite

import (
	"maps"
	"sync"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// DefaultFieldManager is the field manager's name unless the provider block says another.
const DefaultFieldManager = "terraform-provider-k0smos"

// Marks that the engine puts on what it owns.
const (
	OwnerAnnotation     = "k0smos.io/owner"             // random id of the resource instance
	OwnerNameAnnotation = "k0smos.io/owner-name"        // the provider's owner, for people
	RotationAnnotation  = "k0smos.io/rotation"          // counter of the last generated secret
	MadeAnnotation      = "k0smos.io/created-namespace" // on a namespace that create_namespace made
	ManagedByLabel      = "app.kubernetes.io/managed-by"
	ManagedBy           = "terraform-provider-k0smos"
)

// Provider is what the provider block sets up for every resource. One value lives for one Configure call.
type Provider struct {
	Pool           *kube.Pool
	FieldManager   string
	Owner          string
	ForceConflicts bool
	PlanManifests  bool
	DefaultLabels  map[string]string

	mu     sync.Mutex
	warned map[string]bool // clusters for which a plan without them was explained already
	absent map[string]bool // objects that a dry run of this process has just found missing
	silent map[string]bool // clusters that did not answer a plan
}

// explainOnce tells whether the caller is the first to explain something about a cluster.
func (p *Provider) explainOnce(cluster string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.warned[cluster] {
		return false
	}
	if p.warned == nil {
		p.warned = map[string]bool{}
	}
	p.warned[cluster] = true
	return true
}

// noteAbsent remembers that a dry run would have created an object, and takeAbsent spends that knowledge. It saves the
// create the question whether the object exists: the plan that core repeats right before an apply has just asked.
func (p *Provider) noteAbsent(object string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.absent == nil {
		p.absent = map[string]bool{}
	}
	p.absent[object] = true
}

func (p *Provider) takeAbsent(object string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	was := p.absent[object]
	delete(p.absent, object)
	return was
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

// silence remembers that a cluster does not answer, so that the rest of the plan does not wait for it again.
func (p *Provider) silence(cluster string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.silent == nil {
		p.silent = map[string]bool{}
	}
	p.silent[cluster] = true
}

func (p *Provider) isSilent(cluster string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.silent[cluster]
}
