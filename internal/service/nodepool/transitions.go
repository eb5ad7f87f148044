package nodepool

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var transitions = slices.Concat([]composite.Transition[Model]{machinesStay, hostsReplaced, hostsReleased, siteMoves, taintsEvict, sizeTaken}, gpuTransitions)

// machinesStay: hosts and foreign Machines in one MachineDeployment would be two fleets under one name.
func machinesStay(prior, plan Model) []composite.Finding {
	if plan.MachineTemplate.IsUnknown() || prior.MachineTemplate.IsNull() == plan.MachineTemplate.IsNull() {
		return nil
	}
	return []composite.Finding{fault(path.Root("machine_template"), "A pool keeps its kind of machines", "A pool of hosts cannot become one of machine_template, nor the other way round: its nodes could not be replaced one by one. Make a second pool, move the work to it, and destroy this one.")}
}

// hostsReplaced says what a new template costs.
func hostsReplaced(prior, plan Model) []composite.Finding {
	was, had := prior.Templates.Get()
	now, ok := plan.Templates.Get()
	if !had || !ok || now.Bootstrap.IsUnknown() || now.Infrastructure.IsUnknown() {
		return nil
	}
	e := effectiveOf(plan)
	if was.Bootstrap.Equal(now.Bootstrap) && infrastructureOf(effectiveOf(prior), was) == infrastructureOf(e, now) && machineVersion(prior, was) == machineVersion(plan, now) {
		return nil
	}
	because := changedParts(prior, plan)
	at := path.Root("templates")
	if len(because) == 1 {
		at = path.Root(because[0])
	}
	why := ""
	if len(because) > 0 {
		why = " because of " + strings.Join(because, ", ")
	}
	before := effectiveOf(prior) // hosts that join now are new anyway, and those that leave are replaced by none
	n := min(before.largest(prior), e.largest(plan))
	if n == 0 {
		return nil
	}
	hosts := many(n, "host", "hosts")
	if before.scaled {
		hosts = "up to " + hosts
	}
	switch {
	case e.rollout.Paused.ValueBool():
		return []composite.Finding{warning(at, "Hosts change when the rollout goes on", "New templates are made%s. The rollout is paused, so %s stay as they are until rollout.paused is false; hosts that join get the new ones.", why, hosts)}
	case tf.TextOr(e.rollout.Strategy, strategyRolling) == strategyOnDelete:
		return []composite.Finding{warning(at, "Hosts change when their Machine is deleted", "New templates are made%s. With rollout.strategy on_delete %s stay as they are, each until somebody deletes its Machine or reprovision names it.", why, hosts)}
	}
	pace := "one by one"
	if atOnce := tf.NumberOr(e.rollout.MaxUnavailable, defaultMaxUnavailable) + tf.NumberOr(e.rollout.MaxSurge, defaultMaxSurge); atOnce > 1 {
		pace = "at most " + many(atOnce, "host", "hosts") + " at a time"
	}
	return []composite.Finding{warning(at, "Replaces "+hosts+" "+pace, "New templates are made%s: each host is drained for at most %s, reset and joined again, %s. A node gets another name, and a Machine any free host of the pool.", why, durationOr(e.drain.Timeout, defaultDrain), pace)}
}

// changedParts lists the attributes that move the fingerprint.
func changedParts(prior, plan Model) []string {
	a, b := hostChangeOf(prior, effectiveOf(prior)), hostChangeOf(plan, effectiveOf(plan))
	var out []string
	for _, part := range []struct {
		name     string
		was, now any
	}{
		{"version", a.Version, b.Version}, {"gpu", a.GPU, b.GPU}, {"files", a.Files, b.Files}, {"pre_k0s_commands", a.Pre, b.Pre}, {"post_k0s_commands", a.Post, b.Post},
		{"worker_args", a.Args, b.Args}, {"k0s", []any{a.Download, a.Installed}, []any{b.Download, b.Installed}}, {"provision_job", a.Job, b.Job}, {"node_ip_cidr", a.NodeIPCIDR, b.NodeIPCIDR},
		{"machine_template", infrastructureOf(effectiveOf(prior), Templates{}), infrastructureOf(effectiveOf(plan), Templates{})},
	} {
		if was, now := canonicalText(part.was), canonicalText(part.now); was != now {
			out = append(out, part.name)
		}
	}
	return out
}

func canonicalText(v any) string {
	wire, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(wire)
}

