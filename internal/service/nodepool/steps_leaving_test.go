package nodepool

import (
	"slices"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

func TestADestroyGoesByWhatIsLeft(t *testing.T) {
	const free = "RemoteMachine m3: remove /metadata/finalizers/1"
	homelessOne := remote("m3", deleting+finalize, "")
	tests := map[string]struct {
		config string
		live   []string
		want   []string
		says   string
	}{
		"the MachineDeployment is deleted":        {"", []string{deployment(1), machine("m1", "")}, []string{"delete MachineDeployment gpu (u-gpu, )"}, "Machine m1 is left"},
		"its Machines are waited for":             {"", []string{machine("m1", deleting)}, nil, "Machine m1 is left"},
		"and RemoteMachines":                      {"", []string{remote("m1", "", ", spec: {address: 192.0.2.1}")}, nil, "RemoteMachine m1 is left without its Machine"},
		"and MachineSets":                         {"", []string{"{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: s, namespace: train}}"}, nil, "MachineSet s is left"},
		"a host that is not cleaned up is said":   {"", []string{machine("m1", deleting), remote("m1", deleting, ", spec: {address: 192.0.2.1, port: 22}")}, nil, "RemoteMachine m1 waits until k0smotron has cleaned up host 192.0.2.1, port 22"},
		"with the operator's last error":          {"", []string{machine("m1", deleting), remote("m1", deleting, ", spec: {address: 192.0.2.1, port: 22}, status: {deprecated: {v1beta1: {failureMessage: no such Secret.}}}")}, nil, "192.0.2.1, port 22, whose last error was: no such Secret"},
		"then it is done":                         {"", nil, []string{"done"}, ""},
		"a Machine that never got a host is said": {"", []string{machine("m3", deleting), homelessOne}, nil, "RemoteMachine train/m3 is being deleted and never got a host"},
		"with the command that frees it":          {"", []string{machine("m3", deleting), homelessOne}, nil, `kubectl patch remotemachine -n train m3 --type json -p '[{"op": "test", "path": "/metadata/finalizers/1", "value": "remotemachine.k0smotron.io/finalizer"}, {"op": "remove", "path": "/metadata/finalizers/1"}]'`},
		"and freed where that is asked for":       {"force_release: true", []string{machine("m3", deleting), homelessOne}, []string{free}, "never got a host"},
		"one with an address is never freed":      {"force_release: true", []string{remote("m3", deleting+finalize, ", spec: {address: 192.0.2.3}")}, nil, "RemoteMachine m3 "},
		"nor one whose bootstrap ran":             {"force_release: true", []string{remote("m3", deleting+finalize, ", status: {conditions: [{type: BootstrapExecSucceeded, status: 'True'}]}")}, nil, "RemoteMachine m3 "},
		"nor one that was provisioned":            {"force_release: true", []string{remote("m3", deleting+finalize, ", status: {initialization: {provisioned: true}}")}, nil, "RemoteMachine m3 "},
		"nor one with an identity":                {"force_release: true", []string{remote("m3", deleting+finalize, ", spec: {providerID: 'remote-machine://192.0.2.3:22'}")}, nil, "RemoteMachine m3 "},
		"nor one that a host is reserved for":     {"force_release: true", []string{remote("m3", deleting+finalize, ""), "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: PooledRemoteMachine, metadata: {name: gpu-h1, namespace: train}, spec: {pool: gpu}, status: {reserved: true, machineRef: {name: m3, namespace: train}}}"}, nil, "RemoteMachine m3 "},
		"nor one that is not being deleted":       {"force_release: true", []string{remote("m3", finalize, "")}, nil, "RemoteMachine m3 "},
		"how far a Machine is, is said":           {"", []string{strings.TrimSuffix(machine("m1", deleting), "}") + ", status: {conditions: [{type: Deleting, status: 'True', message: 'drain: pod a does not go'}]}}"}, nil, "Machine m1 is left: drain: pod a does not go"},
		"a paused Cluster is said":                {"", []string{machine("m1", deleting), "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: train, namespace: train}, spec: {paused: true}}"}, nil, "is paused"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			step := leave(poolOf(t, test.config), composite.Ref{Kind: clusterapi.MachineDeploymentKind, Namespace: "train", Name: "gpu"})
			move := step.Next(seenAs(t, test.live...))
			if got := words(t, move); !slices.Equal(got, test.want) || !strings.Contains(move.Why, test.says) {
				t.Errorf("got  %q\nwant %q\nsays %q", got, test.want, move.Why)
			}
		})
	}
}

