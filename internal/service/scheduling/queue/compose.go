package queue

import (
	"encoding/json"
	"fmt"
	"maps"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
)

// labelParent finds the queues of a parent.
const labelParent = "k0smos.io/parent"

// record is what a queue does not show of its declaration, in an annotation for imports.
type record struct {
	PoolName         string   `json:"poolName,omitempty"`
	PoolEngine       string   `json:"poolEngine,omitempty"`
	NodePool         string   `json:"nodePool,omitempty"` // on Kueue
	Resource         string   `json:"resource,omitempty"`
	Capacity         *int64   `json:"capacity,omitempty"`
	Namespaces       []string `json:"namespaces,omitempty"` // on KAI
	CreateNamespaces *bool    `json:"createNamespaces,omitempty"`
}

func annotations(m Model) (map[string]string, error) {
	ref, _ := m.Pool.Get()
	r := record{PoolName: ref.Name.ValueString(), PoolEngine: ref.Engine.ValueString(), Resource: ref.Resource.ValueString(), Capacity: ref.Capacity.ValueInt64Pointer(), CreateNamespaces: m.CreateNamespaces.ValueBoolPointer()}
	out := map[string]string{}
	if engineOf(m) == scheduling.EngineKueue {
		r.NodePool = ref.NodePool.ValueString()
		if name := m.DisplayName.ValueString(); name != "" {
			out[scheduling.AnnotationDisplayName] = name
		}
	} else {
		r.Namespaces = namespacesOf(m)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("record what was declared: %w", err)
	}
	out[scheduling.AnnotationDeclared] = string(text)
	return out, nil
}

// compose returns the Queue, or the ClusterQueue with a LocalQueue in each namespace.
func compose(m Model, _ composite.Facts) ([]composite.Object, error) {
	notes, err := annotations(m)
	if err != nil {
		return nil, err
	}
	if engineOf(m) == scheduling.EngineKueue {
		return composeKueue(m, notes)
	}
	q := scheduling.KAIQueue(m.Shares)
	q.Annotations = notes
	q.Labels = map[string]string{scheduling.LabelNodePool: poolOf(m).Label}
	q.Spec.ParentQueue, q.Spec.DisplayName, q.Spec.Priority = m.Parent.ValueString(), m.DisplayName.ValueString(), scheduling.Priority(m.Priority)
	q.Spec.PreemptMinRuntime, q.Spec.ReclaimMinRuntime = m.PreemptMinRuntime.ValueString(), m.ReclaimMinRuntime.ValueString()
	o, err := composite.NewObject(kai.QueueKind, "", m.Name.ValueString(), q)
	return []composite.Object{o}, err
}

func composeKueue(m Model, notes map[string]string) ([]composite.Object, error) {
	name, pool := m.Name.ValueString(), poolOf(m)
	labels := map[string]string{labelParent: m.Parent.ValueString()}
	devices := []string{pool.Resource}
	group := scheduling.ResourceGroup(devices)
	group.Flavors = []kueue.FlavorQuotas{scheduling.Flavor(pool, devices, func(r scheduling.Resource) scheduling.Cell { return scheduling.QueueCell(r, m.Of(r)) })}
	q := kueue.ClusterQueue{Spec: kueue.ClusterQueueSpec{
		CohortName: m.Parent.ValueString(), ResourceGroups: []kueue.ResourceGroup{group},
		Preemption: scheduling.Preemption(), FairSharing: scheduling.Weight(m.Shares),
	}}
	q.Labels, q.Annotations = labels, notes
	namespaces := namespacesOf(m)
	if len(namespaces) > 0 {
		q.Spec.NamespaceSelector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: scheduling.LabelNamespaceName, Operator: metav1.LabelSelectorOpIn, Values: namespaces}}}
	}
	first, err := composite.NewObject(kueue.ClusterQueueKind, "", name, q)
	if err != nil {
		return nil, err
	}
	out := []composite.Object{first}
	for _, namespace := range namespaces {
		local := kueue.LocalQueue{Spec: kueue.LocalQueueSpec{ClusterQueue: name}}
		local.Labels = maps.Clone(labels)
		o, err := composite.NewObject(kueue.LocalQueueKind, namespace, name, local)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