// hostsReleased says which hosts leave, and which are taken out and in again.
func hostsReleased(prior, plan Model) []composite.Finding {
	if plan.Hosts.IsUnknown() || prior.Hosts.IsNull() {
		return nil
	}
	var out []composite.Finding
	before, after := effectiveOf(prior), effectiveOf(plan)
	removed, replaced, rebuilt := leaving(before, after, prior, plan)
	if len(removed) > 0 {
		out = append(out, warning(path.Root("hosts"), "Releases "+many(int64(len(removed)), "host", "hosts"), "%s: drained for at most %s, reset, and taken out of the pool. Other hosts are untouched.", strings.Join(removed, ", "), durationOr(before.drain.Timeout, defaultDrain)))
	}
	for _, key := range replaced {
		at := path.Root("hosts").AtMapKey(key)
		out = append(out, warning(at, "Replaces the host "+key, "Another address, port or object name is another host: the one at %s is drained, reset and released, and the one at %s joins. Other hosts are untouched.",
			place(before.hosts[key].Address.ValueString(), before.port(before.hosts[key])), place(after.hosts[key].Address.ValueString(), after.port(after.hosts[key]))))
	}
	for _, key := range rebuilt {
		out = append(out, warning(path.Root("reprovision").AtMapKey(key), "Rebuilds the host "+key, "It is drained, reset and joined again with the templates of now. Other hosts are untouched."))
	}
	return out
}

// leaving compares the hosts of two models: those that are no longer used, those that are others under the same key, and those
// that are to be built anew.
func leaving(before, after effective, prior, plan Model) (removed, replaced, rebuilt []string) {
	stays, renamed, places := map[string]bool{}, map[string]bool{}, map[string]string{}
	for _, key := range before.active() {
		places[before.objectName(key)] = place(before.hosts[key].Address.ValueString(), before.port(before.hosts[key]))
	}
	for _, key := range after.active() {
		stays[key] = true
		if name := after.objectName(key); places[name] == place(after.hosts[key].Address.ValueString(), after.port(after.hosts[key])) {
			renamed[name] = true
		}
	}
	for _, key := range before.active() {
		was, now := before.hosts[key], after.hosts[key]
		trigger, named := plan.Reprovision.Known()[key]
		old, hadTrigger := prior.Reprovision.Known()[key]
		switch {
		case !stays[key]:
			if renamed[before.objectName(key)] {
				continue // another key for the same object; the release itself goes by objects
			}
			if o, listed := plan.Hosts.Known()[key]; !listed || !o.IsUnknown() && !now.State.IsUnknown() {
				removed = append(removed, key)
			}
		case now.Address.IsUnknown() || now.Port.IsUnknown() || now.ObjectName.IsUnknown():
		case place(was.Address.ValueString(), before.port(was)) != place(now.Address.ValueString(), after.port(now)) || before.objectName(key) != after.objectName(key):
			replaced = append(replaced, key)
		case named && !trigger.IsUnknown() && (!hadTrigger || !old.Equal(trigger)):
			rebuilt = append(rebuilt, key)
		}
	}
	return removed, replaced, rebuilt
}

func siteMoves(prior, plan Model) []composite.Finding {
	was, now := effectiveOf(prior).site, effectiveOf(plan).site
	if was.Name.IsNull() || now.Name.IsUnknown() || now.Name.IsNull() || was.Name.Equal(now.Name) {
		return nil
	}
	return []composite.Finding{warning(path.Root("site"), "Another site for the same hosts", "The hosts stay what they are: their nodes get the labels of site %s instead of %s, and the operator its SSH user and key. If the hosts are other ones, give them new keys.", now.Name.ValueString(), was.Name.ValueString())}
}

// taintsEvict: a taint of effect NoExecute is felt at once by what runs.
func taintsEvict(prior, plan Model) []composite.Finding {
	had := map[taint]bool{}
	for _, t := range taintsOf(prior) {
		had[t] = true
	}
	var out []composite.Finding
	for _, t := range taintsOf(plan) {
		if t.effect == "NoExecute" && !had[t] {
			out = append(out, warning(path.Root("taints").AtMapKey(t.key), "Evicts pods", "The taint %s reaches running nodes, and pods that do not tolerate it are evicted at once.", t))
		}
	}
	return out
}

// sizeTaken: the size of a pool that others scaled is not known here.
func sizeTaken(prior, plan Model) []composite.Finding {
	if prior.Autoscaling.IsNull() || plan.Autoscaling.IsUnknown() || !plan.Autoscaling.IsNull() || plan.Replicas.IsUnknown() {
		return nil
	}
	e := effectiveOf(plan)
	if !sizeKnown(plan, e) {
		return nil
	}
	return []composite.Finding{warning(path.Root("autoscaling"), "Takes the size back", "The pool goes from the size that it was scaled to, whatever that is by then, to %s. Set replicas to keep another number.", many(e.replicas(plan), "node", "nodes"))}
}

func many(n int64, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + more
}
