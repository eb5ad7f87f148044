package nodepool

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

func marshal(t *testing.T, v any) []byte {
	t.Helper()
	out, err := yaml.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryComposedFieldPointsAtItsAttribute(t *testing.T) {
	schema := composite.FullSchema(t.Context(), Kind)
	for name, config := range configs {
		for _, o := range compositetest.Compose(t, Kind, compositetest.Model(t, Kind, config)) {
			for _, field := range ownership.Leaves(o.Content) {
				if field == "apiVersion" || field == "kind" {
					continue
				}
				at := fields.Attribute(o.Kind.Kind, field)
				if len(at.Steps()) == 0 {
					t.Errorf("%s: %s of a %s comes from no attribute", name, field, o.Kind.Kind)
				} else if _, diags := schema.AttributeAtPath(t.Context(), at); diags.HasError() {
					t.Errorf("%s of a %s points at %s, which is no attribute", field, o.Kind.Kind, at)
				}
			}
		}
	}
}

func TestFreeFormInputIsNeverShownInClear(t *testing.T) {
	for field, want := range map[string]bool{"spec.template.spec.files[0].content": true, "spec.template.spec.args": true, "metadata.annotations[a]": true, "spec.template.spec.version": false, "spec.replicas": false} {
		if freeForm("K0sWorkerConfigTemplate", field) != want {
			t.Errorf("%s: free form is %v", field, !want)
		}
	}
}

func TestOutputsThatFollowFromTheConfigurationAreKnown(t *testing.T) {
	m := compositetest.Model(t, Kind, quebec)
	derive(&m, nil)
	scaling, _ := m.Scaling.Get()
	if scaling.Namespace.ValueString() != "train" || scaling.Name.ValueString() != "quebec-a100" || scaling.Max.ValueInt64() != 4 || !scaling.By.IsNull() || !scaling.UID.IsUnknown() {
		t.Errorf("scaling is %v", scaling)
	}
	if got := m.GPUCapacity.Known()["nvidia.com/gpu"].ValueInt64(); got != 32 {
		t.Errorf("%d GPUs", got)
	}
	if got := textsOf(m.NodeSelector); got[labelPool] != "quebec-a100" || got[labelVendor] != "nvidia" {
		t.Errorf("pods select by %v", got)
	}
	for config, unknown := range map[string][]bool{ // templates, capacity, selector, size
		"":                                {false, false, false, false},
		"hosts: " + compositetest.Unknown: {false, true, false, true},
		"hosts: {a: {address: " + compositetest.Unknown + "}}":      {false, false, false, false},
		"version: " + compositetest.Unknown:                         {true, false, false, false},
		"gpu: " + compositetest.Unknown:                             {true, true, true, false},
		"name: " + compositetest.Unknown:                            {true, false, true, false},
		"autoscaling: {min: 0, max: " + compositetest.Unknown + "}": {false, true, false, true},
	} {
		m := poolOf(t, config)
		templates, _ := m.Templates.Get()
		scaling, _ := m.Scaling.Get()
		if got := []bool{templates.Bootstrap.IsUnknown(), m.GPUCapacity.IsUnknown(), m.NodeSelector.IsUnknown(), scaling.Max.IsUnknown()}; !slices.Equal(got, unknown) {
			t.Errorf("%q: unknown are %v", config, got)
		}
	}
	if m := poolOf(t, ""); m.GPUCapacity.IsNull() || len(m.GPUCapacity.Known()) != 0 {
		t.Errorf("without GPUs there are %v", m.GPUCapacity)
	}
}

func TestTheSizeIsAddressedByTheMachineDeployment(t *testing.T) {
	m := poolOf(t, "")
	observe(&m, seenAs(t, deployment(3), "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: train, namespace: train, uid: u-train}}"))
	scaling, _ := m.Scaling.Get()
	ref, _ := m.Cluster.Get()
	if scaling.UID.ValueString() != "u-gpu" || scaling.Max.ValueInt64() != 3 || !scaling.By.IsNull() || ref.UID.ValueString() != "u-train" {
		t.Errorf("it is %v in %v", scaling, ref)
	}
	observe(&m, nil)
	if again, _ := m.Scaling.Get(); again.UID.ValueString() != "u-gpu" {
		t.Error("a MachineDeployment that is not seen has no UID any more")
	}
	planned := func(prior Model) string {
		next := m
		next.Hosts = tf.EmptyMap[tf.Object[Host]]()
		derive(&next, &prior)
		scaling, _ := next.Scaling.Get()
		return scaling.UID.String()
	}
	if got := planned(m); got != `"u-gpu"` {
		t.Errorf("a change plans the UID %s", got)
	}
	m.Drift = tf.ListOf(tf.ObjectOf(composite.Drift{Object: types.StringValue("MachineDeployment/train/gpu"), Field: types.StringValue("")}))
	if got := planned(m); got != "<unknown>" {
		t.Errorf("when the MachineDeployment is missing the UID is %s", got)
	}
}

func TestAnImportIsNamedByNamespaceAndName(t *testing.T) {
	m := compositetest.Null(Kind)
	if err := setID(&m, composite.ID{Name: "gpu"}); err == nil || !strings.Contains(err.Error(), "<namespace>/<name>") {
		t.Errorf("without a namespace: %v", err)
	}
	want := composite.ID{Namespace: "train", Name: "gpu"}
	if err := setID(&m, want); err != nil || id(m) != want {
		t.Errorf("%v gives %v", err, id(m))
	}
	if got := id(poolOf(t, "")); got != want {
		t.Errorf("the namespace of the cluster gives %v", got)
	}
	if got := id(poolOf(t, "cluster: "+compositetest.Unknown)); got.Name != "" {
		t.Errorf("with an unknown cluster the id is known: %v", got)
	}
}

func TestAnImportFollowsTheMachineDeployment(t *testing.T) {
	m := compositetest.Null(Kind)
	m.Name, m.Namespace = types.StringValue("quebec-a100"), types.StringValue("train")
	if refs := locate(m, nil); len(refs) != 1 || locateHosts(m, nil) != nil {
		t.Errorf("at first: %v", refs)
	}
	live := compositetest.Live(t, compositetest.Compose(t, Kind, compositetest.Model(t, Kind, quebec)))
	var kinds []string
	for _, ref := range locate(m, live) {
		kinds = append(kinds, ref.Kind.Kind)
	}
	if want := []string{"MachineDeployment", "Cluster", "K0sWorkerConfigTemplate", "RemoteMachineTemplate", "MachineHealthCheck"}; !slices.Equal(kinds, want) || len(locateHosts(m, live)) != 1 {
		t.Errorf("then: %v", kinds)
	}
}

// A fleet made by kubectl keeps the names that it has, whatever its first declaration says, and so replaces no host.
func TestAFleetOfOthersKeepsItsNames(t *testing.T) {
	live := seenAs(t,
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: qc-gpu01, namespace: geo, labels: {node.cluster.x-k8s.io/rack: r1}}, spec: {pool: qc-a100, machine: {address: 127.0.0.1, port: 2201, user: root, commandsAsScript: true, sshKeyRef: {name: qc-ssh}}}}",
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: other, namespace: geo}, spec: {pool: other, machine: {address: 127.0.0.1, port: 2209, sshKeyRef: {name: qc-ssh}}}}",
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachineTemplate, metadata: {name: qc-a100-1, namespace: geo}, spec: {template: {spec: {pool: qc-a100}}}}",
		"{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: K0sWorkerConfigTemplate, metadata: {name: qc-config-7, namespace: geo}, spec: {template: {spec: {version: v1.35.4+k0s.0, args: ['--labels=topology.kubernetes.io/region=ca-qc', '--taints=nvidia.com/gpu=present:NoSchedule'], files: [{path: /etc/k0s/containerd.d/nvidia.toml, content: 'version = 2', permissions: '0644'}]}}}}",
		"{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: qc-a100, namespace: geo}, spec: {clusterName: geo, replicas: 1, selector: {}, template: {spec: {clusterName: geo, version: v1.35.4+k0s.0, bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: K0sWorkerConfigTemplate, name: qc-config-7}}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachineTemplate, name: qc-a100-1}}}}}",
	)
	empty := compositetest.Null(Kind)
	empty.Name, empty.Namespace = types.StringValue("qc-a100"), types.StringValue("geo")
	state := imported(live, empty)
	derive(&state, nil)
	hosts := effectiveOf(state).hosts
	if len(hosts) != 1 || hosts["qc-gpu01"].ObjectName.ValueString() != "qc-gpu01" || hosts["qc-gpu01"].Labels.Known()["rack"].ValueString() != "r1" {
		t.Errorf("hosts are %v", hosts)
	}
	if len(state.Files.Known()) != 1 || len(taintsOf(state)) != 1 || state.Version.ValueString() != "v1.35.4+k0s.0" {
		t.Errorf("it reads %v %v", state.Files, state.Taints)
	}
	plan := compositetest.Model(t, Kind, `
name: qc-a100
cluster: {name: geo, namespace: geo}
site: {name: qc, namespace: geo, region: ca-qc, ssh: {secret: qc-ssh}}
version: v1.35.4+k0s.0
hosts: {gpu01: {address: 127.0.0.1, port: 2201, object_name: qc-gpu01, labels: {rack: r1}}}
gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, runtime: host}
taints: {nvidia.com/gpu: {value: present}}`)
	derive(&plan, &state)
	templates, _ := plan.Templates.Get()
	if templates.Bootstrap.ValueString() != "qc-config-7" || templates.Infrastructure.ValueString() != "qc-a100-1" || templates.Fingerprint.ValueString() != fingerprintOf(plan) {
		t.Errorf("templates are %v", templates)
	}
}

