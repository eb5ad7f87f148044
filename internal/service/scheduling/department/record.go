package department

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// departmentRecord is what queues do not show of a department, in an annotation for imports.
type departmentRecord struct {
	Oversubscribe string                `json:"oversubscribe,omitempty"`
	Pools         map[string]poolRecord `json:"pools,omitempty"` // by key
}

type poolRecord struct {
	SchedulingPool *refRecord `json:"schedulingPool,omitempty"`
	Resource       string     `json:"resource,omitempty"`
	Capacity       *int64     `json:"capacity,omitempty"`
}

type refRecord struct {
	Name     string `json:"name,omitempty"`
	Engine   string `json:"engine,omitempty"`
	NodePool string `json:"nodePool,omitempty"`
	Resource string `json:"resource,omitempty"`
	Capacity *int64 `json:"capacity,omitempty"`
}

// projectRecord is the same of a project.
type projectRecord struct {
	Key               string   `json:"key,omitempty"` // where it is not the name
	Namespaces        []string `json:"namespaces,omitempty"`
	CreateNamespaces  *bool    `json:"createNamespaces,omitempty"`
	EnforceNamespaces *bool    `json:"enforceNamespaces,omitempty"`
}

// recordOf records the pools of the given keys.
func recordOf(m Model, keys ...string) departmentRecord {
	out := departmentRecord{Oversubscribe: m.Oversubscribe.ValueString(), Pools: map[string]poolRecord{}}
	known := m.Pools.Known()
	for _, key := range keys {
		p, _ := known[key].Get()
		r := poolRecord{Resource: p.Resource.ValueString(), Capacity: p.Capacity.ValueInt64Pointer()}
		if ref, ok := p.SchedulingPool.Get(); ok {
			r.SchedulingPool = &refRecord{Name: ref.Name.ValueString(), Engine: ref.Engine.ValueString(), NodePool: ref.NodePool.ValueString(), Resource: ref.Resource.ValueString(), Capacity: ref.Capacity.ValueInt64Pointer()}
		}
		out.Pools[key] = r
	}
	return out
}

func (p project) record() projectRecord {
	out := projectRecord{Namespaces: p.namespaces(), CreateNamespaces: p.CreateNamespaces.ValueBoolPointer(), EnforceNamespaces: p.EnforceNamespaces.ValueBoolPointer()}
	if p.key != p.name {
		out.Key = p.key
	}
	return out
}

// annotated is a record as annotations, with the display name where an engine has no field for it.
func annotated(record any, displayName string) (map[string]string, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("record what was declared: %w", err)
	}
	out := map[string]string{}
	if string(text) != "{}" {
		out[scheduling.AnnotationDeclared] = string(text)
	}
	if displayName != "" {
		out[scheduling.AnnotationDisplayName] = displayName
	}
	return out, nil
}

// recorded reads a record; one that cannot be read is none.
func recorded[R any](annotations map[string]string) R {
	var out R
	if json.Unmarshal([]byte(annotations[scheduling.AnnotationDeclared]), &out) != nil {
		var none R
		return none
	}
	return out
}

// pool is the pool of a record, without its shares.
func (r poolRecord) pool() Pool {
	p := Pool{SchedulingPool: tf.NullObject[scheduling.PoolRef](), Resource: tf.TextOrNull(r.Resource), Capacity: types.Int64PointerValue(r.Capacity)}
	if ref := r.SchedulingPool; ref != nil {
		p.SchedulingPool = tf.ObjectOf(scheduling.PoolRef{Name: tf.TextOrNull(ref.Name), Engine: tf.TextOrNull(ref.Engine), NodePool: tf.TextOrNull(ref.NodePool), Resource: tf.TextOrNull(ref.Resource), Capacity: types.Int64PointerValue(ref.Capacity)})
	}
	return p
}
