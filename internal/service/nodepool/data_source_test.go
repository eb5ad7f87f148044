package nodepool

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	resourceschema "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func TestTheDataSourceAndItsModelAgree(t *testing.T) {
	s := sourceSchema()
	attributes := map[string]resourceschema.Attribute{}
	for name, a := range s.Attributes {
		attributes[name] = a
	}
	for _, wrong := range tf.Parity[SourceModel](t.Context(), attributes) {
		t.Error(wrong)
	}
	for _, d := range s.ValidateImplementation(t.Context()) {
		t.Error(d)
	}
	for _, nested := range []string{"hosts", "other_machines"} {
		a, _ := s.Attributes[nested].(schema.MapNestedAttribute)
		for name, inner := range a.NestedObject.Attributes {
			if inner.GetMarkdownDescription() == "" {
				t.Errorf("%s.%s has no description", nested, name)
			}
		}
	}
}

// sourceFleet is a pool of five hosts in every state that on-call meets.
const sourceFleet = `
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: quebec, namespace: train, uid: u-1},
 spec: {clusterName: train, replicas: 5, template: {spec: {clusterName: train, version: v1.35.7+k0s.0, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachineTemplate, name: quebec-1a2b3c4d}}}},
 status: {phase: ScalingUp, replicas: 5, readyReplicas: 1, availableReplicas: 1, upToDateReplicas: 4}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachineTemplate, metadata: {name: quebec-1a2b3c4d, namespace: train}, spec: {template: {spec: {pool: quebec}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: quebec-gpu01, namespace: train, labels: {node.cluster.x-k8s.io/k0smos-host: quebec.gpu01}},
 spec: {pool: quebec, machine: {address: 192.0.2.11, port: 22}}, status: {reserved: true, machineRef: {name: quebec-x-1, namespace: train}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: quebec-gpu02, namespace: train, labels: {node.cluster.x-k8s.io/k0smos-host: quebec.gpu02}},
 spec: {pool: quebec, machine: {address: 192.0.2.12, port: 22}}, status: {reserved: true, machineRef: {name: quebec-x-2, namespace: train}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: odd, namespace: train, labels: {node.cluster.x-k8s.io/k0smos-host: quebec.gpu.03}},
 spec: {pool: quebec, machine: {address: 192.0.2.13, port: 2222}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: quebec-gpu04, namespace: train},
 spec: {pool: quebec, machine: {address: 192.0.2.14, port: 22}}, status: {reserved: true, machineRef: {name: quebec-x-4, namespace: train}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: old-host, namespace: train},
 spec: {pool: quebec, machine: {address: 192.0.2.15, port: 22}}, status: {reserved: false, machineRef: {name: "", namespace: ""}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: atlanta-gpu01, namespace: train},
 spec: {pool: atlanta, machine: {address: 192.0.2.21, port: 22}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachine, metadata: {name: quebec-x-1, namespace: train}, spec: {pool: quebec, address: 192.0.2.11},
 status: {deprecated: {v1beta1: {failureMessage: "a failure that has healed"}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachine, metadata: {name: quebec-x-2, namespace: train}, spec: {pool: quebec, address: 192.0.2.12},
 status: {deprecated: {v1beta1: {failureReason: ProvisionFailed, failureMessage: "dial tcp 192.0.2.12:22: i/o timeout"}}}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachine, metadata: {name: quebec-x-4, namespace: train}, spec: {pool: quebec, address: 192.0.2.14}}
---
{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachine, metadata: {name: quebec-x-5, namespace: train, deletionTimestamp: "2026-11-30T00:00:00Z"}, spec: {pool: quebec},
 status: {deprecated: {v1beta1: {failureMessage: "resource name may not be empty"}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: quebec-x-1, namespace: train}, spec: {clusterName: train, infrastructureRef: {kind: RemoteMachine, name: quebec-x-1}},
 status: {phase: Running, nodeRef: {name: quebec-x-1}, nodeInfo: {kubeletVersion: v1.35.7+k0s}, conditions: [{type: Ready, status: "True", reason: Ready, message: ""}]}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: quebec-x-2, namespace: train}, spec: {clusterName: train, infrastructureRef: {kind: RemoteMachine, name: quebec-x-2}},
 status: {phase: Provisioning, conditions: [{type: Ready, status: "False", reason: NotReady, message: "* InfrastructureReady: no"}]}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: quebec-x-4, namespace: train, deletionTimestamp: "2026-11-30T00:00:00Z"}, spec: {clusterName: train, infrastructureRef: {kind: RemoteMachine, name: quebec-x-4}},
 status: {phase: Deleting, nodeRef: {name: quebec-x-4}, nodeInfo: {kubeletVersion: v1.34.9+k0s}, conditions: [{type: Ready, status: "True", reason: x, message: "* Deleting: Draining"}]}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: quebec-x-5, namespace: train, deletionTimestamp: "2026-11-30T00:00:00Z"}, spec: {clusterName: train, infrastructureRef: {kind: RemoteMachine, name: quebec-x-5}}, status: {phase: Deleting}}
`

func sightOf(t *testing.T, documents string) composite.Seen {
	t.Helper()
	s := composite.Seen{Cluster: "management cluster"}
	for d := range strings.SplitSeq(documents, "---\n") {
		o := &unstructured.Unstructured{}
		content, err := yaml.YAMLToJSON([]byte(d))
		if err == nil {
			err = o.UnmarshalJSON(content) // numbers as the API server sends them
		}
		if err != nil {
			t.Fatal(err)
		}
		s.Live = append(s.Live, o)
	}
	return s
}

func sourceWanted(name, uid string) SourceModel {
	m := SourceModel{Name: types.StringValue(name), Namespace: types.StringValue("train"), UID: types.StringNull()}
	if uid != "" {
		m.UID = types.StringValue(uid)
	}
	return m
}

