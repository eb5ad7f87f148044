package controlplane

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

func TestEveryComposedFieldPointsAtItsAttribute(t *testing.T) {
	noAttribute := map[string]bool{"spec": true, "spec.persistence.type": true} // the empty spec of a RemoteCluster; always emptyDir
	used := map[string]bool{}
	schema := composite.FullSchema(t.Context(), Kind)
	for name, config := range configs {
		for _, o := range compositetest.Compose(t, Kind, compositetest.Model(t, Kind, config)) {
			for _, field := range ownership.Leaves(o.Content) {
				at := fields.Attribute(o.Kind.Kind, field)
				switch found := len(at.Steps()) > 0; {
				case field == "apiVersion" || field == "kind":
				case !found && !noAttribute[field]:
					t.Errorf("%s: %s of a %s comes from no attribute", name, field, o.Kind.Kind)
				case found:
					used[at.String()] = true
					if _, diags := schema.AttributeAtPath(t.Context(), at); diags.HasError() {
						t.Errorf("%s of a %s points at %s, which is no attribute", field, o.Kind.Kind, at)
					}
				}
			}
		}
	}
	for _, row := range fields {
		if name := row.Attribute.String(); !used[name] && name != "labels" && name != "annotations" && name != "storage" {
			t.Errorf("nothing is composed into %s of a %s", row.Field, row.Kind)
		}
	}
}

func TestAFieldPointsAtTheNearestAttribute(t *testing.T) {
	for field, want := range map[string]string{
		"spec.version": "version", "spec.versions": "", "spec.service": "expose", "spec.service.apiPort": "expose.api_port", "spec.storage.etcd.image": "storage.etcd",
		"spec.k0sConfig.spec.extensions.helm.charts[0]": "helm", "spec.k0sConfig.spec.api": "k0s_config", "spec.patches[0].patch": "placement", "spec": "", "status.version": "",
		"metadata.labels[a]": "labels",
	} {
		got := ""
		if at := fields.Attribute("K0smotronControlPlane", field); len(at.Steps()) > 0 {
			got = at.String()
		}
		if got != want {
			t.Errorf("%s points at %q, not at %q", field, got, want)
		}
	}
}

func TestFreeFormInputIsNeverShownInClear(t *testing.T) {
	for field, want := range map[string]bool{
		"spec.k0sConfig.spec.api.extraArgs.x": true, "spec.patches": true, "metadata.annotations[a]": true, "spec.version": false, "spec.patchesX": false, "metadata.labels[a]": false,
	} {
		if freeForm("K0smotronControlPlane", field) != want {
			t.Errorf("%s: free form is %v", field, !want)
		}
	}
}

// The recommended set of objects is what the operators were tried with. Beyond it there are only the charts of Cilium.
func TestTheReferenceDeploymentIsTheRecommendedSet(t *testing.T) {
	text, err := os.ReadFile("testdata/recommended/control-plane.yaml")
	if err != nil {
		t.Fatal(err)
	}
	objects := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, reference))
	live := compositetest.Live(t, objects)
	for i, document := range strings.Split(string(text), "---\n") {
		want := map[string]any{}
		if err := yaml.Unmarshal([]byte(document), &want); err != nil {
			t.Fatal(err)
		}
		got := live[i].Object
		if _, ok := ownership.Lookup(got, "spec.k0sConfig.spec.extensions"); ok {
			ownership.Remove(got, "spec.k0sConfig.spec.extensions")
		}
		for _, d := range ownership.Diff(want, &unstructured.Unstructured{Object: got}) {
			t.Errorf("%v: %s is %v, and %v is recommended", want["kind"], d.Path, d.Live, d.Want)
		}
		for _, d := range ownership.Diff(got, &unstructured.Unstructured{Object: want}) {
			t.Errorf("%v: %s is %v, and is not recommended", want["kind"], d.Path, d.Want)
		}
	}
}

