package manifest

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func object(attributes map[string]attr.Value) types.Object {
	of := map[string]attr.Type{}
	for name := range attributes {
		of[name] = types.StringType
	}
	return types.ObjectValueMust(of, attributes)
}

func settings(namespace attr.Value, data attr.Value) Model {
	metadata := map[string]attr.Value{"name": types.StringValue("settings")}
	if namespace != nil {
		metadata["namespace"] = namespace
	}
	return Model{Manifest: tf.ManifestObject(map[string]attr.Value{
		"apiVersion": types.StringValue("v1"), "kind": types.StringValue("ConfigMap"), "metadata": object(metadata), "data": object(map[string]attr.Value{"k": data}),
	})}
}

func TestAnIDIsKnownOnceTheNamespaceIs(t *testing.T) {
	known := types.StringValue("v")
	for name, test := range map[string]struct {
		m    Model
		want string
	}{
		"all is known":                              {settings(types.StringValue("team"), known), "v1/ConfigMap:team/settings"},
		"only the data is unknown":                  {settings(types.StringValue("team"), types.StringUnknown()), "v1/ConfigMap:team/settings"},
		"the namespace is unknown":                  {settings(types.StringUnknown(), known), ""},
		"only the data is, and there is none":       {settings(nil, types.StringUnknown()), "v1/ConfigMap:settings"},
		"there is no namespace and nothing unknown": {settings(nil, known), "v1/ConfigMap:settings"},
		"nothing is known":                          {Model{Manifest: tf.UnknownManifest()}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := id(test.m).String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestOnlyAnotherObjectIsANewOne(t *testing.T) {
	known := types.StringValue("v")
	prior := settings(types.StringValue("team"), known)
	for name, test := range map[string]struct {
		plan    Model
		replace bool
	}{
		"other data is the same object":                         {settings(types.StringValue("team"), types.StringValue("w")), false},
		"another namespace is another object":                   {settings(types.StringValue("other"), known), true},
		"a namespace that is not known is taken to be the same": {settings(types.StringUnknown(), known), false},
		"nothing known is taken to be the same":                 {Model{Manifest: tf.UnknownManifest()}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := len(replace(prior, test.plan)) > 0; got != test.replace {
				t.Errorf("got %t, want %t", got, test.replace)
			}
		})
	}
}

func TestASecretIsRefusedWithTheCopyThatKubectlKeeps(t *testing.T) {
	m := Model{Manifest: tf.ManifestText("apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\n  annotations:\n    " + lastApplied + ": '{\"data\":{}}'\n")}
	if len(noSecretData(m)) != 1 {
		t.Error("it was taken")
	}
}
