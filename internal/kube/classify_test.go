package kube

import (
	"net/http"
	"strings"
	"testing"
)

func TestRefusalsAreToldApart(t *testing.T) {
	cause := func(kind, field, message string) map[string]any {
		return map[string]any{"name": "a", "causes": []any{map[string]any{"reason": kind, "field": field, "message": message}}}
	}
	tests := map[string]struct {
		answer   http.HandlerFunc
		reason   Reason
		contains string
		field    string
	}{
		"RBAC": {refusal(403, "Forbidden", `queues.scheduling.run.ai "a" is forbidden: User "system:serviceaccount:x:y" cannot patch resource "queues" in API group "scheduling.run.ai" at the cluster scope`, cause("", "", "")),
			ReasonForbidden, "Grant this", ""},
		"RBAC escalation": {refusal(403, "Forbidden", `roles "a" is forbidden: user "u" (groups=["g"]) is attempting to grant RBAC permissions not currently held: ...`, nil), ReasonForbidden, "not currently held", ""},
		"a webhook's denial with 403": {refusal(403, "Forbidden", `admission webhook "v.k0smotron.io" denied the request: User "bob" cannot have this`, nil),
			ReasonDenied, "v.k0smotron.io", ""},
		"a webhook's denial with 422": {refusal(422, "Invalid", `admission webhook "v.cluster.x-k8s.io" denied the request: Cluster.cluster.x-k8s.io "a" is invalid: spec.topology: Forbidden: no`, cause("FieldValueForbidden", "spec.topology", "Forbidden: no")),
			ReasonDenied, "denied the request", "spec.topology"},
		"a webhook's denial with 500":      {refusal(500, "InternalError", `admission webhook "w" denied the request: no`, nil), ReasonDenied, "denied", ""},
		"a webhook's denial with 404":      {refusal(404, "NotFound", `admission webhook "w" denied the request: parent not found`, nil), ReasonDenied, "parent", ""},
		"a webhook's denial without words": {refusal(400, "BadRequest", `admission webhook "w" denied the request without explanation`, nil), ReasonDenied, "without explanation", ""},
		"a ValidatingAdmissionPolicy": {refusal(422, "Invalid", `queues.scheduling.run.ai "a" is forbidden: ValidatingAdmissionPolicy 'p.example' with binding 'b' denied request: only your own`, cause("", "", "only your own")),
			ReasonDenied, "p.example", ""},
		"a ValidatingAdmissionPolicy with 401": {refusal(401, "Unauthorized", `queues "a" is forbidden: ValidatingAdmissionPolicy 'p' denied request: no`, nil), ReasonDenied, "denied request", ""},
		"pod security":                         {refusal(403, "Forbidden", `pods "a" is forbidden: violates PodSecurity "restricted:latest": privileged`, nil), ReasonDenied, "PodSecurity", ""},
		"quota":                                {refusal(403, "Forbidden", `pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1`, nil), ReasonDenied, "exceeded quota", ""},
		"a webhook without dry run":            {refusal(400, "BadRequest", `admission webhook "w" does not support dry run`, nil), ReasonDryRunUnsupported, "dry run", ""},
		"a namespace that ends": {refusal(403, "Forbidden", `secrets "a" is forbidden: unable to create new content in namespace geo because it is being terminated`, cause("NamespaceTerminating", "metadata.namespace", "namespace geo is being terminated")),
			ReasonNamespaceTerminating, "is being deleted", ""},
		"a missing namespace":            {refusal(404, "NotFound", `namespaces "geo" not found`, map[string]any{"name": "geo", "kind": "namespaces"}), ReasonNoNamespace, "namespace geo does not exist", ""},
		"a missing object":               {refusal(404, "NotFound", `queues.scheduling.run.ai "a" not found`, map[string]any{"name": "a", "kind": "queues"}), ReasonNotFound, "does not exist", ""},
		"another object that is missing": {refusal(404, "NotFound", `serviceaccounts "b" not found`, map[string]any{"name": "b", "kind": "serviceaccounts"}), ReasonUnknown, "serviceaccounts", ""},
		"a missing kind":                 {plain(404, "404 page not found\n"), ReasonNoKind, "does not serve", ""},
		"a missing kind, as a Status":    {refusal(404, "NotFound", "the server could not find the requested resource", map[string]any{}), ReasonNoKind, "does not serve", ""},
		"404 of a stranger":              {plain(404, "<html>no such page "+canary+"</html>"), ReasonOffline, "not a Kubernetes API server", ""},
		"403 of a stranger":              {plain(403, "<html>"+canary+"</html>"), ReasonForbidden, "proxy", ""},
		"401":                            {refusal(401, "Unauthorized", "Unauthorized", nil), ReasonUnauthorized, "credentials are not accepted", ""},
		"validation": {refusal(422, "Invalid", `Queue.scheduling.run.ai "a" is invalid: spec.priority: Invalid value: -1: must be positive`, cause("FieldValueInvalid", "spec.priority", "Invalid value: -1: must be positive")),
			ReasonInvalid, "must be positive", "spec.priority"},
		"validation that names no causes": {refusal(422, "Invalid", `Queue.scheduling.run.ai "a" is invalid: spec.priority: Invalid value: -1: must be positive`, nil), ReasonInvalid, "must be positive", "spec.priority"},
		"a field that the schema does not know": {refusal(500, "InternalError", `failed to create typed patch object (/a; scheduling.run.ai/v2, Kind=Queue): .spec.parent: field not declared in schema`, nil),
			ReasonInvalid, "not declared", "spec.parent"},
		"strict decoding": {refusal(400, "BadRequest", `Queue in version "v2" cannot be handled as a Queue: strict decoding error: unknown field "spec.parent"`, nil), ReasonInvalid, "unknown field", "spec.parent"},
		"what cannot be decoded": {refusal(500, "", `failed to convert new object (geo/a; /v1, Kind=Secret) to proper version: unable to convert unstructured object to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 6`, nil),
			ReasonInvalid, "illegal base64", ""},
		"any bad request":               {refusal(400, "BadRequest", "the body is odd", nil), ReasonInvalid, "odd", ""},
		"another version of the object": {refusal(409, "Conflict", "Operation cannot be fulfilled: the object has been modified", nil), ReasonPrecondition, "modified", ""},
		"a taken name":                  {refusal(409, "AlreadyExists", "already exists", nil), ReasonAlreadyExists, "exists already", ""},
		"a method that is not allowed":  {refusal(405, "MethodNotAllowed", "no", nil), ReasonUnknown, "no", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(1<<30, http.MethodPatch, test.answer)
			_, _, err := hasty(quickPool(f.source())).Management().Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"})
			e := errorOf(t, err, test.reason)
			wantText(t, e, test.contains)
			noCanary(t, e)
			switch {
			case test.field == "" && len(e.Fields) > 0:
				t.Errorf("fields %v, want none", e.Fields)
			case test.field != "" && (len(e.Fields) != 1 || e.Fields[0].Path != test.field):
				t.Errorf("fields %v, want %s", e.Fields, test.field)
			}
		})
	}
}

