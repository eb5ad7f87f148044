package nodepool

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
)

// madeByHand is a fleet that was made by kubectl: a K0sWorkerConfigTemplate with this spec and a MachineDeployment of this version.
func madeByHand(t *testing.T, worker, version string) composite.Live {
	t.Helper()
	return seenAs(t,
		host("gpu-a", "192.0.2.1", ""), host("gpu-b", "192.0.2.2", ""), host("gpu-c", "192.0.2.3", ""),
		"{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachineTemplate, metadata: {name: hosts-1, namespace: train}, spec: {template: {spec: {pool: gpu}}}}",
		"{apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: K0sWorkerConfigTemplate, metadata: {name: worker-7, namespace: train}, spec: {template: {spec: {"+worker+"}}}}",
		"{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, namespace: train}, spec: {clusterName: train, replicas: 3, selector: {}, template: {spec: {clusterName: train, "+version+
			"bootstrap: {configRef: {apiGroup: bootstrap.cluster.x-k8s.io, kind: K0sWorkerConfigTemplate, name: worker-7}}, infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: RemoteMachineTemplate, name: hosts-1}}}}}",
	)
}

// adopted is what the engine makes of an import.
func adopted(live composite.Live) Model {
	empty := compositetest.Null(Kind)
	empty.Name, empty.Namespace = types.StringValue("gpu"), types.StringValue("train")
	state := imported(live, empty)
	state.Labels = empty.Labels // the engine reads them from the marks of the objects, and a fleet of others has none
	derive(&state, nil)
	return state
}

func TestADeclarationKeepsTheHostsOfAnImportOrSaysThatItDoesNot(t *testing.T) {
	const release = "version: v1.35.7+k0s.0, "
	replaces := func(at string) []string { return []string{"warning: " + at + ": Replaces 3 hosts one by one"} }
	tests := map[string]struct {
		worker, version, plan string
		keeps                 string // version of the Machines; they stay
		want                  []string
	}{
		"the same release in full":                 {"version: v1.35.7+k0s.0", release, "", "v1.35.7+k0s.0", nil},
		"without its build":                        {"version: v1.35.7", "version: v1.35.7, ", "", "v1.35.7", nil},
		"with a hyphen":                            {"version: v1.35.7-k0s.0", "version: v1.35.7-k0s.0, ", "", "v1.35.7-k0s.0", nil},
		"without a v":                              {"", "version: 1.35.7+k0s.0, ", "version: 1.35.7", "1.35.7+k0s.0", nil},
		"none but in the template of workers":      {"version: v1.35.7+k0s.0", "", "", "", nil},
		"another release":                          {"version: v1.35.6", "version: v1.35.6, ", "", "", replaces("version")},
		"another one in the template only":         {"version: v1.35.6+k0s.0", "", "", "", replaces("version")},
		"another build":                            {"version: v1.35.7", "version: v1.35.7, ", "version: v1.35.7+k0s.1", "", replaces("version")},
		"commands that the declaration leaves out": {"preK0sCommands: [modprobe nvidia]", release, "", "", replaces("pre_k0s_commands")},
		"commands that it repeats":                 {"preK0sCommands: [modprobe nvidia]", release, "pre_k0s_commands: [modprobe nvidia]", "v1.35.7+k0s.0", nil},
		"other arguments":                          {"args: [--debug]", release, "", "", replaces("worker_args")},
		"the same arguments":                       {"args: [--debug, '--labels=a=b']", release, "worker_args: [--debug]", "v1.35.7+k0s.0", nil},
		"a file that it leaves out":                {"files: [{path: /etc/a, content: a}]", release, "", "", replaces("files")},
		"a file that it repeats":                   {"files: [{path: /etc/a, content: a}]", release, "files: {/etc/a: {content: a, permissions: '0644'}}", "v1.35.7+k0s.0", nil},
		"other permissions":                        {"files: [{path: /etc/a, content: a}]", release, "files: {/etc/a: {content: a, permissions: '0600'}}", "", replaces("files")},
		"another place of k0s":                     {"", release, "k0s: {pre_installed: true}", "", replaces("k0s")},
		"another network":                          {"", release, "node_ip_cidr: 10.0.0.0/8", "", replaces("node_ip_cidr")},
		"a Job":                                    {"", release, "provision_job: {job_template: '{}'}", "", replaces("provision_job")},
		"cards that are cut":                       {"", release, "gpu: {vendor: nvidia, model: A100-80GB, per_node: 8, partitioning: {mode: mig, profile: 1g.10gb}}", "", replaces("gpu")},
		"cards as they are":                        {"", release, "gpu: {vendor: nvidia, model: A100-80GB, per_node: 8}", "v1.35.7+k0s.0", nil},
		"labels, taints and the size":              {"args: ['--labels=a=b', '--taints=a=b:NoSchedule']", release, "labels: {c: d}\ntaints: {c: {}}\nreplicas: 2", "v1.35.7+k0s.0", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := adopted(madeByHand(t, test.worker, test.version))
			plan := compositetest.Model(t, Kind, with("hosts: {a: {address: 192.0.2.1, port: 22}, b: {address: 192.0.2.2}, c: {address: 192.0.2.3}}\n"+test.plan))
			derive(&plan, &state)
			if got := summaries(hostsReplaced(state, plan)); !slices.Equal(got, test.want) {
				t.Errorf("it warns %q, not %q", got, test.want)
			}
			d, _ := composite.As[clusterapi.MachineDeployment](compositetest.Live(t, composed(t, plan)), clusterapi.MachineDeploymentKind, "")
			got := d.Spec.Template.Spec
			if stays := got.Bootstrap.ConfigRef.Name == "worker-7" && got.InfrastructureRef.Name == "hosts-1"; stays != (test.want == nil) || stays && got.Version != test.keeps {
				t.Errorf("Machines are made of %+v, version %q", got.Bootstrap.ConfigRef, got.Version)
			}
			next := compositetest.Model(t, Kind, with(test.plan+"\nannotations: {a: b}"))
			if derive(&next, &plan); !next.Templates.Equal(plan.Templates) {
				t.Errorf("the next change moves the templates from %v to %v", plan.Templates, next.Templates)
			}
		})
	}
}