func TestATemplateStaysWhileSomethingWasMadeFromIt(t *testing.T) {
	set := func(replicas string) string {
		return "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: s, namespace: train}, spec: {replicas: " + replicas + ", template: {spec: {bootstrap: {configRef: {apiGroup: b, kind: K0sWorkerConfigTemplate, name: gpu-1}}, infrastructureRef: {apiGroup: i, kind: RemoteMachineTemplate, name: gpu-1}}}}}"
	}
	clone := remote("m1", ", annotations: {cluster.x-k8s.io/cloned-from-name: gpu-1}", "")
	config := strings.NewReplacer("RemoteMachine", "K0sWorkerConfig", "infrastructure.cluster", "bootstrap.cluster").Replace(clone)
	tests := map[string]struct {
		bootstrap bool
		name      string
		live      []string
		later     string
	}{
		"nothing is left":                          {false, "gpu-1", nil, ""},
		"a MachineSet makes Machines from it":      {false, "gpu-1", []string{set("1")}, "MachineSet s"},
		"one without Machines does not matter":     {false, "gpu-1", []string{set("0")}, ""},
		"one that goes is waited for":              {false, "gpu-1", []string{remote("m1", deleting+", annotations: {cluster.x-k8s.io/cloned-from-name: gpu-1}", "")}, "RemoteMachine m1"},
		"a RemoteMachine was made from it":         {false, "gpu-1", []string{clone}, "RemoteMachine m1"},
		"one of another template does not matter":  {false, "gpu-2", []string{clone, set("1")}, ""},
		"the same with how hosts are bootstrapped": {true, "gpu-1", []string{config, set("1")}, "K0sWorkerConfig m1, MachineSet s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			ref := composite.Ref{Kind: infrastructure.RemoteMachineTemplateKind, Namespace: "train", Name: test.name}
			if test.bootstrap {
				ref.Kind = bootstrap.K0sWorkerConfigTemplateKind
			}
			move := leave(poolOf(t, ""), ref).Next(seenAs(t, test.live...))
			if move.Done != (test.later == "") || move.Later != (test.later != "" && !strings.HasPrefix(name, "one that goes")) || !strings.Contains(move.Why, test.later) {
				t.Errorf("it is %+v", move)
			}
		})
	}
}

func TestTheEntryOfAHostInUseStays(t *testing.T) {
	ref := composite.Ref{Kind: infrastructure.PooledRemoteMachineKind, Namespace: "train", Name: "gpu-a"}
	for _, test := range []struct {
		live string
		want []string
	}{
		{host("gpu-a", "192.0.2.1", "m1"), nil},
		{host("gpu-a", "192.0.2.1", ""), []string{"delete PooledRemoteMachine gpu-a (u-gpu-a, 7)"}}, // the version that was free
		{strings.Replace(host("gpu-a", "192.0.2.1", ""), "uid:", "deletionTimestamp: '2026-11-30T07:00:00Z', uid:", 1), nil},
		{host("gpu-b", "192.0.2.1", "m1"), []string{"done"}},
	} {
		if got := words(t, leave(poolOf(t, ""), ref).Next(seenAs(t, test.live))); !slices.Equal(got, test.want) {
			t.Errorf("%s: it does %q", test.live, got)
		}
	}
	if leave(poolOf(t, ""), composite.Ref{Kind: clusterapi.MachineHealthCheckKind}) != nil {
		t.Error("a health check is waited for")
	}
}

