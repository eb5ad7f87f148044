package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// before frees what was left without a host, releases hosts that leave, and waits for hosts that others hold.
func before(prior *Model, m Model) []composite.Step {
	e := effectiveOf(m)
	if e.foreign {
		return nil
	}
	var out []composite.Step
	if prior != nil {
		if m.ForceRelease.ValueBool() {
			out = append(out, freeStep(e))
		}
		out = append(out, releaseStep(*prior, m))
	}
	if len(e.active()) > 0 {
		out = append(out, waitStep(e))
	}
	return out
}

// freeStep frees RemoteMachines that can never be deleted otherwise.
func freeStep(e effective) composite.Step {
	return composite.Step{
		Name: "free Machines of pool " + e.name + " that never got a host",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{e.queryHosts(), e.queryMachines(infrastructure.RemoteMachineKind)}
		},
		Next: func(seen composite.Live) composite.Move {
			var move composite.Move
			for _, r := range stockOf(e, seen).homelessOnes() {
				move.Patch = append(move.Patch, freed(r))
			}
			move.Done, move.Why = len(move.Patch) == 0, "RemoteMachines without a host are still there"
			return move
		},
	}
}

// release is what has to be known to take hosts out of a pool.
type release struct {
	before, after effective
	known         map[string]bool   // objects of the pool, before or after, that need not have its mark
	places        map[string]string // object -> where its host answers, after
	triggers      map[string]string // object -> what it is to be built anew for
	wanted        int64             // size, before
	size          func(replicas int64) ([]composite.Object, error)
}

// releaseStep takes hosts out that leave, that are others under the same name, or that are to be built anew: their Machines are
// marked, the size is lowered by as many, and Cluster API drains and deletes just these. Nothing is remembered: what is to be
// done follows from what there is: an apply that failed half-way may have left entries that neither state nor plan knows.
func releaseStep(prior, m Model) composite.Step {
	r := release{before: effectiveOf(prior), after: effectiveOf(m), known: map[string]bool{}, places: map[string]string{}, triggers: map[string]string{}}
	r.wanted = r.before.replicas(prior)
	for key := range r.before.hosts {
		r.known[r.before.objectName(key)] = true
	}
	for _, key := range r.after.active() {
		name := r.after.objectName(key)
		r.known[name] = true
		r.places[name] = place(r.after.hosts[key].Address.ValueString(), r.after.port(r.after.hosts[key]))
		if trigger, ok := m.Reprovision.Known()[key]; ok {
			r.triggers[name] = trigger.ValueString()
		}
	}
	removed, replaced, rebuilt := leaving(r.before, r.after, prior, m)
	what := "hosts of pool " + r.before.name + " that are not declared"
	if names := slices.Sorted(slices.Values(slices.Concat(removed, replaced, rebuilt))); len(names) > 0 {
		what = "hosts " + strings.Join(names, ", ")
	}
	r.size = func(replicas int64) ([]composite.Object, error) { return sized(prior, replicas) }
	return composite.Step{
		Name: "release " + what,
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{r.before.queryHosts(), r.before.queryDeployment(), r.before.queryCluster(), r.before.queryMachines(clusterapi.MachineSetKind), r.before.queryMachines(clusterapi.MachineKind), r.before.queryMachines(infrastructure.RemoteMachineKind)}
		},
		Next: r.next,
	}
}

// sized is the MachineDeployment as it was, with another number of replicas: a release must not begin a rollout.
func sized(prior Model, replicas int64) ([]composite.Object, error) {
	objects, err := compose(prior, composite.Facts{})
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		spec, ok := o.Content["spec"].(map[string]any)
		if o.Kind.Kind != clusterapi.MachineDeploymentKind.Kind || !ok {
			continue
		}
		spec["replicas"] = replicas
		return []composite.Object{o}, nil
	}
	return nil, nil
}

// goes tells whether a host has to be released, and whether its object goes with it.
func (r release) goes(host infrastructure.PooledRemoteMachine) (release, object bool) {
	if host.Spec.Pool != r.before.name || host.Namespace != r.before.namespace || !r.known[host.Name] && !hasKey(host.Labels, labelHost) {
		return false, false
	}
	wanted, stays := r.places[host.Name]
	port := int64(host.Spec.Machine.Port)
	if port == 0 {
		port = defaultPort
	}
	if !stays || wanted != place(host.Spec.Machine.Address, port) {
		return true, true
	}
	trigger, named := r.triggers[host.Name]
	return named && host.Annotations[reprovisionAnnotation] != trigger && host.Status.Reserved, false
}

