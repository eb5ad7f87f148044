package ownership

import (
	"encoding/json"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// FuzzObjects feeds whatever an API server, or something that is none, may answer.
func FuzzObjects(f *testing.F) {
	f.Add(`{"spec":{"a":1}}`, `{"spec":{"a":2},"metadata":{"managedFields":[{"manager":"us","operation":"Apply","fieldsV1":{"f:spec":{"f:a":{}}}}]}}`)
	f.Add(`{"spec":{"l":[{"name":"a"},{"name":"b"}]}}`, `{"spec":{"l":[{"name":"a","x":1},null,7]},"metadata":{"managedFields":[{"manager":"us","operation":"Apply","fieldsV1":{"f:spec":{"f:l":{"k:{\"name\":\"a\"}":{".":{},"f:x":{}},"k:{}":{},"v:[]":{},"i:-1":{}}}}}]}}`)
	f.Add(`{"metadata":{"finalizers":["a"]}}`, `{"metadata":{"finalizers":["a",{}],"managedFields":[null,{"operation":"Apply","manager":"us","fieldsV1":{"f:metadata":{"f:finalizers":{"v:\"a\"":{},"v:{\"a\":1}":{}}}}}]}}`)
	f.Add(`{"metadata":7,"spec":null}`, `{"metadata":[],"spec":{"a":[[1]]}}`)
	f.Add(`[]`, `{"metadata":{"managedFields":{"x":1},"labels":3,"annotations":{"k0smos.io/owner":4}}}`)
	f.Fuzz(func(t *testing.T, wantText, liveText string) {
		var want, obj map[string]any
		if json.Unmarshal([]byte(wantText), &want) != nil && json.Unmarshal([]byte(liveText), &obj) != nil {
			return
		}
		_ = json.Unmarshal([]byte(liveText), &obj)
		live := &unstructured.Unstructured{Object: obj}
		for _, d := range DiffFor(want, live, "us") {
			if _, err := ParsePath(d.Path); err != nil {
				t.Errorf("a difference at no path: %v", err)
			}
		}
		Owned(live, "us")
		Managers(live)
		KnownTool(live)
		StripPatch(live, "us")
		for _, leaf := range Leaves(obj) {
			if _, ok := Lookup(obj, leaf); !ok {
				t.Errorf("leaf %q is not there", leaf)
			}
		}
		if len(obj) > 0 {
			if found := Diff(obj, live); len(found) > 0 {
				t.Errorf("an object differs from itself: %v", found)
			}
		}
	})
}

// FuzzTexts feeds whatever may stand in an error or a path.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{
		"failed to create typed patch object (a/b; v1, Kind=A): errors:\n  .spec.a: field not declared in schema\n  .spec[",
		`strict decoding error: unknown field "spec.\x`, `A "b" is invalid: [spec.a[: Required value, <nil>: Invalid value: ""]`,
		`conflict with "a" with subresource "b`, `conflict with "a" using v1 at now`, `spec.a[b="c`, `a[=[1,{"b":2}]]`, `[b="\xff",c=-0.0]`, "a[0][-1][00]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ParseSchemaErrors(text)
		ParseConflicts([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Message: text, Field: text}})
		ParseInvalid([]metav1.StatusCause{{Message: text, Field: text}})
		obj := map[string]any{"spec": map[string]any{"a": []any{map[string]any{"b": "c"}}}}
		Canonical(text, obj)
		path, err := ParsePath(text)
		if err != nil {
			return
		}
		again, err := ParsePath(FormatPath(path))
		if err != nil || !again.Equals(path) {
			t.Errorf("%q was written as %q, which reads back as %q (%v)", text, FormatPath(path), FormatPath(again), err)
		}
		if Set(obj, text, int64(1)) == nil {
			Remove(obj, text)
		}
	})
}
