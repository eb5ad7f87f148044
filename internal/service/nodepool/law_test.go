package nodepool

import (
	"bytes"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/schematest"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// operated adds what API server, Cluster API and k0smotron write into the objects of a pool, as recorded.
func operated(t compositetest.TB, live composite.Live) composite.Live {
	t.Helper()
	for _, o := range live {
		add := func(path string, value any) {
			if _, there := ownership.Lookup(o.Object, path); there {
				return
			}
			if err := ownership.Set(o.Object, path, value); err != nil {
				t.Fatalf("%v", err)
			}
		}
		add("metadata.uid", "a9f2f997-e263-4d0a-aeea-d8c19461fe3e")
		add("metadata.generation", int64(2))
		switch o.GetKind() {
		case "MachineDeployment":
			add("metadata.annotations[machinedeployment.clusters.x-k8s.io/revision]", "1")
			add("metadata.labels[cluster.x-k8s.io/cluster-name]", "train")
			add("spec.replicas", int64(3))
			add("status.phase", "Running")
		case "PooledRemoteMachine":
			add("spec.machine.workingDir", "/etc/k0smotron")
			add("status.reserved", true)
		case "K0sWorkerConfigTemplate":
			add("spec.template.spec.k0sInstallDir", "/usr/local/bin")
			add("spec.template.spec.useSystemHostname", false)
			add("spec.template.spec.provisioner", map[string]any{"type": "cloud-config", "platform": "linux"})
		}
	}
	return live
}

func composed(t compositetest.TB, m Model) []composite.Object {
	t.Helper()
	objects, err := compose(m, composite.Facts{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	return objects
}

func requireSame(t compositetest.TB, what string, want, got []composite.Object) {
	t.Helper()
	if a, b := compositetest.Text(t, want), compositetest.Text(t, got); !bytes.Equal(a, b) {
		t.Fatalf("%s:\n%s", what, compositetest.Difference(string(a), string(b)))
	}
}

func TestEveryAcceptedConfigurationMakesValidObjects(t *testing.T) {
	definitions := schematest.Folder(t)
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		for _, check := range checks {
			for _, f := range check(m) {
				if !f.Warning {
					r.Fatalf("%s: %s", f.Path, f.Detail)
				}
			}
		}
		for _, o := range composed(r, m) {
			schematest.Validate(t, definitions, o.Content)
		}
		if t.Failed() {
			r.FailNow()
		}
	})
}

func TestWhatOperatorsAddChangesNoAttribute(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		read := decompose(operated(r, compositetest.Live(r, composed(r, m))), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

// What this provider made comes back by an import as it was, names included, so that the plan after it is empty.
func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		objects := composed(r, m)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Namespace = m.Name, types.StringValue("train")
		read := imported(compositetest.Live(r, objects), empty)
		read.Labels = m.Labels // the engine reads them from the marks of the objects
		state := read
		derive(&read, nil)
		if a, b := fingerprintOf(m), fingerprintOf(read); a != b {
			r.Fatalf("another fingerprint: %+v and %+v", hostChangeOf(m, effectiveOf(m)), hostChangeOf(read, effectiveOf(read)))
		}
		plan := m
		derive(&plan, &state)
		requireSame(r, "after an import", objects, composed(r, plan))
		requireSame(r, "what was read", objects, composed(r, read))
	})
}

// A change of one field in the cluster is an attribute, or else drift, and nothing that compose would undo elsewhere.
func TestReadingAnyChangeKeepsEverythingElse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, other := anyModel(r), anyModel(r)
		other.Name = m.Name
		live := operated(r, compositetest.Live(r, composed(r, m)))
		from := rapid.SampledFrom(compositetest.Live(r, composed(r, other))).Draw(r, "object")
		field := rapid.SampledFrom(ownership.Leaves(from.Object)).Draw(r, "field")
		value, _ := ownership.Lookup(from.Object, field)
		for _, o := range live {
			if o.GetKind() == from.GetKind() && field != "metadata.name" && field != "kind" && field != "apiVersion" {
				if err := ownership.Set(o.Object, field, value); err != nil {
					r.Skip("does not fit into this object")
				}
			}
		}
		read := decompose(live, m)
		for _, path := range compositetest.Changed(r, Kind, m, read) {
			switch path {
			case "name", "namespace", "cluster", "site", "templates", "gpu", "machine_template", "scaling":
				r.Fatalf("%s moved %s", field, path)
			}
		}
		if _, err := compose(read, composite.Facts{}); err != nil {
			r.Fatalf("what was read from a change of %s does not compose: %v", field, err)
		}
	})
}

func TestParsingArbitraryObjectsNeverPanics(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		live := compositetest.Live(r, composed(r, m))
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			o := rapid.SampledFrom(live).Draw(r, "object")
			field := rapid.SampledFrom(ownership.Leaves(o.Object)).Draw(r, "field")
			if rapid.Bool().Draw(r, "with what is around it") {
				field = rapid.SampledFrom([]string{"spec", "spec.machine", "spec.template", "spec.template.spec", "spec.template.spec.args", "spec.template.spec.files", "spec.rollout", "spec.rollout.strategy",
					"spec.template.spec.bootstrap", "spec.checks", "spec.remediation", "metadata", "metadata.annotations", "status"}).Draw(r, "field")
			}
			if rapid.Bool().Draw(r, "removed") {
				ownership.Remove(o.Object, field)
			} else {
				value := rapid.SampledFrom([]any{nil, "", "x", int64(-7), 1.5, true, []any{}, []any{"x", nil, int64(3)}, map[string]any{}, map[string]any{"name": "x", "x": nil}}).Draw(r, "value")
				_ = ownership.Set(o.Object, field, value)
			}
		}
		empty := compositetest.Null(Kind)
		empty.Name, empty.Namespace = m.Name, types.StringValue("train")
		for _, read := range []Model{decompose(live, m), imported(live, empty), parse(live, m)} {
			derive(&read, nil)
			_, _ = compose(read, composite.Facts{})
		}
		for _, o := range live {
			_ = deploymentReady(o.Object)
		}
		for _, step := range slices.Concat(before(&m, m), after(&m, m)) {
			_ = step.Next(live)
		}
		for _, o := range composed(r, m) {
			if step := leave(m, composite.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}); step != nil {
				_ = step.Next(live)
			}
		}
	})
}
