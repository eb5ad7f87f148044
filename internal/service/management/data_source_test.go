package management

import (
	"slices"
	"testing"

	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestSchemaAndModelAgree(t *testing.T) {
	attributes := map[string]resourceschema.Attribute{}
	for name, a := range sourceSchema().Attributes {
		attributes[name] = a
	}
	for _, wrong := range tf.Parity[Model](t.Context(), attributes) {
		t.Error(wrong)
	}
}

func TestOperatorsAreKnownByWhatIsServed(t *testing.T) {
	for name, test := range map[string]struct {
		operator             operator
		served               map[string][]string
		installed, supported bool
		versions             []string
	}{
		"nothing is served, nothing is installed": {operator: k0rdent},
		"k0smotron 2.x is supported": {operator: k0smotron, installed: true, supported: true,
			served:   map[string][]string{"k0smotron.io": {"v1beta2", "v1beta1"}, "controlplane.cluster.x-k8s.io": {"v1beta2"}, "infrastructure.cluster.x-k8s.io": {"v1beta2"}},
			versions: []string{"k0smotron.io/v1beta2", "k0smotron.io/v1beta1", "controlplane.cluster.x-k8s.io/v1beta2", "infrastructure.cluster.x-k8s.io/v1beta2"}},
		"k0smotron 1.10 is installed and not supported": {operator: k0smotron, installed: true,
			served:   map[string][]string{"k0smotron.io": {"v1beta1"}, "controlplane.cluster.x-k8s.io": {"v1beta1"}},
			versions: []string{"k0smotron.io/v1beta1", "controlplane.cluster.x-k8s.io/v1beta1"}},
		"standalone k0smotron cannot do what the provider needs": {operator: k0smotron, installed: true,
			served: map[string][]string{"k0smotron.io": {"v1beta2"}}, versions: []string{"k0smotron.io/v1beta2"}},
		"another control plane provider is not k0smotron": {operator: k0smotron,
			served: map[string][]string{"controlplane.cluster.x-k8s.io": {"v1beta2"}}},
		"KAI needs both of its groups": {operator: kai, installed: true,
			served: map[string][]string{"scheduling.run.ai": {"v2"}}, versions: []string{"scheduling.run.ai/v2"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, _ := test.operator.in(test.served).Get()
			var versions []string
			for _, v := range got.Versions.Known() {
				versions = append(versions, v.ValueString())
			}
			if got.Installed.ValueBool() != test.installed || got.Supported.ValueBool() != test.supported || !slices.Equal(versions, test.versions) {
				t.Errorf("installed %s, supported %s, versions %v", got.Installed, got.Supported, versions)
			}
		})
	}
}

func TestEverythingIsKnownAfterARead(t *testing.T) {
	var m Model
	if findings := read(&m, composite.Seen{Server: composite.Server{UID: "u", Version: "v1.36.3"}}); len(findings) > 0 {
		t.Fatal(findings)
	}
	if m.UID.ValueString() != "u" || m.KubernetesVersion.ValueString() != "v1.36.3" {
		t.Errorf("uid %s, version %s", m.UID, m.KubernetesVersion)
	}
	for _, o := range []tf.Object[Operator]{m.ClusterAPI, m.K0smotron, m.K0rdent, m.Sveltos, m.KAI, m.Kueue} {
		if o.IsNull() || o.IsUnknown() {
			t.Errorf("an operator is %s", o)
		}
	}
}