func TestAPoolIsReadyWhenItsNodesAre(t *testing.T) {
	spec := func(rest string) string {
		return "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, generation: 2}, spec: {replicas: 3" + rest + "}, status: {observedGeneration: 2, "
	}
	scaled := strings.Replace(spec(""), "generation: 2", "generation: 2, annotations: {cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size: '1', cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size: '3'}", 1)
	tests := map[string]struct{ live, why string }{
		"all nodes can be used":            {spec("") + "replicas: 3, upToDateReplicas: 3, availableReplicas: 3}}", ""},
		"a change that nobody has seen":    {strings.Replace(spec(""), "generation: 2}", "generation: 3}", 1) + "replicas: 3, upToDateReplicas: 3, availableReplicas: 3}}", "has not seen the last change"},
		"a Machine is missing":             {spec("") + "replicas: 2, upToDateReplicas: 2, availableReplicas: 2, conditions: [{type: ScalingUp, status: 'True', message: Scaling up from 2 to 3 replicas}]}}", "there are 2 Machines of 3: Scaling up from 2 to 3 replicas"},
		"an old one is left":               {spec("") + "replicas: 3, upToDateReplicas: 2, availableReplicas: 3}}", "2 Machines of 3 have the newest template"},
		"a node cannot be used":            {spec("") + "replicas: 3, upToDateReplicas: 3, availableReplicas: 2, conditions: [{type: MachinesReady, status: 'False', message: '* Machine m: no node'}]}}", "2 nodes of 3 can be used: * Machine m: no node"},
		"old ones stay while paused":       {spec(", paused: true") + "replicas: 3, upToDateReplicas: 0, availableReplicas: 3}}", ""},
		"and with on_delete":               {spec(", rollout: {strategy: {type: OnDelete}}") + "replicas: 3, upToDateReplicas: 0, availableReplicas: 3}}", ""},
		"what was scaled counts as it is":  {scaled + "replicas: 1, upToDateReplicas: 1, availableReplicas: 1}}", ""},
		"and no less than the lower bound": {scaled + "replicas: 0}}", "there are 0 Machines of 1"},
		"what exists must be usable":       {scaled + "replicas: 2, upToDateReplicas: 2, availableReplicas: 1}}", "1 nodes of 2 can be used"},
		"a pool of none":                   {strings.Replace(spec(""), "replicas: 3", "replicas: 0", 1) + "replicas: 0}}", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := deploymentReady(seenAs(t, test.live)[0].Object)
			if state.Ready != (test.why == "") || !strings.Contains(state.Why, test.why) {
				t.Errorf("it is %+v", state)
			}
		})
	}
}

