package standin_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

var update = flag.Bool("update", false, "write the transcripts of testdata anew from the recorded traces beside K0SMOS_CRDS")

// source is where a record of the real operator comes from.
type source struct {
	name string
	read func(t *testing.T, trace string) []change
}

var updateOnce sync.Once

// sources are our transcripts, and the recorded traces themselves where they are at hand.
func sources(t *testing.T) []source {
	t.Helper()
	if *update {
		updateOnce.Do(func() { writeTranscripts(t) })
	}
	return allSources()
}

func allSources() []source {
	all := []source{{"transcript", func(t *testing.T, trace string) []change {
		return readTranscript(t, filepath.Join("testdata", trace+".yaml"))
	}}}
	if folder := os.Getenv("K0SMOS_CRDS"); folder != "" {
		all = append(all, source{"trace", func(t *testing.T, trace string) []change {
			part := operatorsPart
			if slices.Contains(poolTraces, trace) {
				part = poolPart
			}
			return part(readTrace(t, filepath.Join(absolute(folder), "..", "reference", "traces", trace+".txt")))
		}})
	}
	return all
}

func TestTheRecordedLifeOfAClusterIsPlayedAgain(t *testing.T) {
	b := newBench(t, standin.Options{Launch: launchReal(t)})

	b.createGeo(t, planeManifest)
	b.awaitAvailable(t)
	created := operatorsPart(b.since(0))
	before := operatorsPart(b.snapshot())

	n := len(b.since(0))
	b.mustPatch(t, controlPlanes, `{"spec": {"version": "v1.36.2+k0s.0"}}`)
	b.awaitField(t, geoPlane, "status.version", "v1.36.2+k0s.0")
	b.deleteGeo(t)
	for _, name := range []string{"ca", "sa", "proxy", "etcd", "apiserver-etcd-client", "etcd-server", "etcd-peer", "kubeconfig"} {
		b.awaitGone(t, "Secret.v1/geo-"+name)
	}
	changed := operatorsPart(b.since(n))

	for _, s := range sources(t) {
		t.Run("create as in the "+s.name, func(t *testing.T) {
			want := s.read(t, "create")
			compare(t, want, created)
			compareOrder(t, want, created)
		})
		t.Run("update and delete as in the "+s.name, func(t *testing.T) {
			want := s.read(t, "update-delete")
			begin := slices.IndexFunc(want, func(c change) bool { return c.Event != "ADDED" })
			compareStates(t, want[:begin], before)
			compare(t, want[begin:], changed)
		})
	}
}

// compare holds every object's history against the recorded one.
func compare(t *testing.T, want, got []change) {
	t.Helper()
	wanted, gotten := byObject(want), byObject(got)
	for _, object := range slices.Sorted(maps.Keys(gotten)) {
		if wanted[object] == nil {
			t.Errorf("%s was not recorded, and has %d changes", object, len(gotten[object]))
		}
	}
	for _, object := range slices.Sorted(maps.Keys(wanted)) {
		recorded, played := wanted[object], gotten[object]
		for i := range max(len(recorded), len(played)) {
			switch {
			case i >= len(recorded):
				t.Errorf("%s: one change too many:\n  %s", object, played[i])
			case i >= len(played):
				t.Errorf("%s: a change is missing:\n  %s", object, recorded[i])
			default:
				if different := recorded[i].same(played[i]); different != "" {
					t.Errorf("%s: change %d: %s\n  recorded %s\n  played   %s", object, i+1, different, recorded[i], played[i])
				}
			}
		}
	}
}

// compareStates holds objects as they are against objects as they were recorded.
func compareStates(t *testing.T, want, got []change) {
	t.Helper()
	now := byObject(got)
	for _, c := range want {
		if len(now[c.Object]) != 1 {
			t.Errorf("%s does not exist", c.Object)
		} else if different := c.same(now[c.Object][0]); different != "" {
			t.Errorf("%s: %s\n  recorded %s\n  played   %s", c.Object, different, c, now[c.Object][0])
		}
	}
}

// milestones of a create come in one order across all objects. Between them the two controllers of the real operator
// race, and what they write then has no order.
var milestones = []struct{ object, field, value string }{
	{geoRemote, "status.initialization.provisioned", "true"},
	{"Secret.v1/geo-ca", "type", "cluster.x-k8s.io/secret"},
	{"Secret.v1/geo-sa", "type", "cluster.x-k8s.io/secret"},
	{"Secret.v1/geo-proxy", "type", "cluster.x-k8s.io/secret"},
	{"Secret.v1/geo-etcd", "type", "cluster.x-k8s.io/secret"},
	{geoDerived, "spec.certificateRefs[ca].name", "geo-ca"},
	{geoPlane, "spec.certificateRefs[ca].name", "geo-ca"},
	{geoPlane, "status.replicas", "0"},
	{geoRemote, "spec.controlPlaneEndpoint.port", "16444"},
	{geoPlane, "status.externalManagedControlPlane", "true"},
	{geoCluster, "spec.controlPlaneEndpoint.port", "16444"},
	{"Secret.v1/geo-apiserver-etcd-client", "type", "cluster.x-k8s.io/secret"},
	{"Secret.v1/geo-etcd-server", "type", "cluster.x-k8s.io/secret"},
	{"Secret.v1/geo-etcd-peer", "type", "cluster.x-k8s.io/secret"},
	{geoDerived, "status.conditions[ControlPlaneExposed].status", "True"},
	{geoPlane, "status.replicas", "1"},
	{geoDerived, "status.readyReplicas", "3"},
	{geoPlane, "status.version", "v1.35.4+k0s.0"},
	{"Secret.v1/geo-kubeconfig", "type", "cluster.x-k8s.io/secret"},
	{geoDerived, available, "True"},
	{geoDerived, "spec.k0sConfig.metadata.name", "k0s"},
	{geoPlane, available, "True"},
	{geoPlane, "status.initialization.controlPlaneInitialized", "true"},
	{geoCluster, "meta.annotations.k0sproject.io/cluster-id", "(varies)"},
}

func compareOrder(t *testing.T, recorded, played []change) {
	t.Helper()
	for name, changes := range map[string][]change{"recorded": recorded, "played": played} {
		at := 0
		for _, m := range milestones {
			found := slices.IndexFunc(changes, func(c change) bool {
				return c.Object == m.object && c.Fields[m.field] != nil && fmt.Sprint(c.Fields[m.field]) == m.value
			})
			if found < at {
				t.Errorf("%s: %s %s=%s is change %d, and should come after change %d", name, m.object, m.field, m.value, found, at)
				continue
			}
			at = found
		}
	}
}

// writeTranscripts condenses the recorded traces into testdata.
func writeTranscripts(t *testing.T) {
	for _, s := range allSources() {
		if s.name != "trace" {
			continue
		}
		for _, trace := range slices.Concat([]string{"create", "update-delete"}, poolTraces) {
			content, err := yaml.Marshal(s.read(t, trace))
			if err != nil {
				t.Fatal(err)
			}
			head := strings.Join([]string{
				"# What k0smotron v2.1.0 itself changed, object by object, without what differs in every run.",
				"# Written by `go test ./internal/devcluster/standin -update` from the recorded trace " + trace + ".",
				"# partial: the recorder cut the line off; there were more fields.", "",
			}, "\n")
			if err := os.WriteFile(filepath.Join("testdata", trace+".yaml"), append([]byte(head), content...), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
