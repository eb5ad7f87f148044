package controlplane

import (
	"strings"
	"testing"

	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestTheDataSourceAndItsModelAgree(t *testing.T) {
	attributes := map[string]resourceschema.Attribute{}
	for name, a := range sourceSchema().Attributes {
		attributes[name] = a
	}
	for _, wrong := range tf.Parity[ClusterModel](t.Context(), attributes) {
		t.Error(wrong)
	}
}

const liveCluster = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: train, namespace: geo, uid: u-1, generation: 1}
spec:
  controlPlaneEndpoint: {host: api.example.net, port: 6443}
  controlPlaneRef: {apiGroup: controlplane.cluster.x-k8s.io, kind: K0smotronControlPlane, name: train}
status:
  controlPlane: {desiredReplicas: 3, readyReplicas: 3}
  initialization: {controlPlaneInitialized: true}
  conditions:
  - {type: ControlPlaneAvailable, status: "True", reason: Available, message: ""}
`

const livePlane = `
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: K0smotronControlPlane
metadata: {name: train, namespace: geo, generation: 1}
spec: {replicas: 3, version: v1.35.7+k0s.0}
status:
  version: v1.35.7-k0s.0
  replicas: 3
  readyReplicas: 3
  upToDateReplicas: 3
  initialization: {controlPlaneInitialized: true}
  conditions:
  - {type: Available, status: "True", reason: Available, message: ""}
`

func seen(t *testing.T, documents ...string) composite.Seen {
	t.Helper()
	s := composite.Seen{Cluster: "management cluster"}
	for _, d := range documents {
		o := &unstructured.Unstructured{}
		content, err := yaml.YAMLToJSON([]byte(d))
		if err != nil {
			t.Fatal(err)
		}
		if err := o.UnmarshalJSON(content); err != nil { // numbers as the API server sends them
			t.Fatal(err)
		}
		s.Live = append(s.Live, o)
	}
	return s
}

func train(uid string) ClusterModel {
	m := ClusterModel{Name: types.StringValue("train"), Namespace: types.StringValue("geo"), UID: types.StringNull()}
	if uid != "" {
		m.UID = types.StringValue(uid)
	}
	return m
}

func TestAClusterIsReadAsItIs(t *testing.T) {
	change := func(document string, pairs ...string) string { return strings.NewReplacer(pairs...).Replace(document) }
	for name, test := range map[string]struct {
		objects         []string
		version         types.String
		replicas, ready int64
		notReady        string
	}{
		"ready": {[]string{liveCluster, livePlane}, types.StringValue("v1.35.7+k0s.0"), 3, 3, ""},
		"a member is missing": {[]string{liveCluster, change(livePlane, "readyReplicas: 3", "readyReplicas: 2")},
			types.StringValue("v1.35.7+k0s.0"), 3, 2, "readyReplicas is 2 of 3"},
		"an upgrade is under way": {[]string{liveCluster, change(livePlane, "version: v1.35.7-k0s.0", "version: v1.34.9-k0s.0")},
			types.StringValue("v1.34.9+k0s.0"), 3, 3, "not yet v1.35.7+k0s.0"},
		"nothing has answered yet": {[]string{change(liveCluster, "controlPlaneInitialized: true", "controlPlaneInitialized: false"), livePlane},
			types.StringValue("v1.35.7+k0s.0"), 3, 3, "has not seen the control plane answer"},
		"there is no control plane yet, only the Cluster": {[]string{change(liveCluster, `status: "True"`, `status: "False"`, `message: ""`, `message: waiting`)},
			types.StringNull(), 3, 3, "waiting"},
		"another provider runs the control plane": {[]string{change(liveCluster, "K0smotronControlPlane", "KubeadmControlPlane")}, types.StringNull(), 3, 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := train("u-1")
			if findings := readSource(&m, seen(t, test.objects...)); len(findings) > 0 {
				t.Fatal(findings)
			}
			if !m.Version.Equal(test.version) || m.Replicas.ValueInt64() != test.replicas || m.ReadyReplicas.ValueInt64() != test.ready {
				t.Errorf("version %s, %s of %s members ready", m.Version, m.ReadyReplicas, m.Replicas)
			}
			if m.Ready.ValueBool() != (test.notReady == "") || m.NotReady.IsNull() != (test.notReady == "") || !strings.Contains(m.NotReady.ValueString(), test.notReady) {
				t.Errorf("ready %s, because %s", m.Ready, m.NotReady)
			}
			if m.Endpoint.ValueString() != "https://api.example.net:6443" || len(m.Conditions.Known()) != 1 {
				t.Errorf("endpoint %s, conditions %s", m.Endpoint, m.Conditions)
			}
			if ref, ok := m.Cluster.Get(); !ok || ref.UID.ValueString() != "u-1" {
				t.Errorf("cluster %s", m.Cluster)
			}
		})
	}
}

func TestWhatIsNotKnownYetIsNull(t *testing.T) {
	m := train("")
	if findings := readSource(&m, seen(t, "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: train, namespace: geo, uid: u-1}}")); len(findings) > 0 {
		t.Fatal(findings)
	}
	if !m.Endpoint.IsNull() || !m.Version.IsNull() || !m.Replicas.IsNull() || !m.ReadyReplicas.IsNull() || m.Ready.ValueBool() || len(m.Conditions.Known()) != 0 || m.UID.ValueString() != "u-1" {
		t.Errorf("%+v", m)
	}
}

func TestAnotherClusterThanTheOneMeantIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		objects []string
		says    string
	}{
		"it does not exist":          {nil, "no Cluster train in namespace geo"},
		"it was made anew meanwhile": {[]string{liveCluster}, "is u-1 and not u-0"},
	} {
		t.Run(name, func(t *testing.T) {
			m := train("u-0")
			findings := readSource(&m, seen(t, test.objects...))
			if len(findings) != 1 || findings[0].Warning || len(findings[0].Path.Steps()) == 0 || !strings.Contains(findings[0].Detail, test.says) {
				t.Errorf("findings %v", findings)
			}
		})
	}
}

func TestOnlyK0smotronsControlPlaneIsReadBesideTheCluster(t *testing.T) {
	for kind, want := range map[string]int{"K0smotronControlPlane": 2, "KubeadmControlPlane": 1} {
		if got := sourceRefs(train(""), seen(t, strings.ReplaceAll(liveCluster, "K0smotronControlPlane", kind)).Live); len(got) != want {
			t.Errorf("with a %s: %v", kind, got)
		}
	}
}
