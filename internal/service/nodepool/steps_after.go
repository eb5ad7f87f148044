package nodepool

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/bootstrap"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// Annotations by which later applies know what an earlier one has put on what runs.
const (
	nodeLabelsAnnotation = "k0smos.io/labels" // on a Node: keys of its labels
	nodeTaintsAnnotation = "k0smos.io/taints" // on a Node: key=value:effect of the taints that it was given
	hostSeenAnnotation   = "k0smos.io/host"   // on a RemoteMachine: hash of the host's entry when it was last told to look
)

// after brings to what runs what changed in place. It does not wait for hosts that are not ready: those that are get it. A node
// joins with its labels and taints, so a create needs none of that.
func after(prior *Model, m Model) []composite.Step {
	if prior == nil {
		return nil
	}
	e := effectiveOf(m)
	out := []composite.Step{nodesStep(m, e)}
	if !e.foreign {
		out = append(out, hostsStep(e))
	}
	return out
}

// settle waits for a rollout. Nodes that joined in the meantime may have done so with what was declared before, so they are
// looked at once more.
func settle(prior *Model, m Model) []composite.Step {
	return append([]composite.Step{rolloutStep(effectiveOf(m))}, after(prior, m)...)
}

// hostsStep tells the operator to read the entries of claimed hosts again, which it does only when it has a reason, and puts
// their labels on the Machines, from where Cluster API carries them to the nodes.
func hostsStep(e effective) composite.Step {
	keys := map[string]string{}
	for _, key := range e.active() {
		keys[e.objectName(key)] = key
	}
	return composite.Step{
		Name: "bring changes of hosts of pool " + e.name + " to their Machines",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{e.queryHosts(), e.queryMachines(clusterapi.MachineKind), e.queryMachines(infrastructure.RemoteMachineKind)}
		},
		Next: func(seen composite.Live) composite.Move {
			f := stockOf(e, seen)
			var move composite.Move
			for _, host := range f.hosts {
				key, ours := keys[host.Name]
				if !ours || !host.Status.Reserved {
					continue
				}
				if remote, ok := f.remotes[host.Status.MachineRef.Name]; ok && remote.DeletionTimestamp == nil {
					operations, stale := hostOperations(e, host, remote, key)
					if len(operations) > 0 {
						move.Patch = append(move.Patch, patchOf(infrastructure.RemoteMachineKind, remote.ObjectMeta, nil, operations...))
					}
					if stale { // the operator would copy it to the Machine again
						continue
					}
				}
				if machine, ok := f.machines[host.Status.MachineRef.Name]; ok && machine.DeletionTimestamp == nil {
					if operations := entries("/metadata/labels", machine.Labels, e.hostLabels(key), lostHostLabels(e, machine.Labels, key)); len(operations) > 0 {
						move.Patch = append(move.Patch, patchOf(clusterapi.MachineKind, machine.ObjectMeta, nil, operations...))
					}
				}
			}
			move.Done, move.Why = len(move.Patch) == 0, "Machines do not have the labels and connection of their hosts yet"
			return move
		},
	}
}

// hostOperations bring a RemoteMachine to the entry of its host, and tell whether it has labels of the host that are old. The
// operator copied them once, from the entry, and copies them on to the Machine whenever it looks.
func hostOperations(e effective, host infrastructure.PooledRemoteMachine, remote infrastructure.RemoteMachine, key string) (operations []operation, stale bool) {
	changed := map[string]string{}
	for name, value := range e.hostLabels(key) {
		if now, ok := remote.Labels[name]; ok && now != value {
			changed[name] = value
		}
	}
	operations = entries("/metadata/labels", remote.Labels, changed, lostHostLabels(e, remote.Labels, key))
	stale = len(operations) > 0
	if hash := entryHash(host); !told(host, remote) && remote.Annotations[hostSeenAnnotation] != hash {
		operations = append(operations, entries("/metadata/annotations", remote.Annotations, map[string]string{hostSeenAnnotation: hash}, nil)...)
	}
	return operations, stale
}

// told tells whether the operator has the connection to a host as its entry has it.
func told(host infrastructure.PooledRemoteMachine, remote infrastructure.RemoteMachine) bool {
	a, b := host.Spec.Machine, remote.Spec
	return a.Address == b.Address && a.Port == b.Port && a.User == b.User && isTrue(a.UseSudo) == isTrue(b.UseSudo) && isTrue(a.CommandsAsScript) == isTrue(b.CommandsAsScript) &&
		a.SSHKeyRef != nil && b.SSHKeyRef != nil && *a.SSHKeyRef == *b.SSHKeyRef
}

func isTrue(b *bool) bool { return b != nil && *b }

// entryHash is what a host's entry says of its connection.
func entryHash(host infrastructure.PooledRemoteMachine) string {
	wire, err := json.Marshal(host.Spec.Machine)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(wire)
	return hex.EncodeToString(sum[:8])
}

// lostHostLabels are the labels of a host that a Machine still has. Labels below the same prefix that the pool gives to all its
// Machines stay.
func lostHostLabels(e effective, have map[string]string, key string) []string {
	wanted := e.hostLabels(key)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if _, keep := wanted[name]; !keep && strings.HasPrefix(name, hostPrefix) && !e.pooled[name] {
			out = append(out, name)
		}
	}
	return out
}

