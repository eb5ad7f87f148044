package ownership

import (
	"reflect"
	"testing"
)

func TestOwnedIsWhatAManagerApplied(t *testing.T) {
	live := object(t, `
apiVersion: v1
kind: Pool
metadata:
  name: a100
  namespace: geo
  uid: 1
  labels: {mine: a, other: b}
  finalizers: [x, mine]
  managedFields:
  - manager: us
    operation: Apply
    fieldsV1:
      f:metadata: {f:labels: {f:mine: {}}, f:finalizers: {'v:"mine"': {}}}
      f:spec:
        f:replicas: {}
        f:gone: {}
        f:args: {}
        f:empty: {}
        f:whole: {}
        f:half: {f:a: {}}
        f:rules: {'k:{"name":"http"}': {.: {}, f:name: {}, f:port: {}}, 'k:{"name":"bare"}': {f:port: {}}}
  - {manager: us, operation: Update, fieldsV1: {f:spec: {f:updated: {}}}}
  - {manager: us, operation: Apply, subresource: status, fieldsV1: {f:status: {f:phase: {}}}}
  - {manager: other, operation: Apply, fieldsV1: {f:spec: {f:zone: {}, f:empty: {f:theirs: {}}}}}
spec:
  replicas: 3
  args: [--a, {deep: 1}]
  empty: {theirs: 1}
  whole: {a: 1}
  half: {a: 1, b: 2}
  rules: [{name: dns, port: 53}, {name: bare, port: 1, path: /x}, {name: http, port: 80, path: /}]
  updated: 1
  zone: b
status: {phase: Ready}
`)
	want := object(t, `
apiVersion: v1
kind: Pool
metadata: {name: a100, namespace: geo, labels: {mine: a}, finalizers: [mine]}
spec:
  replicas: 3
  args: [--a, {deep: 1}]
  empty: {}
  whole: {a: 1}
  half: {a: 1}
  rules: [{name: bare, port: 1}, {name: http, port: 80}]
`).Object
	if got := Owned(live, "us"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	if got := Owned(live, "nobody"); got != nil {
		t.Errorf("of a stranger: %v", got)
	}
	mustSet(t, Owned(live, "us"), "spec.half.a", "changed")
	if v, _ := Lookup(live.Object, "spec.half.a"); v != int64(1) {
		t.Error("Owned shares memory with live")
	}
}
