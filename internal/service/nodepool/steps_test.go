package nodepool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// Objects of a test in one line each. Machines have the name of their RemoteMachine, as they do.

func host(name, address, claimedBy string) string {
	status := "{reserved: false}"
	if claimedBy != "" {
		status = "{reserved: true, machineRef: {name: " + claimedBy + ", namespace: train}}"
	}
	return "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: " + name + ", namespace: train, uid: u-" + name + ", resourceVersion: '7'}, " +
		"spec: {pool: gpu, machine: {address: " + address + ", port: 22, user: root, commandsAsScript: true, sshKeyRef: {name: quebec-ssh}}}, status: " + status + "}"
}

func machine(name, rest string) string {
	return "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: " + name + ", namespace: train, resourceVersion: '7'" + rest + "}}"
}

func deployment(replicas int) string {
	return fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, namespace: train, uid: u-gpu}, spec: {replicas: %d}}", replicas)
}

func remote(name, metadata, rest string) string {
	return "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachine, metadata: {name: " + name + ", namespace: train, resourceVersion: '7'" + metadata + "}" + rest + "}"
}

const (
	deleting = ", deletionTimestamp: '2026-11-30T07:00:00Z'"
	marked   = `, annotations: {cluster.x-k8s.io/delete-machine: ""}`
	finalize = ", finalizers: [x, remotemachine.k0smotron.io/finalizer]"
)

func seenAs(t *testing.T, objects ...string) composite.Live {
	t.Helper()
	var live composite.Live
	for _, text := range objects {
		wire, err := yaml.YAMLToJSONStrict([]byte(text))
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		content := map[string]any{}
		if err := utiljson.Unmarshal(wire, &content); err != nil {
			t.Fatal(err)
		}
		live = append(live, &unstructured.Unstructured{Object: content})
	}
	return live
}

// words says a move in one line for each thing that it does.
func words(t *testing.T, move composite.Move) []string {
	t.Helper()
	var out []string
	for _, p := range move.Patch {
		var operations []operation
		if err := json.Unmarshal(p.JSON, &operations); err != nil {
			t.Fatal(err)
		}
		if operations[0].Op != "test" || operations[0].Path != "/metadata/resourceVersion" {
			t.Errorf("the patch of %s fits any version", p.Ref.Name)
		}
		for _, o := range operations[1:] {
			if o.Op != "test" {
				value, _ := json.Marshal(o.Value)
				out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %s: %s %s %s", p.Ref.Kind.Kind, p.Ref.Name, o.Op, o.Path, value), " null"))
			}
		}
	}
	for _, o := range move.Apply {
		spec, _ := o.Content["spec"].(map[string]any)
		out = append(out, fmt.Sprintf("apply %s %s with %v replicas", o.Kind.Kind, o.Name, spec["replicas"]))
	}
	for _, d := range move.Delete {
		out = append(out, fmt.Sprintf("delete %s %s (%s, %s)", d.Ref.Kind.Kind, d.Ref.Name, d.UID, d.ResourceVersion))
	}
	switch {
	case move.Done:
		out = append(out, "done")
	case move.Failed:
		out = append(out, "fails: "+move.Why)
	case move.Later:
		out = append(out, "later: "+move.Why)
	case move.Why == "":
		t.Error("a move that is not done says nothing")
	}
	return out
}

func poolOf(t *testing.T, config string) Model {
	t.Helper()
	m := compositetest.Model(t, Kind, with(config))
	derive(&m, nil)
	return m
}

