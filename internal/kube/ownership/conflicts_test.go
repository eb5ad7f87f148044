package ownership

import (
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestConflictsAsTheServerWordsThem(t *testing.T) {
	at := time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name, message, field string
		want                 Conflict
	}{
		{"an applying manager has only a name", `conflict with "argocd-controller"`, ".spec.replicas", Conflict{Path: "spec.replicas", Manager: "argocd-controller", Apply: true}},
		{"an updating manager uses a version", `conflict with "kubectl-edit" using apps/v1`, ".spec.replicas", Conflict{Path: "spec.replicas", Manager: "kubectl-edit"}},
		{"old servers say since when", `conflict with "kubectl-edit" using v1 at 2026-01-02T15:04:05Z`, ".data.a.b", Conflict{Path: "data[a.b]", Manager: "kubectl-edit", Time: at}},
		{"a subresource is named", `conflict with "kubectl" with subresource "scale" using autoscaling/v1`, ".spec.replicas", Conflict{Path: "spec.replicas", Manager: "kubectl", Subresource: "scale"}},
		{"an applied subresource", `conflict with "x" with subresource "status"`, ".status.a", Conflict{Path: "status.a", Manager: "x", Subresource: "status", Apply: true}},
		{"names are quoted as Go does", `conflict with "a \"using\" b"`, ".spec.a", Conflict{Path: "spec.a", Manager: `a "using" b`, Apply: true}},
		{"list elements by key", `conflict with "x"`, `.spec.rules[name="http"].port`, Conflict{Path: "spec.rules[name=http].port", Manager: "x", Apply: true}},
		{"list elements by many keys", `conflict with "x"`, `.spec.ports[port=80,protocol="TCP"].name`, Conflict{Path: "spec.ports[port=80,protocol=TCP].name", Manager: "x", Apply: true}},
		{"members of sets", `conflict with "x"`, `.metadata.finalizers[="example.com/x"]`, Conflict{Path: "metadata.finalizers[=example.com/x]", Manager: "x", Apply: true}},
		{"keys with dots", `conflict with "x"`, `.metadata.annotations.k0smos.io/owner`, Conflict{Path: "metadata.annotations[k0smos.io/owner]", Manager: "x", Apply: true}},
		{"other words are no reason to think of an applier", `someone else`, ".spec.a", Conflict{Path: "spec.a", Manager: "someone else"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ParseConflicts([]metav1.StatusCause{{Type: metav1.CauseTypeFieldManagerConflict, Message: c.message, Field: c.field}})
			if len(got) != 1 || got[0] != c.want {
				t.Errorf("got %+v", got)
			}
		})
	}
	if got := ParseConflicts([]metav1.StatusCause{{Type: metav1.CauseTypeFieldValueInvalid, Message: "x", Field: "spec"}}); len(got) > 0 {
		t.Errorf("other causes: %v", got)
	}
}

func TestInvalidObjectsReadTheSameFromCausesAndText(t *testing.T) {
	spec := field.NewPath("spec")
	one := field.ErrorList{field.Invalid(spec.Child("replicas"), int64(-1), "spec.replicas in body should be greater than or equal to 0")}
	many := append(field.ErrorList{
		field.Required(spec.Child("hosts").Index(0).Child("address"), "one address, or two, is needed"),
		field.NotSupported(spec.Child("engine"), "slurm", []string{"kai", "kueue"}),
		field.Forbidden(field.NewPath("metadata", "annotations").Key("k0smos.io/owner"), "not yours"),
		field.TooLong(spec.Child("name"), "", 63),
	}, one...)
	for name, c := range map[string]struct {
		errs field.ErrorList
		want string
	}{
		"one": {one, "spec.replicas = Invalid value: -1: should be greater than or equal to 0\n"},
		"many": {many, "spec.hosts[0].address = Required value: one address, or two, is needed\n" +
			"spec.engine = Unsupported value: \"slurm\": supported values: \"kai\", \"kueue\"\n" +
			"metadata.annotations[k0smos.io/owner] = Forbidden: not yours\n" +
			"spec.name = Too long: may not be more than 63 bytes\n" +
			"spec.replicas = Invalid value: -1: should be greater than or equal to 0\n"},
		"no field": {field.ErrorList{field.Invalid(nil, "", "all of it")}, " = Invalid value: \"\": all of it\n"},
	} {
		t.Run(name, func(t *testing.T) {
			status := apierrors.NewInvalid(schema.GroupKind{Group: "scheduling.run.ai", Kind: "Queue"}, "vision", c.errs).Status()
			for from, got := range map[string][]FieldError{
				"causes": ParseInvalid(status.Details.Causes),
				"text":   ParseSchemaErrors(status.Message),
			} {
				text := ""
				for _, e := range got {
					text += e.Path + " = " + e.Message + "\n"
				}
				if text != c.want {
					t.Errorf("from %s got\n%s\nwant\n%s", from, text, c.want)
				}
			}
		})
	}
}

