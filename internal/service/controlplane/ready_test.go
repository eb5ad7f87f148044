package controlplane

import (
	"maps"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// change is one recorded step in the life of an object.
type change struct {
	Seconds float64        `json:"seconds"`
	Kind    string         `json:"kind"`
	Fields  map[string]any `json:"fields"`
	Gone    []string       `json:"gone"`
}

func recorded(t *testing.T, file string) []change {
	t.Helper()
	text, err := os.ReadFile("testdata/recorded/" + file)
	if err != nil {
		t.Fatal(err)
	}
	wire, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Fatal(err)
	}
	var plain []any
	if err := utiljson.Unmarshal(wire, &plain); err != nil { // numbers as an API server has them
		t.Fatal(err)
	}
	var changes []change
	if err := yaml.Unmarshal(text, &changes); err != nil || len(changes) == 0 {
		t.Fatalf("%d changes: %v", len(changes), err)
	}
	for i := range changes {
		changes[i].Fields, _, _ = unstructured.NestedMap(plain[i].(map[string]any), "fields") //nolint:forcetypeassert // it was just decoded as one
	}
	return changes
}

// play makes the change in an object.
func (c change) play(t *testing.T, object map[string]any) {
	t.Helper()
	set := func(field string, value any) {
		name, inside, isCondition := strings.Cut(strings.TrimPrefix(field, "status.conditions["), "].")
		if !isCondition || !strings.HasPrefix(field, "status.conditions[") {
			steps := strings.Split(strings.Replace(field, "meta.", "metadata.", 1), ".")
			if err := unstructured.SetNestedField(object, value, steps...); err != nil {
				t.Fatal(err)
			}
			return
		}
		conditions, _, _ := unstructured.NestedSlice(object, "status", "conditions")
		var condition map[string]any
		for _, item := range conditions {
			if m, ok := item.(map[string]any); ok && m["type"] == name {
				condition = m
			}
		}
		if condition == nil {
			condition = map[string]any{"type": name, "status": "Unknown"}
			conditions = append(conditions, condition)
		}
		if condition[inside] = value; value == nil {
			delete(condition, inside)
		}
		if err := unstructured.SetNestedSlice(object, conditions, "status", "conditions"); err != nil {
			t.Fatal(err)
		}
	}
	for field, value := range c.Fields {
		set(field, value)
	}
	for _, field := range c.Gone {
		set(field, nil)
	}
}

// Counters, version, phase and the kubeconfig Secret were complete at 13 seconds; the API server answered at 38.
func TestAControlPlaneIsReadyOnlyAtTheEndOfTheRecordedCreate(t *testing.T) {
	live := map[string]map[string]any{"Cluster": {}, "K0smotronControlPlane": {"metadata": map[string]any{"generation": int64(1)}}}
	rules := map[string]composite.Readiness{"Cluster": clusterReady, "K0smotronControlPlane": planeReady}
	ready := map[string]float64{}
	for _, c := range recorded(t, "create.yaml") {
		c.play(t, live[c.Kind])
		state := rules[c.Kind](live[c.Kind])
		switch _, was := ready[c.Kind]; {
		case state.Failed:
			t.Errorf("%.2f s: %s failed: %s", c.Seconds, c.Kind, state.Why)
		case was && !state.Ready:
			t.Errorf("%.2f s: %s is not ready any more: %s", c.Seconds, c.Kind, state.Why)
		case state.Ready && !was:
			ready[c.Kind] = c.Seconds
		case !state.Ready && state.Why == "":
			t.Errorf("%.2f s: nothing says why %s is not ready", c.Seconds, c.Kind)
		}
	}
	if want := map[string]float64{"K0smotronControlPlane": 38.09, "Cluster": 39.14}; !maps.Equal(ready, want) {
		t.Errorf("ready at %v, and could be used at %v", ready, want)
	}

	plane := live["K0smotronControlPlane"]
	for i, c := range recorded(t, "upgrade.yaml") {
		c.play(t, plane)
		last := i == len(recorded(t, "upgrade.yaml"))-1
		if state := planeReady(plane); state.Ready != last {
			t.Errorf("%.2f s of the upgrade: ready is %v: %s", c.Seconds, state.Ready, state.Why)
		}
	}
}

func TestReadinessSaysWhatIsMissing(t *testing.T) {
	plane := func(changes ...any) map[string]any {
		object := map[string]any{
			"metadata": map[string]any{"generation": int64(2)},
			"spec":     map[string]any{"version": "v1.35.7+k0s.0", "replicas": int64(3)},
			"status": map[string]any{
				"version": "v1.35.7-k0s.0", "replicas": int64(3), "readyReplicas": int64(3), "upToDateReplicas": int64(3), "initialization": map[string]any{"controlPlaneInitialized": true},
				"conditions": []any{map[string]any{"type": "Available", "status": "True", "observedGeneration": int64(2)}},
			},
		}
		for i := 0; i+1 < len(changes); i += 2 {
			steps := strings.Split(changes[i].(string), ".") //nolint:forcetypeassert // names are texts
			if err := unstructured.SetNestedField(object, changes[i+1], steps...); err != nil {
				t.Fatal(err)
			}
		}
		return object
	}
	condition := func(fields map[string]any) []any { return []any{fields} }
	tests := map[string]struct {
		live map[string]any
		why  string // empty is ready
	}{
		"all is there":                        {plane(), ""},
		"without an observed generation":      {plane("status.conditions", condition(map[string]any{"type": "Available", "status": "True"})), ""},
		"one member, by default":              {plane("spec", map[string]any{"version": "v1.35.7+k0s.0"}, "status.replicas", int64(1), "status.readyReplicas", int64(1), "status.upToDateReplicas", int64(1)), ""},
		"an operator that has not looked yet": {plane("metadata.generation", int64(3)), "has not seen the last change"},
		"a condition that is False":           {plane("status.conditions", condition(map[string]any{"type": "Available", "status": "False", "message": "no client"})), "no client"},
		"no condition at all":                 {plane("status.conditions", []any{}), "not set yet"},
		"an API server that never answered":   {plane("status.initialization", map[string]any{}), "not initialized"},
		"an old version":                      {plane("status.version", "v1.34.1+k0s.0"), `runs version "v1.34.1+k0s.0" and not yet v1.35.7+k0s.0`},
		"a version that cannot be read":       {plane("status.version", ""), `runs version ""`},
		"a member that is not there":          {plane("status.replicas", int64(2)), "replicas is 2 of 3"},
		"a member that is not ready":          {plane("status.readyReplicas", int64(2)), "readyReplicas is 2 of 3"},
		"a member of before":                  {plane("status.upToDateReplicas", int64(2)), "upToDateReplicas is 2 of 3"},
		"a member too many":                   {plane("spec.replicas", int64(1)), "replicas is 3 of 1"},
		"an object without status":            {map[string]any{"spec": map[string]any{}}, "not set yet"},
		"nothing":                             {map[string]any{}, "not set yet"},
	}
	for name, test := range tests {
		state := planeReady(test.live)
		if state.Ready != (test.why == "") || state.Failed || !strings.Contains(state.Why, test.why) {
			t.Errorf("%s: %+v", name, state)
		}
	}
	if state := clusterReady(map[string]any{"status": map[string]any{"phase": "Provisioned"}}); state.Ready || state.Why == "" {
		t.Errorf("the phase alone makes a Cluster ready: %+v", state)
	}
}