func TestHostsAreReleasedBeforeTheirEntriesGo(t *testing.T) {
	const mark = `: add /metadata/annotations {"cluster.x-k8s.io/delete-machine":"k0smos"}`
	two := `hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}}`
	strange := func(claimedBy string) string {
		return strings.Replace(host("gpu-d", "192.0.2.4", claimedBy), "uid:", "labels: {node.cluster.x-k8s.io/k0smos-host: quebec.d}, uid:", 1)
	}
	fleet := []string{deployment(3), host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m2", "")}
	tests := map[string]struct {
		plan string
		live []string
		want []string
	}{
		"the Machine of a host that leaves is marked first":               {two, append(slices.Clone(fleet), machine("m3", "")), []string{"Machine m3" + mark}},
		"then the size is lowered by it":                                  {two, append(slices.Clone(fleet), machine("m3", marked)), []string{"apply MachineDeployment gpu with 2 replicas"}},
		"then it is waited for":                                           {two, []string{deployment(2), host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m2", ""), machine("m3", marked+deleting)}, nil},
		"a Machine that is on its way out needs no mark":                  {two, []string{deployment(2), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m2", ""), machine("m3", deleting)}, nil},
		"the entry goes when it is released, in the version seen":         {two, []string{deployment(2), host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), host("gpu-c", "192.0.2.3", ""), machine("m1", ""), machine("m2", "")}, []string{"delete PooledRemoteMachine gpu-c (u-gpu-c, 7)"}},
		"and that is all":                                                 {two, []string{deployment(2), host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), machine("m1", ""), machine("m2", "")}, []string{"done"}},
		"but not before its Machine is gone, too":                         {two, []string{deployment(2), machine("m1", ""), machine("m2", ""), machine("m3", marked+deleting)}, nil},
		"and Cluster API has counted":                                     {two, []string{strings.Replace(deployment(2), "spec:", "status: {replicas: 3}, spec:", 1), machine("m1", ""), machine("m2", "")}, nil},
		"a host that nobody uses just goes":                               {two, []string{deployment(2), host("gpu-c", "192.0.2.3", ""), machine("m1", ""), machine("m2", "")}, []string{"delete PooledRemoteMachine gpu-c (u-gpu-c, 7)"}},
		"with spare hosts the size that is wanted is no more than before": {"replicas: 1\n" + two, []string{deployment(1), host("gpu-c", "192.0.2.3", "m3"), machine("m3", marked)}, []string{"apply MachineDeployment gpu with 0 replicas"}},
		"a drained host goes like one that is removed":                    {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3, state: drain}}`, append(slices.Clone(fleet), machine("m3", "")), []string{"Machine m3" + mark}},
		"two hosts leave together":                                        {`hosts: {a: {address: 192.0.2.1}}`, append(slices.Clone(fleet), machine("m3", marked)), []string{"Machine m2" + mark}},
		"and lower the size by two":                                       {`hosts: {a: {address: 192.0.2.1}}`, []string{deployment(3), host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m2", marked), machine("m3", marked)}, []string{"apply MachineDeployment gpu with 1 replicas"}},
		"another address is another host":                                 {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.33}}`, append(slices.Clone(fleet), machine("m3", "")), []string{"Machine m3" + mark}},
		"whose old entry goes":                                            {`hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}, c: {address: 192.0.2.33}}`, []string{deployment(2), host("gpu-c", "192.0.2.3", "")}, []string{"delete PooledRemoteMachine gpu-c (u-gpu-c, 7)"}},
		"a host that is built anew is released":                           {`reprovision: {c: "1"}`, append(slices.Clone(fleet), machine("m3", marked)), []string{"apply MachineDeployment gpu with 2 replicas"}},
		"and keeps its entry":                                             {`reprovision: {c: "1"}`, []string{deployment(2), host("gpu-c", "192.0.2.3", "")}, []string{"done"}},
		"without its Machine the operator is waited for":                  {two, []string{deployment(2), host("gpu-c", "192.0.2.3", "m3")}, nil},
		"a MachineDeployment that is gone is not made again":              {two, []string{host("gpu-c", "192.0.2.3", "m3"), machine("m3", marked)}, nil},
		"entries of other pools are left alone":                           {two, []string{strings.Replace(host("other-c", "192.0.2.3", "x"), "pool: gpu", "pool: other", 1), strings.Replace(host("by-hand", "192.0.2.9", "y"), "namespace: train, uid", "namespace: train, labels: {a: b}, uid", 1)}, []string{"done"}},
		"an entry of ours that no declaration knows is released, too":     {"", append(slices.Clone(fleet), machine("m3", ""), strange("m4"), machine("m4", "")), []string{"Machine m4" + mark}},
		"or deleted in the version seen":                                  {"", []string{deployment(3), strange("")}, []string{"delete PooledRemoteMachine gpu-d (u-gpu-d, 7)"}},
		"a mark of ours on a Machine that stays is taken back":            {"", append(slices.Clone(fleet), machine("m3", strings.Replace(marked, `""`, "k0smos", 1))), []string{"Machine m3: remove /metadata/annotations/cluster.x-k8s.io~1delete-machine"}},
		"one of others is not":                                            {"", append(slices.Clone(fleet), machine("m3", marked)), []string{"done"}},
		"a Machine that goes for another reason counts":                   {two, []string{deployment(3), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m2", deleting), machine("m3", marked)}, []string{"apply MachineDeployment gpu with 2 replicas"}},
		"a paused Cluster is said at once": {two, append(slices.Clone(fleet), machine("m3", ""), "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: train, namespace: train}, spec: {paused: true}}"),
			[]string{"fails: The Cluster train/train is paused (spec.paused), so Cluster API neither drains nor deletes anything. Resume it and apply again."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			steps := before(new(poolOf(t, "")), poolOf(t, test.plan))
			if got := words(t, steps[0].Next(seenAs(t, test.live...))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// The mark on a Machine counts inside of its MachineSet only.
func TestAReleaseShrinksTheMachineSetOfTheHostsThatLeave(t *testing.T) {
	made := func(version string) string {
		return "template: {spec: {version: " + version + ", infrastructureRef: {kind: RemoteMachineTemplate, name: gpu}}}"
	}
	pool := func(replicas int, rest string) string {
		return fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, namespace: train}, spec: {replicas: %d, %s%s}}", replicas, rest, made("v3"))
	}
	set := func(name string, minute, replicas int) string {
		return fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: %s, namespace: train, creationTimestamp: '2026-11-30T07:%02d:00Z'}, spec: {replicas: %d, %s}, status: {replicas: %d}}", name, minute, replicas, made(name), replicas)
	}
	of := func(name, set, rest string) string {
		return machine(name, ", ownerReferences: [{kind: MachineSet, controller: true, name: "+set+"}]"+rest)
	}
	const onDelete, paused, rolling = "rollout: {strategy: {type: OnDelete}}, ", "paused: true, ", ""
	hosts := []string{host("gpu-a", "192.0.2.1", "m1"), host("gpu-b", "192.0.2.2", "m2"), host("gpu-c", "192.0.2.3", "m3")}
	tests := map[string]struct {
		live []string
		want string
	}{
		"one MachineSet shrinks":                             {[]string{pool(3, onDelete), set("v3", 1, 3), of("m1", "v3", ""), of("m2", "v3", ""), of("m3", "v3", marked)}, "apply MachineDeployment gpu with 2 replicas"},
		"an old one without Machines does not matter":        {[]string{pool(3, onDelete), set("v2", 0, 0), set("v3", 1, 3), of("m1", "v3", ""), of("m2", "v3", ""), of("m3", "v3", marked)}, "apply MachineDeployment gpu with 2 replicas"},
		"a host of the newest would have an old one drained": {[]string{pool(3, onDelete), set("v2", 0, 2), set("v3", 1, 1), of("m1", "v2", ""), of("m2", "v2", ""), of("m3", "v3", "")}, "fails: "},
		"also where it is marked already":                    {[]string{pool(3, onDelete), set("v2", 0, 2), set("v3", 1, 1), of("m1", "v2", ""), of("m2", "v2", ""), of("m3", "v3", marked)}, "fails: "},
		"a host of the oldest is taken first":                {[]string{pool(3, onDelete), set("v2", 0, 1), set("v3", 1, 2), of("m1", "v3", ""), of("m2", "v3", ""), of("m3", "v2", marked)}, "apply MachineDeployment gpu with 2 replicas"},
		"one of the second oldest is not":                    {[]string{pool(3, onDelete), set("v1", 0, 1), set("v2", 1, 1), set("v3", 2, 1), of("m1", "v1", ""), of("m2", "v3", ""), of("m3", "v2", marked)}, "fails: "},
		"of two that are as old it cannot be told":           {[]string{pool(3, onDelete), set("v1", 0, 1), set("v2", 0, 1), set("v3", 2, 1), of("m1", "v1", ""), of("m2", "v3", ""), of("m3", "v2", marked)}, "fails: "},
		"the newest may be older, after a step back":         {[]string{pool(3, onDelete), set("v3", 0, 2), set("v4", 1, 1), of("m1", "v3", ""), of("m2", "v3", ""), of("m3", "v4", marked)}, "apply MachineDeployment gpu with 2 replicas"},
		"paused, all shrink in proportion":                   {[]string{pool(3, paused), set("v2", 0, 1), set("v3", 1, 2), of("m1", "v3", ""), of("m2", "v3", ""), of("m3", "v2", marked)}, "fails: "},
		"in a rollout the old ones go anyway":                {[]string{pool(3, rolling), set("v2", 0, 2), set("v3", 1, 1), of("m1", "v2", ""), of("m2", "v2", ""), of("m3", "v3", marked)}, "apply MachineDeployment gpu with 2 replicas"},
		"but the size does not follow them down":             {[]string{pool(2, rolling), set("v2", 0, 1), set("v3", 1, 1), of("m2", "v2", ""), of("m3", "v3", marked)}, ""},
		"and none is lowered twice":                          {[]string{pool(2, onDelete), set("v3", 1, 2), of("m1", "v3", ""), of("m2", "v3", deleting), of("m3", "v3", marked)}, ""},
		"a smaller pool takes another for one that goes":     {[]string{pool(3, onDelete), set("v2", 0, 2), set("v3", 1, 1), of("m1", "v2", ""), of("m2", "v2", ""), of("m3", "v3", deleting)}, "fails: "},
		"what goes and is counted is waited for":             {[]string{pool(2, onDelete), set("v2", 0, 2), set("v3", 1, 1), of("m1", "v2", ""), of("m2", "v2", ""), of("m3", "v3", marked+deleting)}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			steps := before(new(poolOf(t, "")), poolOf(t, "hosts: {a: {address: 192.0.2.1}, b: {address: 192.0.2.2}}"))
			got := strings.Join(words(t, steps[0].Next(seenAs(t, append(test.live, hosts...)...))), "; ")
			if test.want != "fails: " && got != test.want || !strings.HasPrefix(got, test.want) || test.want == "fails: " && !strings.Contains(got, "kubectl delete machine -n train m3") {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// A release must not begin a rollout: what is applied is the MachineDeployment as it was.
func TestAReleaseKeepsTheTemplatesOfBefore(t *testing.T) {
	prior := poolOf(t, "")
	plan := poolOf(t, "version: v1.35.8+k0s.0\nhosts: {a: {address: 192.0.2.1}}")
	live := seenAs(t, deployment(2), host("gpu-c", "192.0.2.3", "m3"), machine("m1", ""), machine("m3", marked))
	move := before(&prior, plan)[0].Next(live)
	if len(move.Apply) != 1 {
		t.Fatalf("it applies %v", move.Apply)
	}
	was, _ := prior.Templates.Get()
	text := string(compositetest.Text(t, move.Apply))
	if !strings.Contains(text, was.Bootstrap.ValueString()) || !strings.Contains(text, "version: v1.35.7+k0s.0") || !strings.Contains(text, "replicas: 1") {
		t.Errorf("it applies\n%s", text)
	}
}

func TestAHostThatAnotherPoolHoldsIsWaitedFor(t *testing.T) {
	other := func(claimed, pool, namespace string) string {
		return strings.NewReplacer("pool: gpu", "pool: "+pool, "namespace: train, uid", "namespace: "+namespace+", uid").Replace(host("x", "192.0.2.1", claimed))
	}
	tests := map[string]struct {
		live []string
		free bool
	}{
		"no other pool has it":                   {[]string{other("m", "gpu", "train")}, true},
		"another pool holds it":                  {[]string{other("m", "old", "train")}, false},
		"in any namespace":                       {[]string{other("m", "gpu", "elsewhere")}, false},
		"another pool lists it and has let go":   {[]string{other("", "old", "elsewhere")}, true},
		"another port of the address is no host": {[]string{strings.Replace(other("m", "old", "train"), "port: 22", "port: 2222", 1)}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			steps := before(nil, poolOf(t, ""))
			if len(steps) != 1 {
				t.Fatalf("%d steps", len(steps))
			}
			if move := steps[0].Next(seenAs(t, test.live...)); move.Done != test.free || !test.free && !strings.Contains(move.Why, "host a is held by pool") {
				t.Errorf("it is %v", move)
			}
		})
	}
}
