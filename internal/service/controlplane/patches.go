package controlplane

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// What k0smotron makes is found for a patch by kind and by the label app.kubernetes.io/component. Its pods carry the
// older label component as well, with other values, and this is the one that selectors can use.
const (
	componentPlane = "control-plane"
	componentEtcd  = "etcd"
)

var podsOf = map[string]string{componentPlane: "cluster", componentEtcd: "etcd"}

// patch is what the patches of this resource contain.
type patch struct {
	Metadata *patchMeta `json:"metadata,omitempty"`
	Spec     *patchSpec `json:"spec,omitempty"`
}

type patchMeta struct {
	Annotations map[string]string `json:"annotations,omitempty"`
}

type patchSpec struct {
	Template struct {
		Spec podPatch `json:"spec"`
	} `json:"template"`
}

type podPatch struct {
	NodeSelector              map[string]string  `json:"nodeSelector,omitempty"`
	Tolerations               []tolerationPatch  `json:"tolerations,omitempty"`
	TopologySpreadConstraints []constraintsPatch `json:"topologySpreadConstraints,omitempty"`
}

type tolerationPatch struct {
	Key      string `json:"key,omitempty"`
	Operator string `json:"operator,omitempty"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect,omitempty"`
}

type constraintsPatch struct {
	LabelSelector     map[string]map[string]string `json:"labelSelector,omitempty"`
	MaxSkew           int64                        `json:"maxSkew"`
	TopologyKey       string                       `json:"topologyKey"`
	WhenUnsatisfiable string                       `json:"whenUnsatisfiable"`
}

// patchesOf changes the objects that k0smotron makes: the members of control plane and etcd for the placement, the
// Service for its annotations. v1beta2 has no fields for these. It has one for the topology spread, but gives the same
// constraints to both sets of pods, whose selector would then count members of the one for the other.
func patchesOf(m Model, e effective) ([]k0smotron.Patch, error) {
	var out []k0smotron.Patch
	add := func(kind, component string, how k0smotron.PatchType, content patch) error {
		text, err := json.Marshal(content)
		if err != nil {
			return fmt.Errorf("encode the patch of %s %s: %w", kind, component, err)
		}
		out = append(out, k0smotron.Patch{Target: k0smotron.PatchTarget{Kind: kind, Component: component}, Patch: k0smotron.PatchSpec{Type: how, Content: string(text)}})
		return nil
	}
	components := []string{componentPlane}
	if e.storageType == storageEtcd {
		components = append(components, componentEtcd)
	}
	for _, component := range components {
		spec := &patchSpec{}
		spec.Template.Spec = podPatch{NodeSelector: texts(e.placement.NodeSelector), Tolerations: tolerationsOf(e.placement), TopologySpreadConstraints: spreadOf(m, e, component)}
		pod := spec.Template.Spec
		if len(pod.NodeSelector)+len(pod.Tolerations)+len(pod.TopologySpreadConstraints) == 0 {
			continue
		}
		if err := add("StatefulSet", component, k0smotron.PatchStrategic, patch{Spec: spec}); err != nil {
			return nil, err
		}
	}
	if annotations := texts(e.expose.Annotations); len(annotations) > 0 {
		if err := add("Service", componentPlane, k0smotron.PatchMerge, patch{Metadata: &patchMeta{Annotations: annotations}}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tolerationsOf lists the tolerations by what they say: the user's names are only names, so another one changes nothing.
func tolerationsOf(p Placement) []tolerationPatch {
	var out []tolerationPatch
	for _, element := range p.Tolerations.Known() {
		if t, ok := element.Get(); ok {
			out = append(out, tolerationOf(t))
		}
	}
	slices.SortFunc(out, func(a, b tolerationPatch) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Effect, b.Effect), cmp.Compare(a.Operator, b.Operator), cmp.Compare(a.Value, b.Value))
	})
	return slices.Compact(out)
}

func tolerationOf(t Toleration) tolerationPatch {
	standard := "Exists"
	if t.Value.ValueString() != "" {
		standard = "Equal"
	}
	return tolerationPatch{Key: t.Key.ValueString(), Operator: tf.TextOr(t.Operator, standard), Value: t.Value.ValueString(), Effect: t.Effect.ValueString()}
}

// spreadOf counts the pods of one component of this control plane.
func spreadOf(m Model, e effective, component string) []constraintsPatch {
	var out []constraintsPatch
	for _, key := range e.placement.TopologySpread.Keys() {
		spread, ok := e.placement.TopologySpread.Known()[key].Get()
		if !ok {
			continue
		}
		out = append(out, constraintsPatch{
			TopologyKey: key, MaxSkew: tf.NumberOr(spread.MaxSkew, 1), WhenUnsatisfiable: tf.TextOr(spread.WhenUnsatisfiable, "DoNotSchedule"),
			LabelSelector: map[string]map[string]string{"matchLabels": {"app": "k0smotron", "cluster": m.Name.ValueString(), "component": podsOf[component]}},
		})
	}
	return out
}
