package queue

import (
	"encoding/json"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/kai"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/kueue"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/service/scheduling"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// decompose reads a queue where it differs from the model.
func decompose(live composite.Live, m Model) Model {
	name := m.Name.ValueString()
	if engineOf(m) == scheduling.EngineKueue {
		if q, ok := composite.As[kueue.ClusterQueue](live, kueue.ClusterQueueKind, name); ok {
			return decomposeKueue(q, m)
		}
		return m
	}
	q, ok := composite.As[kai.Queue](live, kai.QueueKind, name)
	if !ok {
		return m
	}
	m.Shares = m.With(scheduling.KAIShares(q))
	if q.Spec.ParentQueue != "" { // a root has none, which cannot be said: it shows as drift
		m.Parent = scheduling.TextWith(m.Parent, q.Spec.ParentQueue)
	}
	m.DisplayName, m.Priority = scheduling.TextWith(m.DisplayName, q.Spec.DisplayName), scheduling.PriorityWith(m.Priority, q.Spec.Priority)
	m.PreemptMinRuntime, m.ReclaimMinRuntime = scheduling.DurationWith(m.PreemptMinRuntime, q.Spec.PreemptMinRuntime), scheduling.DurationWith(m.ReclaimMinRuntime, q.Spec.ReclaimMinRuntime)
	return m
}

func decomposeKueue(q kueue.ClusterQueue, m Model) Model {
	m.DisplayName = scheduling.TextWith(m.DisplayName, q.Annotations[scheduling.AnnotationDisplayName])
	if q.Spec.CohortName != "" {
		m.Parent = scheduling.TextWith(m.Parent, q.Spec.CohortName)
	}
	pool, changed := poolOf(m), map[scheduling.Resource]scheduling.Share{}
	for _, g := range q.Spec.ResourceGroups {
		for _, f := range g.Flavors {
			if f.Name != pool.Flavor {
				continue
			}
			for _, r := range scheduling.Resources {
				if cell, ok := scheduling.CellOf(f, r, pool.Resource); ok && cell != scheduling.QueueCell(r, m.Of(r)) {
					share := scheduling.ShareOf(r, cell, scheduling.Amount{})
					share.Weight = m.Of(r).Weight
					changed[r] = share
				}
			}
		}
	}
	if weight := scheduling.WeightOf(q.Spec.FairSharing); weight != m.Of(scheduling.GPU).Weight {
		share, ok := changed[scheduling.GPU]
		if !ok {
			share = m.Of(scheduling.GPU)
		}
		share.Weight = weight
		changed[scheduling.GPU] = share
	}
	m.Shares = m.With(changed)
	return m
}

// locate names the queue of an import.
func locate(m Model, found composite.Live) []composite.Ref {
	name := m.Name.ValueString()
	if engineOf(m) != scheduling.EngineKueue {
		return []composite.Ref{{Kind: kai.QueueKind, Name: name}}
	}
	out := []composite.Ref{{Kind: kueue.ClusterQueueKind, Name: name}}
	if q, ok := composite.As[kueue.ClusterQueue](found, kueue.ClusterQueueKind, name); ok {
		for _, namespace := range selected(q) {
			out = append(out, composite.Ref{Kind: kueue.LocalQueueKind, Namespace: namespace, Name: name})
		}
	}
	return out
}

// selected are the namespaces that a ClusterQueue names one by one.
func selected(q kueue.ClusterQueue) []string {
	if q.Spec.NamespaceSelector == nil {
		return nil
	}
	for _, e := range q.Spec.NamespaceSelector.MatchExpressions {
		if e.Key == scheduling.LabelNamespaceName {
			return slices.Sorted(slices.Values(e.Values))
		}
	}
	return nil
}

// imported reads pool, parent and namespaces as well. Of queues that others made, as much as they show.
func imported(live composite.Live, m Model) Model {
	name := m.Name.ValueString()
	var r record
	var namespaces []string
	if engineOf(m) == scheduling.EngineKueue {
		q, _ := composite.As[kueue.ClusterQueue](live, kueue.ClusterQueueKind, name)
		r = recorded(q.Annotations)
		namespaces, m.Parent = selected(q), tf.TextOrNull(q.Spec.CohortName)
		if r.NodePool == "" && len(q.Spec.ResourceGroups) > 0 && len(q.Spec.ResourceGroups[0].Flavors) > 0 {
			flavor := q.Spec.ResourceGroups[0].Flavors[0]
			r.NodePool, r.Resource = flavor.Name, scheduling.DeviceOf(flavor)
		}
	} else {
		q, _ := composite.As[kai.Queue](live, kai.QueueKind, name)
		r = recorded(q.Annotations)
		namespaces, m.Parent = r.Namespaces, tf.TextOrNull(q.Spec.ParentQueue)
		r.NodePool = q.Labels[scheduling.LabelNodePool]
	}
	m.Pool = tf.ObjectOf(scheduling.PoolRef{Name: tf.TextOrNull(r.PoolName), Engine: tf.TextOrNull(r.PoolEngine), NodePool: tf.TextOrNull(r.NodePool), Resource: tf.TextOrNull(r.Resource), Capacity: types.Int64PointerValue(r.Capacity)})
	m.CreateNamespaces = types.BoolPointerValue(r.CreateNamespaces)
	if len(namespaces) > 0 {
		var list []types.String
		for _, n := range namespaces {
			list = append(list, types.StringValue(n))
		}
		m.Namespaces = tf.ListOf(list...)
	}
	return decompose(live, m)
}

func recorded(annotations map[string]string) record {
	var out record
	if json.Unmarshal([]byte(annotations[scheduling.AnnotationDeclared]), &out) != nil {
		return record{}
	}
	return out
}
