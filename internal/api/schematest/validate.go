package schematest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	internal "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// Validate fails the test for everything that an API server with the definitions of the folder would have against
// the object, unknown fields included.
func Validate(t testing.TB, folder string, object map[string]any) {
	t.Helper()
	definitions, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range definitions.Check(object) {
		t.Errorf("%v %v: %s", object["kind"], name(object), problem)
	}
}

// Check returns what an API server with these definitions would have against the object: nothing where it is valid.
// The object is not changed.
func (d *Definitions) Check(object map[string]any) []string {
	text, err := json.Marshal(object)
	if err != nil {
		return []string{fmt.Sprintf("not JSON: %v", err)}
	}
	var copied map[string]any
	if err := utiljson.Unmarshal(text, &copied); err != nil { // Integers as an API server has them.
		return []string{fmt.Sprintf("not JSON: %v", err)}
	}
	apiVersion, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	gv, err := runtimeschema.ParseGroupVersion(apiVersion)
	if err != nil || gv.Version == "" || kind == "" {
		return []string{"apiVersion and kind: both must be there"}
	}
	if builtIn.Recognizes(gv.WithKind(kind)) {
		return checkBuiltIn(text)
	}
	definition, version, err := d.Find(gv.Group, gv.Version, kind)
	if err != nil {
		return []string{err.Error()}
	}
	if definition == nil {
		return []string{fmt.Sprintf("no definition of %s %s in %s", apiVersion, kind, d.folder)}
	}
	return check(definition, version, copied)
}

func check(definition *apiextensions.CustomResourceDefinition, version *apiextensions.CustomResourceDefinitionVersion, object map[string]any) []string {
	var problems []string
	if !version.Served {
		problems = append(problems, fmt.Sprintf("apiVersion: %s is not served", version.Name))
	}
	metadata, _ := object["metadata"].(map[string]any)
	namespace, _ := metadata["namespace"].(string)
	switch {
	case name(object) == "":
		problems = append(problems, "metadata.name: must be there")
	case definition.Spec.Scope == apiextensions.NamespaceScoped && namespace == "":
		problems = append(problems, "metadata.namespace: must be there, the kind is namespaced")
	case definition.Spec.Scope == apiextensions.ClusterScoped && namespace != "":
		problems = append(problems, "metadata.namespace: must not be there, the kind is cluster-wide")
	}
	var props internal.JSONSchemaProps
	if err := apiextensions.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return append(problems, err.Error())
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return append(problems, err.Error())
	}
	validator, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return append(problems, err.Error())
	}

	// The order is that of an API server: pruning, defaults, validation.
	_, _, unknown, err := objectmeta.GetObjectMetaWithOptions(object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return append(problems, fmt.Sprintf("metadata: %v", err))
	}
	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	for _, path := range append(unknown, pruning.PruneWithOptions(object, structural, true, options)...) {
		problems = append(problems, path+": unknown field")
	}
	defaulting.Default(object, structural)
	found := validation.ValidateCustomResource(nil, object, validator)
	found = append(found, listtype.ValidateListSetsAndMaps(nil, structural, object)...)
	found = append(found, objectmeta.Validate(nil, object, structural, true)...)
	if len(found) == 0 { // Rules take types for granted.
		found = rules(structural, object)
	}
	for _, e := range found {
		problems = append(problems, strings.TrimPrefix(e.Error(), "<nil>: ")) // What is wrong with the object as a whole has no path.
	}
	return problems
}

// rules runs the CEL rules of a schema. Nil is a schema without any.
func rules(structural *schema.Structural, object map[string]any) field.ErrorList {
	validator := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if validator == nil {
		return nil
	}
	found, _ := validator.Validate(context.Background(), nil, structural, object, nil, celconfig.RuntimeCELCostBudget)
	return found
}

// builtIn knows the kinds that come without a definition, as far as this provider composes them.
var builtIn = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, admissionv1.AddToScheme} {
		if err := add(scheme); err != nil {
			panic(err)
		}
	}
	return scheme
}()

func checkBuiltIn(text []byte) []string {
	decoder := serializer.NewCodecFactory(builtIn, serializer.EnableStrict).UniversalDeserializer()
	if _, _, err := decoder.Decode(text, nil, nil); err != nil {
		return []string{err.Error()}
	}
	return nil
}

func name(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	return name
}