// Cluster API compares references and the text of the version, and replaces Machines for any of them.
func TestHostsAreSaidToBeReplacedForWhateverClusterAPICompares(t *testing.T) {
	elsewhere := "hosts: null\nreplicas: 1\nmachine_template: {api_version: a.b/v1, kind: A, name: a}"
	for what, change := range map[string][2]string{
		"another group": {elsewhere, strings.Replace(elsewhere, "a.b/v1", "c.d/v1", 1)},
		"another kind":  {elsewhere, strings.Replace(elsewhere, "kind: A", "kind: B", 1)},
		"another name":  {elsewhere, strings.Replace(elsewhere, "name: a", "name: b", 1)},
	} {
		prior, plan := poolOf(t, change[0]), compositetest.Model(t, Kind, with(change[1]))
		derive(&plan, &prior)
		if got := summaries(hostsReplaced(prior, plan)); !slices.Equal(got, []string{"warning: machine_template: Replaces 1 host one by one"}) {
			t.Errorf("%s: %q", what, got)
		}
	}
	prior, plan := poolOf(t, elsewhere), compositetest.Model(t, Kind, with(strings.Replace(elsewhere, "a.b/v1", "a.b/v2", 1)))
	if derive(&plan, &prior); hostsReplaced(prior, plan) != nil {
		t.Error("another version of the API is no other template")
	}
	prior, plan = poolOf(t, "version: 1.35.6"), poolOf(t, "") // the version was changed by hand, and the names of templates were not
	prior.Templates = plan.Templates
	if got := summaries(hostsReplaced(prior, plan)); len(got) != 1 {
		t.Errorf("a version that was changed by hand: %q", got)
	}
}

