package site

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) { compositetest.Schema(t, Kind) }

// configs are the cases of the golden files in testdata.
var configs = map[string]string{
	"minimal": `
name: quebec
namespace: train
ssh: {private_key_wo: (not known yet)}`,

	"full": `
name: quebec
namespace: train
region: ca-quebec
zone: beauharnois-2
location: {latitude: 45.3151, longitude: -73.8779}
ssh: {user: k0s, port: 2222, use_sudo: true, private_key_wo: (not known yet), private_key_wo_version: 3}`,

	"own-secret": `
name: quebec
namespace: train
region: ca-quebec
ssh: {secret: vault-quebec}`,
}

func TestConfigurationsComposeToGoldenObjects(t *testing.T) { compositetest.Golden(t, Kind, configs) }

func TestTheReferenceIsKnownAsFarAsTheConfigurationIs(t *testing.T) {
	for name, test := range map[string]struct {
		config string
		want   Ref
		ssh    RefSSH
	}{
		"defaults are filled in": {
			`{name: quebec, namespace: train, ssh: {private_key_wo: (not known yet)}}`,
			Ref{Name: types.StringValue("quebec"), Namespace: types.StringValue("train")},
			RefSSH{User: types.StringValue("root"), Port: types.Int64Value(22), UseSudo: types.BoolValue(false), Secret: types.StringValue("quebec-ssh")},
		},
		"a Secret of the user's own goes on": {
			`{name: quebec, namespace: train, region: ca-quebec, zone: a, ssh: {user: k0s, port: 2222, use_sudo: true, secret: vault}}`,
			Ref{Name: types.StringValue("quebec"), Namespace: types.StringValue("train"), Region: types.StringValue("ca-quebec"), Zone: types.StringValue("a")},
			RefSSH{User: types.StringValue("k0s"), Port: types.Int64Value(2222), UseSudo: types.BoolValue(true), Secret: types.StringValue("vault")},
		},
		"what is not known stays so, and nothing else": {
			`{name: (not known yet), namespace: train, region: (not known yet), ssh: {user: (not known yet), private_key_wo: x}}`,
			Ref{Name: types.StringUnknown(), Namespace: types.StringValue("train"), Region: types.StringUnknown()},
			RefSSH{User: types.StringUnknown(), Port: types.Int64Value(22), UseSudo: types.BoolValue(false), Secret: types.StringUnknown()},
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := compositetest.Model(t, Kind, test.config)
			derive(&m, nil)
			got, _ := m.Ref.Get()
			ssh, _ := got.SSH.Get()
			test.want.SSH = tf.ObjectOf(test.ssh)
			if !m.Ref.Equal(tf.ObjectOf(test.want)) || ssh != test.ssh {
				t.Errorf("got %+v %+v, want %+v %+v", got, ssh, test.want, test.ssh)
			}
		})
	}
	m := compositetest.Model(t, Kind, `{name: quebec, namespace: train, ssh: (not known yet)}`)
	derive(&m, nil)
	if ref, _ := m.Ref.Get(); !ref.SSH.IsUnknown() || ref.Name.ValueString() != "quebec" {
		t.Errorf("of an unknown ssh comes %v", m.Ref)
	}
}

func TestOnlyNameAndNamespaceMakeANewSite(t *testing.T) {
	prior := compositetest.Model(t, Kind, configs["full"])
	for name, test := range map[string]struct {
		config string
		want   path.Paths
	}{
		"another key, user, region and place": {`{name: quebec, namespace: train, region: x, location: {latitude: 1, longitude: 1}, ssh: {user: root, secret: vault}}`, nil},
		"another name":                        {`{name: atlanta, namespace: train, ssh: {secret: vault}}`, path.Paths{path.Root("name")}},
		"another namespace":                   {`{name: quebec, namespace: other, ssh: {secret: vault}}`, path.Paths{path.Root("namespace")}},
		"a name that is not known yet":        {`{name: (not known yet), namespace: train, ssh: {secret: vault}}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := path.Paths(replace(prior, compositetest.Model(t, Kind, test.config)))
			if got.String() != test.want.String() {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestAnImportIsNamedByNamespaceAndName(t *testing.T) {
	var m Model
	if err := setID(&m, composite.ID{Namespace: "train", Name: "quebec"}); err != nil || id(m).String() != "train/quebec" {
		t.Errorf("got %s, %v", id(m), err)
	}
	for _, wrong := range []composite.ID{{Name: "quebec"}, {ClusterName: "train", ClusterNamespace: "train", Namespace: "train", Name: "quebec"}} {
		if setID(&m, wrong) == nil {
			t.Errorf("%s was taken", wrong)
		}
	}
}

func TestAnswersOfTheServerPointAtTheAttribute(t *testing.T) {
	for _, test := range []struct{ kind, field, want string }{
		{"Secret", "data.value", "ssh.private_key_wo"},
		{"ConfigMap", "data.region", "region"},
		{"ConfigMap", "data.regional", "ssh"},
		{"ConfigMap", "data.latitude", "location.latitude"},
		{"ConfigMap", "data.sshPort", "ssh"},
		{"ConfigMap", "metadata.labels[a]", "labels"},
		{"Secret", "metadata.name", "name"},
		{"Secret", "type", ""},
	} {
		if got := attribute(test.kind, test.field).String(); got != test.want {
			t.Errorf("%s %s points at %q, want %q", test.kind, test.field, got, test.want)
		}
	}
}
