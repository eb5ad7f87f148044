package controlplane

import (
	"bytes"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite/compositetest"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube/ownership"
)

// operated adds what API server, Cluster API and k0smotron write into the objects of a control plane, as recorded.
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
		add("metadata.labels[cluster.x-k8s.io/cluster-name]", o.GetName())
		add("metadata.annotations[k0sproject.io/cluster-id]", "kube-system:a9f2f997")
		switch o.GetKind() {
		case "Cluster":
			add("spec.controlPlaneEndpoint", map[string]any{"host": "192.0.2.7", "port": int64(6443)})
		case "K0smotronControlPlane":
			add("spec.externalAddress", "192.0.2.7")
			add("spec.image", "quay.io/k0sproject/k0s")
			add("spec.certificateRefs", []any{map[string]any{"type": "ca", "name": "train-ca"}})
			add("spec.manifests", []any{map[string]any{"name": "endpoint", "configMap": map[string]any{"name": "x"}}})
			add("spec.persistence.autoDeletePVCs", false)
			add("spec.k0sConfig.spec.network.podCIDR", "10.244.0.0/16")
			add("spec.k0sConfig.spec.network.serviceCIDR", "10.96.0.0/12")
			add("spec.k0sConfig.spec.network.clusterDomain", "cluster.local")
			add("spec.storage.etcd.image", "quay.io/k0sproject/etcd:v3.7.1")
			if _, there := ownership.Lookup(o.Object, "spec.storage.etcd.defragJob"); there {
				add("spec.storage.etcd.defragJob.rule", "dbQuotaUsage > 0.8")
				add("spec.storage.etcd.defragJob.image", "ghcr.io/ahrtr/etcd-defrag:v0.16.0")
			}
			if _, there := ownership.Lookup(o.Object, "spec.storage.kine"); there {
				add("spec.storage.kine.dataSourceURL", "__K0SMOTRON_KINE_DATASOURCE_URL_PLACEHOLDER__")
			}
			add("status.version", "v1.35.7+k0s.0")
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

func TestWhatOperatorsAddChangesNoAttribute(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		read := decompose(operated(r, compositetest.Live(r, composed(r, m))), m)
		if changed := compositetest.Changed(r, Kind, m, read); len(changed) > 0 {
			r.Fatalf("these attributes moved: %v", changed)
		}
	})
}

func TestWhatAnImportReadsComposesToTheSameObjects(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m := anyModel(r)
		objects := composed(r, m)
		empty := compositetest.Null(Kind)
		empty.Name, empty.Namespace = m.Name, m.Namespace
		read := imported(compositetest.Live(r, objects), empty)
		derive(&read, nil)
		requireSame(r, "after an import", objects, composed(r, read))
		full := parse(compositetest.Live(r, objects), empty)
		requireSame(r, "with every default written out", objects, composed(r, full))
	})
}

// A change of one field in the cluster is an attribute, or else drift, and nothing that compose would undo elsewhere.
func TestReadingAnyChangeKeepsEverythingElse(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		m, other := anyModel(r), anyModel(r)
		other.Name = m.Name
		objects := composed(r, m)
		live := operated(r, compositetest.Live(r, objects))
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
			case "name", "namespace", "cilium_version", "cluster", "deletion_protection":
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
				field = rapid.SampledFrom([]string{"spec", "spec.service", "spec.storage", "spec.storage.etcd", "spec.ingress", "spec.patches", "spec.clusterNetwork", "spec.clusterNetwork.pods",
					"spec.k0sConfig", "spec.k0sConfig.spec", "spec.k0sConfig.spec.network", "spec.k0sConfig.spec.extensions", "spec.k0sConfig.spec.extensions.helm", "metadata", "status"}).Draw(r, "field")
			}
			if rapid.Bool().Draw(r, "removed") {
				ownership.Remove(o.Object, field)
			} else {
				value := rapid.SampledFrom([]any{nil, "", "x", int64(-7), 1.5, true, []any{}, []any{"x", nil, int64(3)}, map[string]any{}, map[string]any{"name": "cilium", "x": nil}}).Draw(r, "value")
				_ = ownership.Set(o.Object, field, value)
			}
		}
		if rapid.Bool().Draw(r, "one is gone") {
			live = live[:len(live)-1]
		}
		empty := compositetest.Null(Kind)
		empty.Name = types.StringValue("train")
		for _, read := range []Model{decompose(live, m), imported(live, empty), parse(live, m)} {
			_, _ = compose(read, composite.Facts{})
		}
		_, _ = planeReady(live[len(live)-1].Object), clusterReady(live[0].Object)
	})
}