func TestAnImportReadsTheLabelsOfNodesWhereverTheyAre(t *testing.T) {
	for name, test := range map[string]struct {
		worker, template string
		want             map[string]string
	}{
		"none":                           {"", "", map[string]string{}},
		"arguments of workers":           {"args: ['--labels=a=b,topology.kubernetes.io/region=ca-qc', '--labels=c=']", "", map[string]string{"a": "b", "topology.kubernetes.io/region": "ca-qc", "c": ""}},
		"in quotes":                      {`args: ["'--labels=a=b'"]`, "", map[string]string{"a": "b"}},
		"the template of Machines":       {"", "node-role.kubernetes.io/gpu: '', node.cluster.x-k8s.io/row: r1, cluster.x-k8s.io/cluster-name: train", map[string]string{"node-role.kubernetes.io/gpu": "", "node.cluster.x-k8s.io/row": "r1"}},
		"what other attributes say":      {"args: ['--labels=k0smos.io/node-pool=gpu,a=b']", "", map[string]string{"a": "b"}},
		"what says how to partition too": {"args: ['--labels=nvidia.com/mig.config=all-1g.10gb']", "", map[string]string{"nvidia.com/mig.config": "all-1g.10gb"}},
	} {
		live := madeByHand(t, test.worker, "version: v1.35.7+k0s.0, ")
		if err := unstructured.SetNestedField(live[len(live)-1].Object, labelsOf(t, test.template), "spec", "template", "metadata", "labels"); err != nil {
			t.Fatal(err)
		}
		if got := textsOf(adopted(live).Labels); !maps.Equal(got, test.want) {
			t.Errorf("%s: it reads %v", name, got)
		}
	}
}

func labelsOf(t *testing.T, text string) map[string]any {
	t.Helper()
	labels, ok := seenAs(t, "{labels: {"+text+"}}")[0].Object["labels"].(map[string]any)
	if !ok {
		t.Fatalf("%s is no map", text)
	}
	return labels
}

// The engine puts the labels of a pool on all of its objects, and a label there is not one of the host for that.
func TestLabelsOfThePoolAreNotReadAsLabelsOfItsHosts(t *testing.T) {
	live := seenAs(t,
		strings.Replace(host("gpu-a", "192.0.2.1", ""), "uid: u-gpu-a", "labels: {node.cluster.x-k8s.io/row: r1, node.cluster.x-k8s.io/rack: r2, node.cluster.x-k8s.io/empty: ''}", 1),
		"{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, namespace: train}, spec: {clusterName: train, template: {metadata: {labels: {node.cluster.x-k8s.io/row: r1, node.cluster.x-k8s.io/rack: other}}}}}")
	got := textsOf(effectiveOf(adopted(live)).hosts["a"].Labels)
	if want := map[string]string{"rack": "r2", "empty": ""}; !maps.Equal(got, want) {
		t.Errorf("the host has %v", got)
	}
}

func TestAFleetWhoseHostsArePooledUnderAnotherNameIsNotImported(t *testing.T) {
	for pool, refused := range map[string]bool{"gpu": false, "quebec": true, "''": true} {
		live := madeByHand(t, "", "version: v1.35.7+k0s.0, ")
		live = append(seenAs(t, "{apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: RemoteMachineTemplate, metadata: {name: hosts-1, namespace: train}, spec: {template: {spec: {pool: "+pool+"}}}}"), live...)
		_, err := compose(adopted(live), composite.Facts{})
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "spec.template.spec.pool of RemoteMachineTemplate hosts-1") {
			t.Errorf("pool %s: %v", pool, err)
		}
	}
}

// Behind bastions the same private address is another host.
func TestHostsBehindBastionsAreNotWaitedFor(t *testing.T) {
	m := poolOf(t, "provision_job: {job_template: '{}'}")
	held := seenAs(t, strings.Replace(host("x", "192.0.2.1", "m"), "pool: gpu", "pool: old", 1))
	steps := before(nil, m)
	if move := steps[len(steps)-1].Next(held); !move.Done {
		t.Errorf("it waits: %s", move.Why)
	}
	if got := summaries(survey(m, held)); !slices.Equal(got, []string{`warning: hosts["a"]: An address that is listed elsewhere, too`}) {
		t.Errorf("it says %q", got)
	}
}