func TestConflictNamesTheOtherManagers(t *testing.T) {
	f := newFakeAPI(t)
	f.first(1, http.MethodPatch, refusal(409, "Conflict", `Apply failed with 2 conflicts`, map[string]any{"causes": []any{
		map[string]any{"reason": "FieldManagerConflict", "field": ".spec.parentQueue", "message": `conflict with "argocd"`},
		map[string]any{"reason": "FieldManagerConflict", "field": ".spec.priority", "message": `conflict with "kubectl-edit" using scheduling.run.ai/v2`},
	}}))
	_, _, err := f.cluster().Apply(t.Context(), queueKey("a"), queue("a", nil), ApplyOptions{Manager: "m"})
	e := errorOf(t, err, ReasonConflict)
	if len(e.Conflicts) != 2 || e.Conflicts[0].Path != "spec.parentQueue" || !e.Conflicts[0].Apply || e.Conflicts[1].Manager != "kubectl-edit" || e.Conflicts[1].Apply {
		t.Errorf("conflicts %+v", e.Conflicts)
	}
	if f.requests("PATCH") != 1 {
		t.Error("a conflict was retried")
	}
}

func TestServerThatRepeatsOurSecretsIsNotQuoted(t *testing.T) {
	f := newFakeAPI(t)
	s := f.source()
	s.Token = canary
	f.first(1, http.MethodGet, func(w http.ResponseWriter, r *http.Request) {
		status(w, 400, "BadRequest", "bad header "+r.Header.Get("Authorization"), nil)
	})
	_, err := quickPool(s).Management().Get(t.Context(), queueKey("a"))
	noCanary(t, errorOf(t, err, ReasonInvalid))
	wantText(t, err, "(withheld)")
}

func TestValuesOfSecretsAreNotQuoted(t *testing.T) {
	messages := map[string]http.HandlerFunc{
		"validation": refusal(422, "Invalid", `Secret "a" is invalid: data[x]: Invalid value: "`+canary+` \" more `+canary+`": too long`,
			map[string]any{"causes": []any{map[string]any{"reason": "FieldValueInvalid", "field": "data[x]", "message": `Invalid value: "` + canary + `": too long`}}}),
		"schema": refusal(500, "InternalError", `failed to create typed patch object (n/a; /v1, Kind=Secret): .data.x: expected string, got &value.valueUnstructured{Value:"`+canary+`"}`, nil),
		"number": refusal(500, "InternalError", `failed to create typed patch object (n/a; /v1, Kind=Secret): .data.x: expected string, got &value.valueUnstructured{Value:`+canary+`}`, nil),
	}
	for name, answer := range messages {
		t.Run(name, func(t *testing.T) {
			f := newFakeAPI(t)
			f.first(1, http.MethodPatch, answer)
			_, _, err := f.cluster().Apply(t.Context(), Key{secrets, "n", "a"}, map[string]any{"data": map[string]any{"x": canary}}, ApplyOptions{Manager: "m"})
			e := errorOf(t, err, ReasonInvalid)
			noCanary(t, e)
			for _, field := range e.Fields {
				if strings.Contains(field.Message, canary) {
					t.Errorf("a secret is in %+v", field)
				}
			}
			if len(e.Fields) != 1 {
				t.Errorf("fields %+v, want one", e.Fields)
			}
		})
	}
}

func TestPatchThatDoesNotFitIsAPrecondition(t *testing.T) {
	f := newFakeAPI(t)
	f.first(1, http.MethodPatch, refusal(422, "Invalid", "the server rejected our request due to an error in our request", map[string]any{}))
	err := f.cluster().Patch(t.Context(), queueKey("a"), []byte(`[{"op":"test","path":"/x","value":1}]`))
	wantText(t, errorOf(t, err, ReasonPrecondition), "changed meanwhile")
}
