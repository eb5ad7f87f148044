package ownership

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
)

// brief writes differences as one reads them: path: want x, live y (manager).
func brief(found []Difference) string {
	var lines []string
	for _, d := range found {
		line := fmt.Sprintf("%s: want %v", d.Path, d.Want)
		if d.Missing {
			line += ", missing"
		} else {
			line += fmt.Sprintf(", live %v", d.Live)
		}
		if d.Manager != "" {
			operation := "updates"
			if d.Apply {
				operation = "applies"
			}
			line += fmt.Sprintf(" (%s %s)", d.Manager, operation)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestDiffSeesOnlyWantedFields(t *testing.T) {
	for _, c := range []struct{ name, want, live, found string }{
		{"equal objects do not differ", `spec: {a: 1, b: [x]}`, `spec: {a: 1, b: [x]}`, ""},
		{"fields that are not wanted are invisible", `spec: {a: 1}`, `{spec: {a: 1, b: 2}, status: {c: 3}}`, ""},
		{"a changed scalar is a difference at its path", `spec: {a: {b: 1}}`, `spec: {a: {b: 2}}`, "spec.a.b: want 1, live 2"},
		{"every changed leaf is a difference, in the order of names", `spec: {b: 1, a: x}`, `spec: {a: z, b: 2}`, "spec.a: want x, live z\nspec.b: want 1, live 2"},
		{"a whole number is itself with a point, too", `spec: {a: 1, b: 2.0}`, `spec: {a: 1.0, b: 2}`, ""},
		{"other spellings of a scalar are none of our business", `spec: {cpu: 1000m}`, `spec: {cpu: "1"}`, "spec.cpu: want 1000m, live 1"},
		{"a text is not a number", `spec: {a: "1"}`, `spec: {a: 1}`, "spec.a: want 1, live 1"},
		{"a large number is compared digit by digit", `spec: {a: 9007199254740993}`, `spec: {a: 9007199254740992}`, "spec.a: want 9007199254740993, live 9007199254740992"},
		{"a missing map is missing leaf by leaf", `spec: {a: {b: 1, c: {d: 2}}}`, `spec: {}`, "spec.a.b: want 1, missing\nspec.a.c.d: want 2, missing"},
		{"null must be absent", `spec: {a: null}`, `spec: {a: 1}`, "spec.a: want <nil>, live 1"},
		{"null is absent", `spec: {a: null, b: null}`, `spec: {b: null}`, ""},
		{"a live null is missing", `spec: {a: 1}`, `spec: {a: null}`, "spec.a: want 1, missing"},
		{"an empty map may be absent", `spec: {a: {}}`, `spec: {}`, ""},
		{"an empty list may be absent", `spec: {a: []}`, `spec: {}`, ""},
		{"an empty map does not see what others put in", `spec: {a: {}}`, `spec: {a: {b: 1}}`, ""},
		{"an empty list is not one with elements", `spec: {a: []}`, `spec: {a: [1]}`, "spec.a: want [], live [1]"},
		{"an empty map is not a scalar", `spec: {a: {}}`, `spec: {a: 1}`, "spec.a: want map[], live 1"},
		{"false and 0 are values", `spec: {a: false, b: 0}`, `spec: {}`, "spec.a: want false, missing\nspec.b: want 0, missing"},
		{"a map where a scalar is wanted", `spec: {a: 1}`, `spec: {a: {b: 1}}`, "spec.a: want 1, live map[b:1]"},
		{"a scalar where a map is wanted", `spec: {a: {b: 1}}`, `spec: {a: 1}`, "spec.a: want map[b:1], live 1"},
		{"a scalar where a list is wanted", `spec: {a: [1]}`, `spec: {a: 1}`, "spec.a: want [1], live 1"},
		{"keys with dots are bracketed", `metadata: {annotations: {k0smos.io/owner: a}}`, `metadata: {}`, "metadata.annotations[k0smos.io/owner]: want a, missing"},
		{"what an object is called is not compared", `{apiVersion: v1, kind: A, metadata: {name: a, namespace: b}}`, `{apiVersion: v2, kind: A, metadata: {name: x}}`, ""},

		{"a list without keys is one value", `spec: {l: [a, b]}`, `spec: {l: [b, a]}`, "spec.l: want [a b], live [b a]"},
		{"a longer list is another value", `spec: {l: [a]}`, `spec: {l: [a, b]}`, "spec.l: want [a], live [a b]"},
		{"elements of a list may have more fields than wanted", `spec: {l: [{a: 1}]}`, `spec: {l: [{a: 1, default: true}]}`, ""},
		{"a change inside an element is a difference of the list", `spec: {l: [{a: 1}]}`, `spec: {l: [{a: 2}]}`, "spec.l: want [map[a:1]], live [map[a:2]]"},
		{"lists in elements are single values, too", `spec: {l: [{a: [1]}]}`, `spec: {l: [{a: [1, 2]}]}`, "spec.l: want [map[a:[1]]], live [map[a:[1 2]]]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := brief(Diff(object(t, c.want).Object, object(t, c.live))); got != c.found {
				t.Errorf("got\n%s\nwant\n%s", got, c.found)
			}
		})
	}
}

func TestDiffOfNothing(t *testing.T) {
	want := object(t, `spec: {a: 1}`).Object
	if got := brief(Diff(want, nil)); got != "spec.a: want 1, missing" {
		t.Errorf("of no object: %s", got)
	}
	if got := Diff(nil, object(t, `spec: {a: 1}`)); len(got) > 0 {
		t.Errorf("of no wish: %v", got)
	}
}

func TestDiffTakesGoTypesInWant(t *testing.T) {
	want := map[string]any{
		"metadata": map[string]any{"labels": map[string]string{"a": "b"}},
		"spec":     map[string]any{"count": int32(3), "u": uint8(4), "args": []string{"x"}, "hosts": []map[string]any{{"port": 22}}},
	}
	live := object(t, `{metadata: {labels: {a: b}}, spec: {count: 3, u: 4, args: [x], hosts: [{port: 22, user: root}]}}`)
	if got := Diff(want, live); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

func TestNumbersAreComparedByValue(t *testing.T) {
	for _, c := range []struct {
		a, b any
		same bool
	}{
		{int64(3), 3.0, true},
		{3.0, int64(3), true},
		{3.5, 3.5, true},
		{int64(1 << 53), float64(1 << 53), true},
		{int64(1<<53 + 1), float64(1 << 53), false},
		{int64(math.MaxInt64), float64(math.MaxInt64), false},
		{int64(1), math.Inf(1), false},
		{int64(1), math.NaN(), false},
		{int64(1), true, false},
		{int64(0), nil, false},
	} {
		if got := sameScalar(c.a, c.b); got != c.same {
			t.Errorf("%v, %v: got %v", c.a, c.b, got)
		}
	}
}

func TestDiffLeavesItsArgumentsAlone(t *testing.T) {
	want, live := object(t, `{kind: A, metadata: {name: a}, spec: {l: [1]}}`), object(t, `{metadata: {name: a}, spec: {l: [2]}}`)
	wantBefore, liveBefore := fmt.Sprint(want.Object), fmt.Sprint(live.Object)
	Diff(want.Object, live)
	if fmt.Sprint(want.Object) != wantBefore || fmt.Sprint(live.Object) != liveBefore {
		t.Errorf("now %v, %v", want.Object, live.Object)
	}
}

func TestDiffOfListsThatManagersGoInto(t *testing.T) {
	const managed = `
metadata:
  finalizers: [example.com/x, k0smos.io/hold]
  managedFields:
  - manager: controller
    operation: Update
    apiVersion: v1
    time: "2026-01-02T15:04:05Z"
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {f:finalizers: {'v:"example.com/x"': {}, 'v:"k0smos.io/hold"': {}}}
      f:spec:
        f:rules: {'k:{"name":"http"}': {.: {}, f:name: {}, f:port: {}}}
        f:ports: {'k:{"port":53,"protocol":"TCP"}': {f:target: {}}, 'k:{"port":53,"protocol":"UDP"}': {f:target: {}}}
spec:
  rules: [{name: dns, port: 53}, {name: http, port: 8080, path: /}]
  ports: [{port: 53, protocol: TCP, target: 1}, {port: 53, protocol: UDP, target: 2}]
`
	for _, c := range []struct{ name, want, found string }{
		{"elements are found by key, wherever they stand, and others are invisible", `spec: {rules: [{name: http, port: 8080}]}`, ""},
		{"a field of an element", `spec: {rules: [{name: http, port: 80}]}`, "spec.rules[name=http].port: want 80, live 8080 (controller updates)"},
		{"an absent element is missing as a whole", `spec: {rules: [{name: grpc, port: 9090}]}`, "spec.rules[name=grpc]: want map[name:grpc port:9090], missing"},
		{"no element wanted is no difference", `spec: {rules: []}`, ""},
		{"all keys count", `spec: {ports: [{port: 53, protocol: UDP, target: 1}]}`, "spec.ports[port=53,protocol=UDP].target: want 1, live 2 (controller updates)"},
		{"a key that was left out is what the server filled in, and not what another element has", `spec: {ports: [{port: 53, target: 1}, {port: 53, protocol: UDP, target: 2}]}`, ""},
		{"an element without any key makes it one value", `spec: {rules: [{port: 80}]}`, "spec.rules: want [map[port:80]], live [map[name:dns port:53] map[name:http path:/ port:8080]] (controller updates)"},
		{"a set needs to contain what is wanted", `metadata: {finalizers: [k0smos.io/hold]}`, ""},
		{"a set that lacks a member", `metadata: {finalizers: [k0smos.io/hold, k0smos.io/z]}`, "metadata.finalizers[=k0smos.io/z]: want k0smos.io/z, missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := brief(DiffFor(object(t, c.want).Object, object(t, managed), ours)); got != c.found {
				t.Errorf("got\n%s\nwant\n%s", got, c.found)
			}
		})
	}
}