func TestSchemaErrorsAsTheServerWordsThem(t *testing.T) {
	for _, c := range []struct {
		name, message string
		want          []FieldError
	}{
		{
			"a field that the schema lacks",
			`failed to create typed patch object (geo/train; cluster.x-k8s.io/v1beta2, Kind=Cluster): .spec.replicaz: field not declared in schema`,
			[]FieldError{{"spec.replicaz", "field not declared in schema"}},
		},
		{
			"behind words of the transport",
			`Internal error occurred: failed to create typed patch object (/a; v1, Kind=A): .spec.a: field not declared in schema`,
			[]FieldError{{"spec.a", "field not declared in schema"}},
		},
		{
			"many in one list",
			"failed to create typed patch object (geo/a; v1, Kind=A): errors:\n  .spec.a: field not declared in schema\n  .spec.b[name=\"x: y\"].c: expected numeric (int or float), got string",
			[]FieldError{{"spec.a", "field not declared in schema"}, {"spec.b[name=x: y].c", "expected numeric (int or float), got string"}},
		},
		{
			"a value is not repeated, even over lines",
			"failed to create typed patch object (geo/a; v1, Kind=A): errors:\n  .spec.key: expected string, got &value.valueUnstructured{Value:\"top\nsecret\"}\n  .spec.b: expected map, got [s3cret]",
			[]FieldError{{"spec.key", "expected string, got another type"}, {"spec.b", "expected map, got another type"}},
		},
		{
			"an element without keys",
			`failed to create typed patch object (/a; v1, Kind=A): .spec.ports: element 0: associative list with keys has an element that omits all key fields ["port"] (and doesn't have default values for any key fields)`,
			[]FieldError{{"spec.ports", `element 0: associative list with keys has an element that omits all key fields ["port"] (and doesn't have default values for any key fields)`}},
		},
		{
			"a kind without a schema has no path",
			`failed to create typed patch object (/a; v1, Kind=A): schema error: no type found matching: io.k8s.A`,
			[]FieldError{{"", "schema error: no type found matching: io.k8s.A"}},
		},
		{
			"strict decoding",
			`Queue in version "v2" cannot be handled as a Queue: strict decoding error: unknown field "spec.x", unknown field "spec.l[0].y", duplicate field "spec.z"`,
			[]FieldError{{"spec.x", "field not declared in schema"}, {"spec.l[0].y", "field not declared in schema"}, {"spec.z", "field given twice"}},
		},
		{
			"a wrong type in a kind that is built in",
			`ResourceQuota in version "v1" cannot be handled as a ResourceQuota: json: cannot unmarshal string into Go struct field ResourceQuotaSpec.spec.scopes of type []v1.ResourceQuotaScope`,
			[]FieldError{{"spec.scopes", "expected []v1.ResourceQuotaScope, got string"}},
		},
		{"any other text", `etcdserver: request timed out`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := ParseSchemaErrors(c.message); fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got  %v\nwant %v", got, c.want)
			}
		})
	}
}