func TestOutputsThatFollowFromTheConfigurationAreKnown(t *testing.T) {
	m := compositetest.Model(t, Kind, with(""))
	derive(&m, nil)
	ref, _ := m.Cluster.Get()
	secret, _ := m.KubeconfigSecret.Get()
	if ref.Name.ValueString() != "train" || ref.Namespace.ValueString() != "train" || !ref.UID.IsUnknown() {
		t.Errorf("cluster is %v", ref)
	}
	if secret.Name.ValueString() != "train-kubeconfig" || secret.Key.ValueString() != "value" {
		t.Errorf("the Secret is %v", secret)
	}
	m = compositetest.Model(t, Kind, with("name: "+compositetest.Unknown))
	if derive(&m, nil); !m.KubeconfigSecret.Attributes()["name"].IsUnknown() {
		t.Error("the Secret of a cluster without a name is known")
	}
}

func TestTheVersionOfCiliumIsFrozenAtCreate(t *testing.T) {
	tests := map[string]struct {
		config, prior string // version of Cilium in the prior state; empty is a create
		want          string
	}{
		"a create takes the provider's":        {"", "", defaultCilium},
		"an update keeps it":                   {"", "1.17.0", "1.17.0"},
		"the user's goes first":                {"network: {cilium: {version: 1.18.9}}", "1.17.0", "1.18.9"},
		"one that is not known is not known":   {"network: {cilium: {version: " + compositetest.Unknown + "}}", "1.17.0", "(unknown)"},
		"a provider that is not known as well": {"network: {provider: " + compositetest.Unknown + "}", "", "(unknown)"},
		"and a network":                        {"network: " + compositetest.Unknown, "1.17.0", "(unknown)"},
		"other providers have none":            {"network: {provider: calico}", "", "(null)"},
	}
	for name, test := range tests {
		m := compositetest.Model(t, Kind, with(test.config))
		var prior *Model
		if test.prior != "" {
			p := m
			p.CiliumVersion = types.StringValue(test.prior)
			prior = &p
		}
		derive(&m, prior)
		got := m.CiliumVersion.ValueString()
		switch {
		case m.CiliumVersion.IsUnknown():
			got = "(unknown)"
		case m.CiliumVersion.IsNull():
			got = "(null)"
		}
		if got != test.want {
			t.Errorf("%s: it is %s", name, got)
		}
	}
}

// What somebody upgraded by hand shows, and the next plan goes back to what the cluster was created with.
func TestAnUpgradeOfCiliumByHandIsTakenBack(t *testing.T) {
	config := compositetest.Model(t, Kind, with(""))
	state := config
	derive(&state, nil)
	live := compositetest.Live(t, composed(t, state))
	charts := "spec.k0sConfig.spec.extensions.helm.charts"
	plane, _ := live.Find("K0smotronControlPlane", "")
	was, _ := ownership.Lookup(plane, charts)
	if err := ownership.Set(plane, charts, replaceIn(was, defaultCilium, "1.99.0")); err != nil {
		t.Fatal(err)
	}
	read := decompose(live, state)
	requireSame(t, "what was read", composed(t, read), composed(t, parse(live, state)))
	plan := config
	derive(&plan, &read)
	requireSame(t, "the plan", composed(t, state), composed(t, plan))
}

func TestTheEndpointIsWhatTheOperatorsSettledOn(t *testing.T) {
	m := compositetest.Model(t, Kind, with(""))
	for host, want := range map[string]string{"192.0.2.7": "https://192.0.2.7:6443", "2001:db8::1": "https://[2001:db8::1]:6443", "": ""} {
		cluster := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "Cluster", "metadata": map[string]any{"name": "train", "uid": "u-1"},
			"spec": map[string]any{"controlPlaneEndpoint": map[string]any{"host": host, "port": int64(6443)}},
		}}
		observe(&m, composite.Live{cluster})
		ref, _ := m.Cluster.Get()
		if m.Endpoint.ValueString() != want || ref.UID.ValueString() != "u-1" {
			t.Errorf("%q gives %s and %v", host, m.Endpoint, ref)
		}
	}
	before := m
	if observe(&m, nil); !reflect.DeepEqual(before, m) {
		t.Error("without a Cluster something was observed")
	}
}

