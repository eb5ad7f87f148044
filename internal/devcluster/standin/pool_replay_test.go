package standin_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/k0smos/terraform-provider-k0smos/internal/devcluster/standin"
)

func TestTheRecordedLifeOfAPoolIsPlayedAgain(t *testing.T) {
	b := newBench(t, standin.Options{})
	b.createPool(t)
	for _, name := range []string{"qc-a100-2xfdv-87qgv", "qc-a100-2xfdv-x8gjz"} {
		b.createMachine(t, name, "qc-a100-1")
		b.awaitField(t, configID(name), "status.conditions[Ready].reason", "NotReady")
	}
	b.startControlPlane(t)
	for _, name := range []string{"qc-a100-2xfdv-87qgv", "qc-a100-2xfdv-x8gjz"} {
		b.handOver(t, name)
		b.awaitField(t, remoteID(name), "status.initialization.provisioned", true)
	}
	played := map[string][]change{"before pool-change": b.snapshot()}
	began := len(b.since(0))
	b.run(t, "qc-a100-2xfdv-wnjhb", "qc-a100-1")
	b.release(t, "qc-a100-2xfdv-wnjhb", "qc-a100-2xfdv-87qgv")
	played["pool"] = b.since(0)

	b.release(t, "qc-a100-2xfdv-x8gjz")
	b.run(t, "qc-a100-pgc4w-wpll2", "qc-a100-2")
	b.run(t, "qc-a100-pgc4w-rqpzf", "qc-a100-2")
	b.run(t, "qc-a100-pgc4w-7v4t6", "qc-a100-2")
	const without = "qc-a100-pgc4w-clmbm"
	b.createMachine(t, without, "qc-a100-2")
	b.handOver(t, without)
	b.awaitField(t, remoteID(without), "status.deprecated.v1beta1.failureMessage", "free pooled machine not found")
	played["before pool-delete"] = b.snapshot()
	deleted := len(b.since(0))
	b.deleteNamed(t, remoteMachines, without)
	b.release(t, "qc-a100-pgc4w-rqpzf", "qc-a100-pgc4w-7v4t6", "qc-a100-pgc4w-wpll2")
	b.awaitField(t, remoteID(without), "status.deprecated.v1beta1.failureMessage", "resource name may not be empty")
	played["pool-change"], played["pool-delete"] = b.since(began), b.since(deleted)

	for _, s := range sources(t) {
		for _, trace := range poolTraces {
			t.Run(trace+" as in the "+s.name, func(t *testing.T) {
				want := s.read(t, trace)
				begin := slices.IndexFunc(want, func(c change) bool { return c.Event != "ADDED" })
				compareStates(t, want[:begin], poolPart(played["before "+trace]))
				got := changesOnly(poolPart(played[trace]))
				slices.SortStableFunc(got, func(a, b change) int { return cmp.Compare(a.revision, b.revision) })
				compare(t, want[begin:], onlyKindsOf(want, got))
				compareHostOrder(t, want)
				compareHostOrder(t, got)
			})
		}
	}
	if b.fields(remoteID(without)) == nil {
		t.Error("a RemoteMachine that never had a host was cleaned up")
	}
}

// poolTraces are those of node pools.
var poolTraces = []string{"pool", "pool-change", "pool-delete"}

// poolPart leaves of a trace what the operator itself did to pools: besides the state at its beginning, no object that
// Cluster API made, and of a Machine only what comes from the host. Which generation a condition speaks of depends on
// how often was looked, and is left out too.
func poolPart(changes []change) []change {
	var kept []change
	beginning := true
	for _, c := range changes {
		beginning = beginning && c.Event == "ADDED"
		kind, _, _ := strings.Cut(c.Object, ".")
		out := change{Object: c.Object, Event: c.Event, Fields: map[string]any{}, Partial: c.Partial, revision: c.revision}
		for field, value := range c.Fields {
			if ofPool(kind, field) {
				out.Fields[field] = stable(field, value)
			}
		}
		for _, field := range c.Gone {
			if ofPool(kind, field) {
				out.Gone = append(out.Gone, field)
			}
		}
		slices.Sort(out.Gone)
		switch {
		case c.Event == "ADDED" && (!beginning || kind == "Machine" || kind == "K0sWorkerConfig"):
		case c.Event == "DELETED" && kind == "RemoteMachine", len(out.Fields)+len(out.Gone) > 0:
			kept = append(kept, out)
		}
	}
	return kept
}

func ofPool(kind, field string) bool {
	if strings.HasSuffix(field, ".observedGeneration") {
		return false
	}
	copied := strings.HasPrefix(field, "meta.labels.node.cluster.x-k8s.io/")
	switch kind {
	case "RemoteMachine":
		return copied || strings.HasPrefix(field, "spec.") || strings.HasPrefix(field, "status.") || field == "meta.finalizers[0]"
	case "Machine":
		return copied || strings.HasPrefix(field, "meta.annotations.cluster.x-k8s.io/cloned-from-")
	case "PooledRemoteMachine", "K0sWorkerConfig":
		return strings.HasPrefix(field, "status.")
	}
	return false
}

func changesOnly(changes []change) []change {
	return slices.DeleteFunc(changes, func(c change) bool { return c.Event == "ADDED" })
}

// onlyKindsOf leaves out what the recorder did not look at.
func onlyKindsOf(recorded, played []change) []change {
	kinds := map[string]bool{}
	for _, c := range recorded {
		kind, _, _ := strings.Cut(c.Object, "/")
		kinds[kind] = true
	}
	return slices.DeleteFunc(played, func(c change) bool {
		kind, _, _ := strings.Cut(c.Object, "/")
		return !kinds[kind]
	})
}

// compareHostOrder holds every host that is taken or given back against the one order in which that goes.
func compareHostOrder(t *testing.T, changes []change) {
	t.Helper()
	at := func(from int, object, field, value string) int {
		for i, c := range changes[from:] {
			if c.Object == object && (field == "" && c.Event == "DELETED" || field != "" && fmt.Sprint(c.Fields[field]) == value) {
				return from + i
			}
		}
		return -1
	}
	seen := 0
	for i, c := range changes {
		name := fmt.Sprint(c.Fields["status.machineRef.name"])
		if c.Event == "ADDED" || c.Fields["status.reserved"] != true {
			continue
		}
		seen++
		order := []int{
			i,
			at(i, machineID(name), "meta.annotations.cluster.x-k8s.io/cloned-from-groupkind", "RemoteMachineTemplate.infrastructure.cluster.x-k8s.io"),
			at(i, remoteID(name), "status.conditions[BootstrapExecSucceeded].status", "True"),
			at(i, remoteID(name), "spec.address", "127.0.0.1"),
			at(i, remoteID(name), "status.initialization.provisioned", "true"),
		}
		if end := at(i, remoteID(name), "", ""); end >= 0 {
			order = append(order, at(i, c.Object, "status.reserved", "false"), end)
		}
		if !slices.IsSorted(order) || order[1] < 0 {
			t.Errorf("%s: claim, Machine, condition, address, provisioned, release, end come as changes %v", name, order)
		}
	}
	if seen == 0 && slices.ContainsFunc(changes, func(c change) bool { return c.Fields["spec.address"] != nil && c.Event != "ADDED" }) {
		t.Error("hosts were bootstrapped without having been claimed")
	}
}