// nodesStep patches labels and taints of nodes that run.
func nodesStep(m Model, e effective) composite.Step {
	hosted := &composite.HostedRef{Namespace: e.cluster.Namespace.ValueString(), Name: e.cluster.Name.ValueString()}
	_, labels := divide(nodeLabels(m, e))
	rolled := rolledLabels(e)
	for key := range rolled {
		delete(labels, key)
	}
	taints := taintsOf(m)
	return composite.Step{
		Name: "bring labels and taints to the nodes of pool " + e.name,
		Look: func(seen composite.Live) []composite.Query {
			out := []composite.Query{e.queryMachines(clusterapi.MachineKind), e.queryMachines(bootstrap.K0sWorkerConfigKind)}
			if len(runningNodes(seen)) > 0 {
				out = append(out, composite.Query{Kind: core.NodeKind, Hosted: hosted})
			}
			return out
		},
		Next: func(seen composite.Live) composite.Move {
			var move composite.Move
			joined := joinedWith(seen)
			running := runningNodes(seen)
			for _, node := range composite.All[core.Node](seen, core.NodeKind) {
				machine, ours := running[node.Name]
				if !ours {
					continue
				}
				operations := nodeOperations(node, joined[machine], labels, rolled, taints)
				if len(operations) > 0 {
					move.Patch = append(move.Patch, patchOf(core.NodeKind, node.ObjectMeta, hosted, operations...))
				}
			}
			move.Done, move.Why = len(move.Patch) == 0, "nodes do not have their labels and taints yet"
			return move
		},
	}
}

// runningNodes are the nodes of Machines that are not about to go, with the Machine of each.
func runningNodes(seen composite.Live) map[string]string {
	out := map[string]string{}
	for _, machine := range composite.All[clusterapi.Machine](seen, clusterapi.MachineKind) {
		if machine.DeletionTimestamp == nil && machine.Status.NodeRef.Name != "" {
			out[machine.Status.NodeRef.Name] = machine.Name
		}
	}
	return out
}

// joinedBy is what a node joined with.
type joinedBy struct {
	labels []string // keys
	taints []string // key=value:effect
}

// joinedWith reads it from the arguments that the operator used for each Machine.
func joinedWith(seen composite.Live) map[string]joinedBy {
	out := map[string]joinedBy{}
	for _, config := range composite.All[bootstrap.K0sWorkerConfig](seen, bootstrap.K0sWorkerConfigKind) {
		var by joinedBy
		for _, arg := range config.Spec.Args {
			if list, ok := strings.CutPrefix(arg, argLabels); ok {
				for label := range strings.SplitSeq(list, ",") {
					key, _, _ := strings.Cut(label, "=")
					by.labels = append(by.labels, key)
				}
			}
			if list, ok := strings.CutPrefix(arg, argTaints); ok {
				for t := range strings.SplitSeq(list, ",") {
					by.taints = append(by.taints, readTaint(t).String())
				}
			}
		}
		out[config.Name] = by
	}
	return out
}

// nodeOperations bring a node to its labels and taints. What it joined with, or an earlier apply gave it, goes if it is no
// longer wanted; everything else on the node belongs to others.
func nodeOperations(node core.Node, joined joinedBy, labels, rolled map[string]string, taints []taint) []operation {
	ours := slices.Concat(joined.labels, listed(node.Annotations[nodeLabelsAnnotation]))
	slices.Sort(ours)
	var lost []string
	for _, key := range slices.Compact(ours) {
		_, wanted := labels[key]
		_, template := rolled[key]
		if !wanted && !template && !partitionLabel(key) {
			lost = append(lost, key)
		}
	}
	out := entries("/metadata/labels", node.Labels, labels, lost)
	given := joined.taints
	noted, known := node.Annotations[nodeTaintsAnnotation]
	if known {
		given = listed(noted)
	}
	kept, changed := mergedTaints(node.Spec.Taints, given, taints)
	if changed {
		out = append(out, operation{Op: "add", Path: "/spec/taints", Value: kept})
	}
	var names []string
	for _, t := range taints {
		names = append(names, t.String())
	}
	forgets := slices.ContainsFunc(given, func(t string) bool { return !slices.Contains(names, t) }) // so that it can be given again
	if len(out) == 0 && !forgets && (!known || noted == strings.Join(names, ",")) {
		return nil
	}
	return append(out, entries("/metadata/annotations", node.Annotations, map[string]string{
		nodeLabelsAnnotation: strings.Join(slices.Sorted(maps.Keys(labels)), ","), nodeTaintsAnnotation: strings.Join(names, ","),
	}, nil)...)
}

// partitionLabel tells a label that says how to partition cards. A node that still has one joined with it, and keeps it until
// it is replaced.
func partitionLabel(key string) bool {
	return slices.Contains([]string{labelMIGConfig, labelPluginConfig, labelDeployDriver, labelDeployToolkit, labelAMDProfile}, key)
}

func listed(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(text, ",")
}