func TestAnImportIsNamedByNamespaceAndName(t *testing.T) {
	m := compositetest.Null(Kind)
	if err := setID(&m, composite.ID{Name: "train"}); err == nil || !strings.Contains(err.Error(), "<namespace>/<name>") {
		t.Errorf("without a namespace: %v", err)
	}
	want := composite.ID{Namespace: "a", Name: "train"}
	if err := setID(&m, want); err != nil || id(m) != want {
		t.Errorf("%v gives %v", err, id(m))
	}
	m.Namespace = types.StringUnknown()
	if got := id(m); got.Name != "" {
		t.Errorf("with an unknown namespace the id is known: %v", got)
	}
}

func TestAnImportFollowsTheReferencesOfTheCluster(t *testing.T) {
	m := compositetest.Model(t, Kind, with(""))
	if refs := locate(m, nil); len(refs) != 1 || refs[0].Kind != clusterapi.ClusterKind || refs[0].Name != "train" {
		t.Errorf("at first: %v", refs)
	}
	live := compositetest.Live(t, composed(t, m))
	if err := ownership.Set(live[0].Object, "spec.controlPlaneRef.name", "another"); err != nil {
		t.Fatal(err)
	}
	want := []composite.Ref{{Kind: clusterapi.ClusterKind, Namespace: "train", Name: "train"}, {Kind: infrastructure.RemoteClusterKind, Namespace: "train", Name: "train"}, {Kind: controlplane.K0smotronControlPlaneKind, Namespace: "train", Name: "another"}}
	if refs := locate(m, live); !reflect.DeepEqual(refs, want) {
		t.Errorf("then: %v", refs)
	}
}

// The names of objects, and the revision, are those of the user's declaration. A change of the golden values here means
// that every control plane out there is updated by an upgrade of the provider.
func TestTheRevisionIsThatOfTheDeclaration(t *testing.T) {
	revision := func(config string) string {
		return composite.Revision(compositetest.Compose(t, Kind, compositetest.Model(t, Kind, config)))
	}
	golden := map[string]string{}
	for name, config := range configs {
		golden[name] = revision(config)
	}
	got, err := yaml.Marshal(golden)
	if err != nil {
		t.Fatal(err)
	}
	compositetest.File(t, "testdata/revisions/revisions.yaml", got)

	same := map[string][2]string{
		"spelling of version and quantities": {with("version: 1.35.7\nresources: {requests: {cpu: 1000m}}"), with("version: v1.35.7-k0s.0\nresources: {requests: {cpu: 1}}")},
		"defaults that are written out":      {with(""), with("replicas: 1\nexpose: {type: LoadBalancer, api_port: 6443}\nnetwork: {provider: cilium, pod_cidr: 10.244.0.0/16, cilium: {encryption: none}}")},
		"order and space of JSON":            {with(`k0s_config: '{"spec":{"x":1,"y":2}}'`), with(`k0s_config: '{ "spec": {"y": 2, "x": 1.0} }'`)},
		"names of tolerations":               {with("placement: {tolerations: {a: {key: p}, b: {key: q}}}"), with("placement: {tolerations: {z: {key: p}, a: {key: q}}}")},
	}
	for what, pair := range same {
		if a, b := revision(pair[0]), revision(pair[1]); a != b {
			t.Errorf("%s: %s and %s", what, a, b)
		}
	}
	if revision(with("")) == revision(with("replicas: 3")) {
		t.Error("another declaration has the same revision")
	}
	objects := compositetest.Compose(t, Kind, compositetest.Model(t, Kind, with("")))
	want := composite.Revision(objects)
	for i := range objects {
		objects[i].Kind.Version, objects[i].Content["apiVersion"] = "v1beta1", objects[i].Kind.Group+"/v1beta1"
	}
	if got := composite.Revision(objects); got != want {
		t.Error("another dialect has another revision")
	}
}