func (r release) next(seen composite.Live) composite.Move {
	f := stockOf(r.before, seen)
	var move composite.Move
	var held []infrastructure.PooledRemoteMachine
	gone := 0
	for _, host := range f.hosts {
		leaves, object := r.goes(host)
		switch {
		case !leaves:
			if machine, ok := f.machines[host.Status.MachineRef.Name]; ok && host.Status.Reserved {
				move.Patch = append(move.Patch, unmarked(machine)...)
			}
			continue
		case host.Status.Reserved:
			held = append(held, host)
		case object && host.DeletionTimestamp == nil: // by the version that was free: nobody has claimed it since
			move.Delete = append(move.Delete, composite.Delete{Ref: composite.Ref{Kind: infrastructure.PooledRemoteMachineKind, Namespace: host.Namespace, Name: host.Name}, UID: string(host.UID), ResourceVersion: host.ResourceVersion})
		}
		gone++
	}
	if gone == 0 && len(move.Patch) > 0 {
		move.Why = "Machines of hosts that stay are still marked for deletion"
		return move
	}
	if gone == 0 {
		why := r.unsettled(f)
		return composite.Move{Done: why == "", Why: why}
	}
	move.Why = "the entries of released hosts are still there"
	if len(held) == 0 {
		return move
	}
	if why := f.standing(r.before); why != "" {
		return composite.Move{Failed: true, Why: why}
	}
	leavingMachines, marked, there := map[string]bool{}, true, false
	var whys []string
	for _, host := range held {
		name := host.Status.MachineRef.Name
		leavingMachines[name] = true
		machine, exists := f.machines[name]
		there = there || exists
		switch {
		case !exists:
			whys = append(whys, fmt.Sprintf("host %s is reserved for %s, of which there is no Machine; the operator has not released it", host.Name, name))
		case machine.DeletionTimestamp != nil:
			whys = append(whys, strings.TrimSuffix(fmt.Sprintf("host %s is being left by Machine %s: %s", host.Name, name, leavingWhy(machine)), ": "))
		default:
			whys = append(whys, fmt.Sprintf("host %s is in use by Machine %s", host.Name, name))
			if !hasKey(machine.Annotations, clusterapi.DeleteMachineAnnotation) {
				marked = false
				move.Patch = append(move.Patch, patchOf(clusterapi.MachineKind, machine.ObjectMeta, nil, entries("/metadata/annotations", machine.Annotations, map[string]string{clusterapi.DeleteMachineAnnotation: markedByUs}, nil)...))
			}
		}
	}
	if stuck := f.homelessOnes(); len(stuck) > 0 {
		whys = append(whys, homelessWhy(stuck))
	}
	move.Why = strings.Join(whys, "; ")
	if !there || f.deployment == nil || f.deployment.DeletionTimestamp != nil || f.deployment.Spec.Replicas == nil {
		return move
	}
	size, why := r.shrunk(f, leavingMachines)
	switch {
	case why != "": // said before anything is marked
		return composite.Move{Failed: true, Why: why}
	case !marked:
		return move
	}
	if size < counted(f.deployment.Spec.Replicas) {
		objects, err := r.size(size)
		if err != nil {
			return composite.Move{Failed: true, Why: "the MachineDeployment as it was cannot be composed: " + err.Error()}
		}
		move.Apply = objects
	}
	return move
}

// markedByUs is the value of the annotation that has Cluster API delete a Machine first.
const markedByUs = "k0smos"

// unmarked takes our mark off a Machine that stays after all. Otherwise it goes when the pool shrinks for another reason.
func unmarked(machine clusterapi.Machine) []composite.Patch {
	if machine.DeletionTimestamp != nil || machine.Annotations[clusterapi.DeleteMachineAnnotation] != markedByUs {
		return nil
	}
	return []composite.Patch{patchOf(clusterapi.MachineKind, machine.ObjectMeta, nil, entries("/metadata/annotations", machine.Annotations, nil, []string{clusterapi.DeleteMachineAnnotation})...)}
}

// unsettled says what Cluster API still counts of a release. A Machine outlives the reservation of its host for a moment, and as
// long as it is counted, the size that comes next looks reached before it is.
func (r release) unsettled(f stock) string {
	for _, name := range slices.Sorted(maps.Keys(f.machines)) {
		if m := f.machines[name]; m.DeletionTimestamp != nil && hasKey(m.Annotations, clusterapi.DeleteMachineAnnotation) {
			return fmt.Sprintf("Machine %s is still there: %s", name, leavingWhy(m))
		}
	}
	if d := f.deployment; d != nil && d.DeletionTimestamp == nil && !r.before.scaled && counted(d.Spec.Replicas) < r.wanted &&
		(d.Status.ObservedGeneration < d.Generation || counted(d.Status.Replicas) > counted(d.Spec.Replicas)) {
		return fmt.Sprintf("Cluster API counts %d Machines and not yet %d", counted(d.Status.Replicas), counted(d.Spec.Replicas))
	}
	return ""
}

// waitStep waits for hosts that another pool holds, in whatever namespace.
func waitStep(e effective) composite.Step {
	return composite.Step{
		Name: "wait until the hosts of pool " + e.name + " are free",
		Look: func(composite.Live) []composite.Query {
			return []composite.Query{{Kind: infrastructure.PooledRemoteMachineKind}}
		},
		Next: func(seen composite.Live) composite.Move {
			others := elsewhere(e, seen)
			var whys []string
			for _, key := range e.active() {
				for _, other := range others[place(e.hosts[key].Address.ValueString(), e.port(e.hosts[key]))] {
					if other.Status.Reserved {
						whys = append(whys, fmt.Sprintf("host %s is held by pool %s in namespace %s as %s, for Machine %s. Remove it there, or set it to drain", key, other.Spec.Pool, other.Namespace, other.Name, other.Status.MachineRef.Name))
					}
				}
			}
			return composite.Move{Done: len(whys) == 0, Why: strings.Join(whys, "; ")}
		},
	}
}