func TestMachinesThatNeverGotAHostAreFreedBeforeAnUpdate(t *testing.T) {
	prior, plan := poolOf(t, ""), poolOf(t, "force_release: true")
	step := before(&prior, plan)[0]
	if got := words(t, step.Next(seenAs(t, remote("m3", deleting+finalize, "")))); !slices.Equal(got, []string{"RemoteMachine m3: remove /metadata/finalizers/1"}) {
		t.Errorf("it does %q", got)
	}
	if got := words(t, step.Next(nil)); !slices.Equal(got, []string{"done"}) {
		t.Errorf("then it does %q", got)
	}
}

func node(name, metadata, taints string) string {
	return "{apiVersion: v1, kind: Node, metadata: {name: " + name + ", resourceVersion: '7'" + metadata + "}, spec: {taints: [" + taints + "]}}"
}

func TestChangesReachRunningNodes(t *testing.T) {
	const base = "labels: {team: vision}\ntaints: {gpu: {value: present}}"
	const standard = ", labels: {k0smos.io/node-pool: gpu, k0smos.io/site: quebec, team: vision, theirs: x}"
	const tainted = "{key: gpu, value: present, effect: NoSchedule}"
	running := "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: m1, namespace: train}, status: {nodeRef: {name: n1}}}"
	joined := func(args string) string {
		return "{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: K0sWorkerConfig, metadata: {name: m1, namespace: train}, spec: {args: [" + args + "]}}"
	}
	noted := []string{`Node n1: add /metadata/annotations {"k0smos.io/labels":"k0smos.io/node-pool,k0smos.io/site,team","k0smos.io/taints":"gpu=present:NoSchedule"}`}
	tests := map[string]struct {
		config string
		live   []string
		want   []string
	}{
		"a node that has all is left alone":            {base, []string{running, node("n1", standard, tainted)}, []string{"done"}},
		"a new label":                                  {base, []string{running, node("n1", ", labels: {k0smos.io/node-pool: gpu, k0smos.io/site: quebec}", tainted)}, append([]string{`Node n1: add /metadata/labels/team "vision"`}, noted...)},
		"a changed label":                              {base, []string{running, node("n1", ", labels: {k0smos.io/node-pool: gpu, k0smos.io/site: atlanta, team: vision}", tainted)}, append([]string{`Node n1: add /metadata/labels/k0smos.io~1site "quebec"`}, noted...)},
		"a label that it joined with and that is gone": {base, []string{running, joined("'--labels=old=1,team=vision'"), node("n1", ", labels: {k0smos.io/node-pool: gpu, k0smos.io/site: quebec, team: vision, old: '1', theirs: x}", tainted)}, append([]string{`Node n1: remove /metadata/labels/old`}, noted...)},
		"one that an earlier apply put there": {base, []string{running, node("n1", ", annotations: {k0smos.io/labels: 'old', k0smos.io/taints: ''}, labels: {k0smos.io/node-pool: gpu, k0smos.io/site: quebec, team: vision, old: '1'}", tainted)},
			[]string{`Node n1: remove /metadata/labels/old`, `Node n1: add /metadata/annotations/k0smos.io~1labels "k0smos.io/node-pool,k0smos.io/site,team"`, `Node n1: add /metadata/annotations/k0smos.io~1taints "gpu=present:NoSchedule"`}},
		"a new taint beside those of others": {base, []string{running, node("n1", standard, "{key: node.kubernetes.io/unreachable, effect: NoExecute}")},
			append([]string{`Node n1: add /spec/taints [{"effect":"NoExecute","key":"node.kubernetes.io/unreachable"},{"effect":"NoSchedule","key":"gpu","value":"present"}]`}, noted...)},
		"a taint that it joined with and that is gone":                    {base, []string{running, joined("'--taints=old=:NoExecute'"), node("n1", standard, tainted+", {key: old, effect: NoExecute}")}, append([]string{`Node n1: add /spec/taints [{"effect":"NoSchedule","key":"gpu","value":"present"}]`}, noted...)},
		"one that it joined with and that others took off stays off":      {base, []string{running, joined("'--taints=gpu=present:NoSchedule'"), node("n1", standard, "")}, []string{"done"}},
		"so does one that an earlier apply gave it":                       {base, []string{running, node("n1", ", annotations: {k0smos.io/taints: 'gpu=present:NoSchedule'}"+standard, "")}, []string{"done"}},
		"with another value it is another one":                            {base, []string{running, joined("'--taints=gpu=old:NoSchedule'"), node("n1", standard, "")}, append([]string{`Node n1: add /spec/taints [{"effect":"NoSchedule","key":"gpu","value":"present"}]`}, noted...)},
		"what an earlier apply took back is given again":                  {base, []string{running, joined("'--taints=gpu=present:NoSchedule'"), node("n1", ", annotations: {k0smos.io/labels: 'k0smos.io/node-pool,k0smos.io/site,team', k0smos.io/taints: ''}"+standard, "")}, []string{`Node n1: add /spec/taints [{"effect":"NoSchedule","key":"gpu","value":"present"}]`, `Node n1: add /metadata/annotations/k0smos.io~1taints "gpu=present:NoSchedule"`}},
		"what is not wanted any more is forgotten, though others took it": {"labels: {team: vision}", []string{running, joined("'--taints=gpu=present:NoSchedule'"), node("n1", standard, "")}, []string{strings.Replace(noted[0], "gpu=present:NoSchedule", "", 1)}},
		"a taint of others of another effect stays":                       {base, []string{running, node("n1", standard, tainted+", {key: gpu, effect: NoExecute}")}, []string{"done"}},
		"nodes of other pools are left alone":                             {base, []string{running, node("n2", "", "")}, []string{"done"}},
		"a Machine that goes takes its node along":                        {base, []string{strings.Replace(running, "namespace: train", "namespace: train"+deleting, 1), node("n1", "", "")}, []string{"done"}},
		"how to partition cards is not for a node that runs": {base + "\ngpu: {vendor: nvidia, model: A100-80GB, per_node: 8, memory: 80Gi, partitioning: {mode: mig, profile: 1g.10gb}}",
			[]string{running, joined("'--labels=nvidia.com/mig.config=all-7g.80gb'"), node("n1", ", labels: {k0smos.io/node-pool: gpu, k0smos.io/site: quebec, team: vision, k0smos.io/gpu-vendor: nvidia, k0smos.io/gpu-model: A100-80GB, nvidia.com/mig.config: all-7g.80gb}", tainted)}, []string{"done"}},
		"roles go through Machines": {base + "\n" + "site: {name: quebec, namespace: train, ssh: {secret: quebec-ssh}}", []string{running, node("n1", standard, tainted)}, []string{"done"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := poolOf(t, test.config)
			step := after(&m, m)[0]
			if got := words(t, step.Next(seenAs(t, test.live...))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	m := poolOf(t, base)
	if len(after(nil, m)) != 0 || len(settle(nil, m)) != 1 {
		t.Error("a create patches nodes, which join with all they need")
	}
	if len(after(&m, m)) != 2 || len(settle(&m, m)) != 3 {
		t.Error("nodes that join during a rollout are not looked at after it")
	}
	step := after(&m, m)[0]
	if queries := step.Look(nil); slices.ContainsFunc(queries, func(q composite.Query) bool { return q.Hosted != nil }) {
		t.Error("without a node the hosted cluster is asked")
	}
	queries := step.Look(seenAs(t, running))
	if last := queries[len(queries)-1]; last.Kind != core.NodeKind || last.Hosted == nil || *last.Hosted != (composite.HostedRef{Namespace: "train", Name: "train"}) {
		t.Errorf("with a node it looks at %+v", queries)
	}
}

func TestChangesOfHostsReachTheirMachines(t *testing.T) {
	connected := ", spec: {address: 192.0.2.1, port: 22, user: root, commandsAsScript: true, sshKeyRef: {name: quebec-ssh}}"
	labelled := ", labels: {node.cluster.x-k8s.io/k0smos-host: quebec.a, node.cluster.x-k8s.io/rack: r1}"
	tests := map[string]struct {
		live []string
		want []string
	}{
		"nothing has changed":                  {[]string{host("gpu-a", "192.0.2.1", "m1"), remote("m1", "", connected), machine("m1", labelled)}, []string{"done"}},
		"another label":                        {[]string{host("gpu-a", "192.0.2.1", "m1"), remote("m1", "", connected), machine("m1", strings.Replace(labelled, "r1", "r0", 1))}, []string{`Machine m1: add /metadata/labels/node.cluster.x-k8s.io~1rack "r1"`}},
		"a label that is gone":                 {[]string{host("gpu-a", "192.0.2.1", "m1"), machine("m1", strings.Replace(labelled, "{", "{node.cluster.x-k8s.io/row: r9, ", 1))}, []string{`Machine m1: remove /metadata/labels/node.cluster.x-k8s.io~1row`}},
		"it goes from the RemoteMachine first": {[]string{host("gpu-a", "192.0.2.1", "m1"), remote("m1", strings.Replace(labelled, "{", "{node.cluster.x-k8s.io/row: r9, ", 1), connected), machine("m1", strings.Replace(labelled, "{", "{node.cluster.x-k8s.io/row: r9, ", 1))}, []string{`RemoteMachine m1: remove /metadata/labels/node.cluster.x-k8s.io~1row`}},
		"so does another value":                {[]string{host("gpu-a", "192.0.2.1", "m1"), remote("m1", strings.Replace(labelled, "r1", "r0", 1), connected), machine("m1", strings.Replace(labelled, "r1", "r0", 1))}, []string{`RemoteMachine m1: add /metadata/labels/node.cluster.x-k8s.io~1rack "r1"`}},
		"a label of the whole pool stays":      {[]string{host("gpu-a", "192.0.2.1", "m1"), machine("m1", strings.Replace(labelled, "{", "{node.cluster.x-k8s.io/hall: h, ", 1))}, []string{"done"}},
		"a free host has no Machine":           {[]string{host("gpu-a", "192.0.2.1", ""), machine("m1", "")}, []string{"done"}},
		"a host of another pool is not ours":   {[]string{host("other", "192.0.2.1", "m1"), machine("m1", "")}, []string{"done"}},
	}
	m := poolOf(t, "labels: {node.cluster.x-k8s.io/hall: h}\nhosts: {a: {address: 192.0.2.1, labels: {rack: r1}}}")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := words(t, after(&m, m)[1].Next(seenAs(t, test.live...))); !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	old := strings.Replace(connected, "user: root", "user: old", 1)
	move := after(&m, m)[1].Next(seenAs(t, host("gpu-a", "192.0.2.1", "m1"), remote("m1", "", old)))
	got := words(t, move)
	if len(got) != 1 || !strings.HasPrefix(got[0], `RemoteMachine m1: add /metadata/annotations {"k0smos.io/host":"`) {
		t.Fatalf("another user is told by %q", got)
	}
	hash := strings.Split(got[0], `"`)[3]
	if got := words(t, after(&m, m)[1].Next(seenAs(t, host("gpu-a", "192.0.2.1", "m1"), remote("m1", ", annotations: {k0smos.io/host: '"+hash+"'}", old)))); !slices.Equal(got, []string{"done"}) {
		t.Errorf("once told it is told again: %q", got)
	}
}