func sourceLine(words ...attr.Value) string {
	out := make([]string, 0, len(words))
	for _, w := range words {
		out = append(out, strings.Trim(w.String(), `"`))
	}
	return strings.Join(out, " | ")
}

func TestEachHostIsFollowedToItsMachineAndNode(t *testing.T) {
	m := sourceWanted("quebec", "u-1")
	if findings := readSource(&m, sightOf(t, sourceFleet)); len(findings) > 0 {
		t.Fatal(findings)
	}
	if got, want := sourceLine(m.ClusterName, m.Version, m.Replicas, m.ReadyReplicas, m.AvailableReplicas, m.UpToDateReplicas, m.Phase, m.Paused), "train | v1.35.7+k0s.0 | 5 | 1 | 1 | 4 | ScalingUp | false"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	want := map[string]string{
		"gpu01":    "quebec-gpu01 | 192.0.2.11 | 22 | true | quebec-x-1 | quebec-x-1 | Running | true | v1.35.7+k0s | <null>",
		"gpu02":    "quebec-gpu02 | 192.0.2.12 | 22 | true | quebec-x-2 | <null> | Provisioning | false | <null> | dial tcp 192.0.2.12:22: i/o timeout",
		"gpu.03":   "odd | 192.0.2.13 | 2222 | false | <null> | <null> | <null> | false | <null> | <null>",
		"gpu04":    "quebec-gpu04 | 192.0.2.14 | 22 | true | quebec-x-4 | quebec-x-4 | Deleting | false | v1.34.9+k0s | * Deleting: Draining",
		"old-host": "old-host | 192.0.2.15 | 22 | false | <null> | <null> | <null> | false | <null> | <null>",
	}
	for key, o := range m.Hosts.Known() {
		h, _ := o.Get()
		if got := sourceLine(h.ObjectName, h.Address, h.Port, h.Reserved, h.Machine, h.Node, h.Phase, h.Ready, h.Version, h.LastError); got != want[key] {
			t.Errorf("%s\ngot  %s\nwant %s", key, got, want[key])
		}
	}
	if got := m.Hosts.Keys(); !slices.Equal(got, slices.Sorted(maps.Keys(want))) {
		t.Errorf("hosts %v", got)
	}
	lost, _ := m.OtherMachines.Known()["quebec-x-5"].Get()
	if len(m.OtherMachines.Known()) != 1 || !strings.Contains(lost.LastError.ValueString(), "force_release") || lost.Ready.ValueBool() {
		t.Errorf("other machines %s", m.OtherMachines)
	}
	s := sourceSchema()
	if diags := (&tfsdk.State{Schema: s}).Set(context.Background(), &m); diags.HasError() {
		t.Error(diags)
	}
}

func TestAPoolThatIsNotTheOneMeantIsAnError(t *testing.T) {
	for name, test := range map[string]struct {
		m    SourceModel
		says string
	}{
		"there is none":            {sourceWanted("nowhere", ""), "no MachineDeployment nowhere in namespace train"},
		"it was made anew":         {sourceWanted("quebec", "u-0"), "is u-1 and not u-0"},
		"and no UID means any one": {sourceWanted("quebec", ""), ""},
	} {
		t.Run(name, func(t *testing.T) {
			seen := sightOf(t, sourceFleet)
			if test.m.Name.ValueString() == "nowhere" {
				seen.Live = nil
			}
			findings := readSource(&test.m, seen)
			if fmt.Sprint(len(findings) == 0) != fmt.Sprint(test.says == "") || len(findings) > 0 && !strings.Contains(findings[0].Detail, test.says) {
				t.Errorf("got %v, want %q", findings, test.says)
			}
		})
	}
}

func TestOnlyAPoolThatExistsIsLookedInto(t *testing.T) {
	m, seen := sourceWanted("quebec", ""), sightOf(t, sourceFleet).Live
	if refs, queries := sourceRefs(m, nil), sourceQueries(m, nil); len(refs) != 1 || len(queries) != 0 {
		t.Errorf("at first: %v %v", refs, queries)
	}
	if refs, queries := sourceRefs(m, seen[:1]), sourceQueries(m, seen[:1]); len(refs) != 2 || refs[1].Name != "quebec-1a2b3c4d" || len(queries) != 1 {
		t.Errorf("with the MachineDeployment: %v %v", refs, queries)
	}
	if queries := sourceQueries(m, seen[:2]); len(queries) != 3 || queries[0].Selector != "cluster.x-k8s.io/deployment-name=quebec" {
		t.Errorf("with its template: %v", queries)
	}
}

func TestMachinesOfAnotherInfrastructureProviderAreListedToo(t *testing.T) {
	m := sourceWanted("cloud", "")
	findings := readSource(&m, sightOf(t, `
{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: cloud, namespace: train, uid: u-1},
 spec: {clusterName: train, template: {spec: {clusterName: train, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerMachineTemplate, name: cloud}}}}}
---
{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: cloud-1, namespace: train}, spec: {clusterName: train, infrastructureRef: {kind: DockerMachine, name: cloud-1}},
 status: {phase: Running, nodeRef: {name: n-1}, conditions: [{type: Ready, status: "True", reason: x, message: ""}]}}
`))
	machine, ok := m.OtherMachines.Known()["cloud-1"].Get()
	if len(findings) > 0 || !ok || machine.Node.ValueString() != "n-1" || len(m.Hosts.Known()) != 0 || !m.Replicas.IsNull() {
		t.Errorf("findings %v, hosts %s, others %s, replicas %s", findings, m.Hosts, m.OtherMachines, m.Replicas)
	}
}
