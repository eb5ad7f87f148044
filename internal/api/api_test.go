package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/k0smotron"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/schematest"
)

func TestAnUnsetFieldIsNotInTheJSON(t *testing.T) {
	tests := map[string]struct {
		object any
		want   string
	}{
		"a namespace has nothing but metadata": {core.Namespace{}, `{"metadata":{}}`},
		"a secret has nothing but metadata":    {core.Secret{}, `{"metadata":{}}`},
		"a config map likewise":                {core.ConfigMap{}, `{"metadata":{}}`},
		"a Cluster must have a spec":           {clusterapi.Cluster{}, `{"metadata":{},"spec":{}}`},
		"a RemoteCluster keeps its spec":       {infrastructure.RemoteCluster{}, `{"metadata":{},"spec":{}}`},
		"a control plane":                      {controlplane.K0smotronControlPlane{}, `{"metadata":{}}`},
		"a derived cluster":                    {k0smotron.Cluster{}, `{"metadata":{}}`},
		"a host":                               {infrastructure.PooledRemoteMachine{}, `{"metadata":{}}`},
		"a host that has been taken":           {infrastructure.RemoteMachine{}, `{"metadata":{}}`},
		"a template of hosts":                  {infrastructure.RemoteMachineTemplate{}, `{"metadata":{}}`},
		"a template of workers":                {bootstrap.K0sWorkerConfigTemplate{}, `{"metadata":{}}`},
		"a worker":                             {bootstrap.K0sWorkerConfig{}, `{"metadata":{}}`},
		"a MachineDeployment must select":      {clusterapi.MachineDeployment{}, `{"metadata":{},"spec":{"selector":{}}}`},
		"a MachineSet likewise":                {clusterapi.MachineSet{}, `{"metadata":{},"spec":{"selector":{}}}`},
		"a MachineHealthCheck likewise":        {clusterapi.MachineHealthCheck{}, `{"metadata":{},"spec":{"selector":{}}}`},
		"a Machine":                            {clusterapi.Machine{}, `{"metadata":{},"spec":{}}`},
		"a Node":                               {core.Node{}, `{"metadata":{}}`},
		"sections that were begun stay empty, except for what has no default": {
			controlplane.K0smotronControlPlane{Spec: k0smotron.ClusterSpec{
				Service: &k0smotron.Service{}, Persistence: &k0smotron.Persistence{}, Resources: &api.Resources{},
				Storage:                  &k0smotron.Storage{Etcd: &k0smotron.Etcd{Persistence: &k0smotron.EtcdPersistence{}, DefragJob: &k0smotron.DefragJob{}}, Kine: &k0smotron.Kine{}},
				KubeconfigSecretMetadata: &k0smotron.SecretMetadata{},
			}},
			`{"metadata":{},"spec":{"service":{},"persistence":{},"storage":{"etcd":{"persistence":{},"defragJob":{"enabled":false}},"kine":{}},"resources":{},"kubeconfigSecretMetadata":{}}}`,
		},
		"a false that was meant is written": {
			k0smotron.Etcd{AutoDeletePVCs: new(bool)}, `{"autoDeletePVCs":false}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := json.Marshal(test.object)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			converted, err := runtime.DefaultUnstructuredConverter.ToUnstructured(pointerTo(test.object))
			if err != nil {
				t.Fatal(err)
			}
			if a, b := decode(t, got), decode(t, encode(t, converted)); !reflect.DeepEqual(a, b) {
				t.Errorf("as an unstructured object it is %v", converted)
			}
		})
	}
}

func TestAQuantityKeepsItsSpelling(t *testing.T) {
	for in, want := range map[string]string{`"1000m"`: `"1000m"`, `"1"`: `"1"`, `1`: `"1"`, `1.5`: `"1.5"`, `4294967296`: `"4294967296"`, `""`: `""`} {
		var q api.Quantity
		if err := json.Unmarshal([]byte(in), &q); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if got := string(encode(t, q)); got != want {
			t.Errorf("%s became %s", in, got)
		}
	}
	var q api.Quantity
	if err := json.Unmarshal([]byte(`{"a":1}`), &q); err == nil {
		t.Error("an object was taken for a quantity")
	}
	var list struct{ Requests api.ResourceList }
	live := map[string]any{"Requests": map[string]any{"cpu": int64(2), "memory": "4Gi"}}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(live, &list); err != nil {
		t.Fatal(err)
	}
	if want := (api.ResourceList{"cpu": api.NewQuantity("2"), "memory": api.NewQuantity("4Gi")}); !reflect.DeepEqual(list.Requests, want) {
		t.Errorf("a live object gave %v", list.Requests)
	}
}

func TestAKindNamesItsObjects(t *testing.T) {
	if got := core.SecretKind.APIVersion(); got != "v1" {
		t.Errorf("core: %s", got)
	}
	want := metav1.TypeMeta{APIVersion: "k0smotron.io/v1beta2", Kind: "Cluster"}
	if got := k0smotron.ClusterKind.TypeMeta(); got != want {
		t.Errorf("got %v", got)
	}
}

// The recorded objects are what the operators leave behind after a create, fields that only they write included.
func TestRecordedObjectsCanBeStored(t *testing.T) {
	files, err := filepath.Glob("testdata/recorded/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded objects: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var object map[string]any
			if err := yaml.UnmarshalStrict(text, &object); err != nil {
				t.Fatal(err)
			}
			schematest.Validate(t, schematest.Ours(t), object)
			if folder := schematest.Upstream(t); folder != "" {
				schematest.Validate(t, folder, object)
			}
		})
	}
}

// What a struct reads from a live object, it writes again: nothing that the struct knows gets lost on the way.
func TestRecordedObjectsPassThroughTheStructsUnchanged(t *testing.T) {
	for file, object := range map[string]any{
		"cluster.yaml":          &clusterapi.Cluster{},
		"remotecluster.yaml":    &infrastructure.RemoteCluster{},
		"controlplane.yaml":     &controlplane.K0smotronControlPlane{},
		"k0smotroncluster.yaml": &k0smotron.Cluster{},

		"machinedeployment.yaml":          &clusterapi.MachineDeployment{},
		"machine.yaml":                    &clusterapi.Machine{},
		"pooledremotemachine.yaml":        &infrastructure.PooledRemoteMachine{},
		"remotemachine.yaml":              &infrastructure.RemoteMachine{},
		"remotemachine-without-host.yaml": &infrastructure.RemoteMachine{},
		"k0sworkerconfig.yaml":            &bootstrap.K0sWorkerConfig{},
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", "recorded", file))
			if err != nil {
				t.Fatal(err)
			}
			asJSON, err := yaml.YAMLToJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			strict := json.NewDecoder(bytes.NewReader(asJSON))
			strict.DisallowUnknownFields()
			if err := strict.Decode(object); err != nil {
				t.Fatal(err)
			}
			if got, want := decode(t, encode(t, object)), decode(t, asJSON); !reflect.DeepEqual(got, want) {
				t.Errorf("got  %s\nwant %s", encode(t, got), encode(t, want))
			}
		})
	}
}

func pointerTo(v any) any {
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	return p.Interface()
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decode(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
