package nodepool

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestARolloutIsOverWhenTheMachinesAreNew(t *testing.T) {
	template := func(name, version string) string {
		return "template: {spec: {version: " + version + ", bootstrap: {configRef: {kind: K0sWorkerConfigTemplate, name: " + name + "}}, infrastructureRef: {kind: RemoteMachineTemplate, name: " + name + "}}}"
	}
	counters := "{observedGeneration: 2, replicas: 2, upToDateReplicas: 2, availableReplicas: 2}" // as they lie just after a change
	pool := func(rest string) string {
		return "{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineDeployment, metadata: {name: gpu, namespace: train, generation: 2}, spec: {replicas: 2, " + rest + template("gpu-new", "v1.35.4") + "}, status: " + counters + "}"
	}
	set := func(name, version string, counted int) string {
		return fmt.Sprintf("{apiVersion: cluster.x-k8s.io/v1beta2, kind: MachineSet, metadata: {name: %s-%s, namespace: train}, spec: {%s}, status: {replicas: %d}}", name, version, template(name, version), counted)
	}
	of := func(name, owner, rest, available string) string {
		return "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Machine, metadata: {name: " + name + ", namespace: train, ownerReferences: [{kind: MachineSet, controller: true, name: " + owner + "}]" + rest + "}, status: {conditions: [{type: Available, status: '" + available + "'}]}}"
	}
	first, second, newest := of("m1", "gpu-new-v1.35.4", "", "True"), of("m2", "gpu-new-v1.35.4", "", "True"), set("gpu-new", "v1.35.4", 2)
	tests := map[string]struct {
		live []string
		want string // "" is done
	}{
		"all are from the newest template":          {[]string{pool(""), newest, first, second}, ""},
		"a set of old that has none":                {[]string{pool(""), newest, set("gpu-old", "v1.35.4", 0), first, second}, ""},
		"a set of old that still counts one":        {[]string{pool(""), newest, set("gpu-old", "v1.35.4", 1), first, second}, "MachineSets of earlier templates still count Machines: gpu-old-v1.35.4"},
		"one from another template":                 {[]string{pool(""), newest, set("gpu-old", "v1.35.4", 1), first, of("m2", "gpu-old-v1.35.4", "", "True")}, "Machines that are to be replaced are left: m2"},
		"one of another version":                    {[]string{pool(""), newest, set("gpu-new", "v1.34.2", 1), first, of("m2", "gpu-new-v1.34.2", "", "True")}, "Machines that are to be replaced are left: m2"},
		"one from a set that is not known":          {[]string{pool(""), newest, first, of("m2", "other", "", "True")}, "Machines that are to be replaced are left: m2"},
		"before Cluster API has begun":              {[]string{pool(""), set("gpu-old", "v1.35.4", 2), of("m1", "gpu-old-v1.35.4", "", "True"), of("m2", "gpu-old-v1.35.4", "", "True")}, "Machines that are to be replaced are left: m1, m2"},
		"an old one that is leaving":                {[]string{pool(""), newest, set("gpu-old", "v1.35.4", 0), first, second, of("m3", "gpu-old-v1.35.4", deleting, "True")}, "Machines that are to be replaced are left: m3 (is leaving)"},
		"a new one that is leaving does not matter": {[]string{pool(""), newest, first, second, of("m3", "gpu-new-v1.35.4", deleting, "False")}, ""},
		"one is missing":                            {[]string{pool(""), newest, first}, "there are 1 Machines of 2"},
		"one cannot be used":                        {[]string{pool(""), newest, first, of("m2", "gpu-new-v1.35.4", "", "False")}, "nodes cannot be used yet: those of Machines m2"},
		"old ones stay while paused":                {[]string{pool("paused: true, "), set("gpu-old", "v1.35.4", 2), of("m1", "gpu-old-v1.35.4", "", "True"), of("m2", "gpu-old-v1.35.4", "", "True")}, ""},
		"and with on_delete":                        {[]string{pool("rollout: {strategy: {type: OnDelete}}, "), set("gpu-old", "v1.35.4", 1), newest, first, of("m2", "gpu-old-v1.35.4", "", "True")}, ""},
		"the counters have to agree":                {[]string{strings.Replace(pool(""), "availableReplicas: 2", "availableReplicas: 1", 1), newest, first, second}, "1 nodes of 2 can be used"},
		"a change that nobody has seen":             {[]string{strings.Replace(pool(""), "generation: 2", "generation: 3", 1), newest, first, second}, "Cluster API has not seen the last change yet"},
		"a MachineDeployment that is gone":          {nil, "its MachineDeployment does not exist"},
	}
	m := poolOf(t, "")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			move := settle(nil, m)[0].Next(seenAs(t, test.live...))
			if move.Why != test.want || move.Done != (test.want == "") || slices.Contains(words(t, move), "") {
				t.Errorf("it says %q", move.Why)
			}
		})
	}
}