func TestAPoolIsJudgedByItsControlPlane(t *testing.T) {
	plane := func(version string) string {
		return "{apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: K0smotronControlPlane, metadata: {name: train, namespace: train}, spec: {version: " + version + "}}"
	}
	held := strings.Replace(host("x", "192.0.2.1", "m"), "pool: gpu", "pool: old", 1)
	tests := map[string]struct {
		live []string
		want []string
	}{
		"the same version":                {[]string{plane("v1.35.7+k0s.0")}, nil},
		"an older one":                    {[]string{plane("v1.38.0+k0s.0")}, nil},
		"more than three minors older":    {[]string{plane("v1.39.0+k0s.0")}, []string{"version: Too old for the control plane"}},
		"a newer minor":                   {[]string{plane("v1.34.9+k0s.0")}, []string{"version: Newer than the control plane"}},
		"a newer patch":                   {[]string{plane("v1.35.6+k0s.0")}, []string{"version: Newer than the control plane"}},
		"one that is being upgraded":      {[]string{strings.Replace(plane("v1.35.7+k0s.0"), "spec:", "status: {version: v1.35.6+k0s.0}, spec:", 1)}, []string{"version: Newer than the control plane"}},
		"one that has been upgraded":      {[]string{strings.Replace(plane("v1.35.7+k0s.0"), "spec:", "status: {version: v1.35.7-k0s.0}, spec:", 1)}, nil},
		"one that says nothing of itself": {[]string{strings.Replace(plane("v1.35.7+k0s.0"), "spec:", "status: {version: ''}, spec:", 1)}, nil},
		"one that goes too far":           {[]string{strings.Replace(plane("v1.39.0+k0s.0"), "spec:", "status: {version: v1.38.0+k0s.0}, spec:", 1)}, []string{"version: Too old for the control plane"}},
		"its own entry in another pool":   {[]string{strings.Replace(host("gpu-a", "192.0.2.9", "m"), "pool: gpu", "pool: old", 1)}, []string{`hosts["a"]: A host that is in use by another pool`}},
		"which is free":                   {[]string{strings.Replace(host("gpu-a", "192.0.2.9", ""), "pool: gpu", "pool: old", 1)}, nil},
		"no control plane yet":            {nil, nil},
		"a host that another pool holds":  {[]string{held}, []string{`warning: hosts["a"]: A host that another pool holds`}},
		"a host that is listed elsewhere": {[]string{strings.Replace(held, "reserved: true", "reserved: false", 1)}, []string{`warning: hosts["a"]: A host that is listed elsewhere, too`}},
		"its own entry is no other":       {[]string{host("gpu-a", "192.0.2.1", "m")}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := summaries(survey(poolOf(t, ""), seenAs(t, test.live...))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