func TestDiffNamesWhoHoldsTheField(t *testing.T) {
	for _, c := range []struct{ name, managers, found string }{
		{"nobody, where nobody is recorded", ``, "spec.a.b: want 1, live 2"},
		{"not ourselves", `
- {manager: 'terraform-provider-k0smos:nodepool', operation: Apply, fieldsV1: {f:spec: {f:a: {f:b: {}}}}}`,
			"spec.a.b: want 1, live 2"},
		{"who updated it", `
- {manager: kubectl-edit, operation: Update, fieldsV1: {f:spec: {f:a: {f:b: {}}}}}`,
			"spec.a.b: want 1, live 2 (kubectl-edit updates)"},
		{"who scaled it, which is an update through a subresource", `
- {manager: kubectl, operation: Update, subresource: scale, fieldsV1: {f:spec: {f:a: {f:b: {}}}}}`,
			"spec.a.b: want 1, live 2 (kubectl updates)"},
		{"the latest, where many hold it", `
- {manager: argocd, operation: Apply, time: "2026-01-02T00:00:00Z", fieldsV1: {f:spec: {f:a: {f:b: {}}}}}
- {manager: flux, operation: Apply, time: "2026-01-03T00:00:00Z", fieldsV1: {f:spec: {f:a: {f:b: {}}}}}
- {manager: script, operation: Update, time: "2026-01-01T00:00:00Z", fieldsV1: {f:spec: {f:a: {f:b: {}}}}}`,
			"spec.a.b: want 1, live 2 (flux applies)"},
		{"who holds the field itself, before who holds all around it", `
- {manager: whole, operation: Update, time: "2026-01-03T00:00:00Z", fieldsV1: {f:spec: {f:a: {}}}}
- {manager: field, operation: Update, time: "2026-01-01T00:00:00Z", fieldsV1: {f:spec: {f:a: {f:b: {}}}}}`,
			"spec.a.b: want 1, live 2 (field updates)"},
		{"who holds all around it as one value", `
- {manager: whole, operation: Apply, fieldsV1: {f:spec: {f:a: {}}}}`,
			"spec.a.b: want 1, live 2 (whole applies)"},
		{"who holds something inside", `
- {manager: inside, operation: Update, fieldsV1: {f:spec: {f:a: {f:b: {f:c: {}}}}}}`,
			"spec.a.b: want 1, live 2 (inside updates)"},
		{"not who holds a neighbour", `
- {manager: neighbour, operation: Update, fieldsV1: {f:spec: {f:a: {.: {}, f:c: {}}}}}`,
			"spec.a.b: want 1, live 2"},
		{"nobody, where the record is broken", `
- {manager: broken, operation: Update, fieldsV1: {"x:spec": 1}}
- text`, "spec.a.b: want 1, live 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			live := object(t, `spec: {a: {b: 2}}`)
			if c.managers != "" {
				managers := object(t, "managedFields: "+c.managers)
				mustSet(t, live.Object, "metadata.managedFields", managers.Object["managedFields"])
			}
			if got := brief(DiffFor(object(t, `spec: {a: {b: 1}}`).Object, live, ours)); got != c.found {
				t.Errorf("got\n%s\nwant\n%s", got, c.found)
			}
		})
	}
}

func TestManagersAreListedAsRecorded(t *testing.T) {
	live := object(t, `
metadata:
  managedFields:
  - {manager: a, operation: Apply, apiVersion: v1, time: "2026-01-02T03:04:05Z", fieldsV1: {f:spec: {}}}
  - {manager: b, operation: Update, apiVersion: v2, subresource: status, time: soon}
  - {manager: a, operation: Apply, apiVersion: v1, subresource: status}
`)
	got := Managers(live)
	want := []Manager{
		{Name: "a", Operation: "Apply", APIVersion: "v1", Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		{Name: "b", Operation: "Update", APIVersion: "v2", Subresource: "status"},
		{Name: "a", Operation: "Apply", APIVersion: "v1", Subresource: "status"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v", got)
	}
	if !AppliedBy(live, "a") || AppliedBy(live, "b") || AppliedBy(nil, "a") {
		t.Error("AppliedBy")
	}
	Remove(live.Object, "metadata.managedFields[0]")
	if AppliedBy(live, "a") {
		t.Error("a status is nobody's declaration")
	}
}
