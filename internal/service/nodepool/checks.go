package nodepool

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// A check says nothing about what is not known yet: it is asked again when it is.
var checks = slices.Concat([]composite.Check[Model]{
	oneNamespace, oneKindOfMachines, sizeOnce, sizeFits, rolloutMoves,
	hostsNamed, hostsApart, hostsReachable, rebuildsKnown,
	labelsAllowed, siteLabelsFit, hostLabelsAllowed, taintsAllowed,
	filesComplete, argumentsPlain, commandsThere, binaryOnce, jobReadable, drainEnds,
}, gpuChecks)

func fault(at path.Path, summary, detail string, args ...any) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: fmt.Sprintf(detail, args...)}
}

func warning(at path.Path, summary, detail string, args ...any) composite.Finding {
	return composite.Finding{Path: at, Summary: summary, Detail: fmt.Sprintf(detail, args...), Warning: true}
}

// oneNamespace: a Machine finds its Cluster, and a host its key, only in its own namespace.
func oneNamespace(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	if given(m.Namespace) && given(e.cluster.Namespace) && !m.Namespace.Equal(e.cluster.Namespace) {
		out = append(out, fault(path.Root("namespace"), "Another namespace than the cluster's", "The pool would be in namespace %s and its cluster %s is in %s. Cluster API wants both in one namespace. Leave namespace out, or set it to %q.",
			m.Namespace.ValueString(), e.cluster.Name.ValueString(), e.cluster.Namespace.ValueString(), e.cluster.Namespace.ValueString()))
	}
	if given(e.site.Namespace) && given(e.cluster.Namespace) && !e.site.Namespace.Equal(e.cluster.Namespace) {
		out = append(out, fault(path.Root("site").AtName("namespace"), "Site in another namespace", "The site %s is in namespace %s and the cluster in %s. The operator reads the SSH key in the namespace of the hosts only. Declare the site once more with namespace = %q, and use its ref here.",
			e.site.Name.ValueString(), e.site.Namespace.ValueString(), e.cluster.Namespace.ValueString(), e.cluster.Namespace.ValueString()))
	}
	return out
}

func oneKindOfMachines(m Model) []composite.Finding {
	switch {
	case m.Hosts.IsUnknown() || m.MachineTemplate.IsUnknown():
		return nil
	case m.Hosts.IsNull() && m.MachineTemplate.IsNull():
		return []composite.Finding{fault(path.Root("hosts"), "No machines", "A pool is made of hosts, or of Machines from a machine_template of another infrastructure provider. Give one of them; hosts = {} is a pool that waits for its first host.")}
	case !m.Hosts.IsNull() && !m.MachineTemplate.IsNull():
		return []composite.Finding{fault(path.Root("machine_template"), "Two kinds of machines", "A pool is made of hosts or of Machines from machine_template, not of both. Remove one of them, or make two pools.")}
	}
	if m.MachineTemplate.IsNull() {
		return nil
	}
	var out []composite.Finding
	if m.Replicas.IsNull() && m.Autoscaling.IsNull() {
		out = append(out, fault(path.Root("replicas"), "Missing replicas", "Without hosts there is nothing to count, so a pool with machine_template needs replicas or autoscaling."))
	}
	if given(m.ProvisionJob) {
		out = append(out, fault(path.Root("provision_job"), "Unused provision_job", "provision_job is about hosts, and the machines of this pool are made by another infrastructure provider. Remove it."))
	}
	if template, ok := m.MachineTemplate.Get(); ok && given(template.APIVersion) && !groupVersion.MatchString(template.APIVersion.ValueString()) {
		out = append(out, fault(path.Root("machine_template").AtName("api_version"), "Not an API version", "%q is not of the form <group>/<version>, for example \"infrastructure.cluster.x-k8s.io/v1beta2\".", template.APIVersion.ValueString()))
	}
	return out
}

func sizeOnce(m Model) []composite.Finding {
	if given(m.Replicas) && given(m.Autoscaling) {
		return []composite.Finding{fault(path.Root("replicas"), "Two sizes", "With autoscaling the number of nodes is somebody else's, so replicas means nothing. Remove one of them.")}
	}
	return nil
}

// hostsKnown tells whether all active hosts are known.
func hostsKnown(m Model) bool {
	if m.Hosts.IsUnknown() {
		return false
	}
	for _, o := range m.Hosts.Known() {
		if h, ok := o.Get(); !ok || h.State.IsUnknown() {
			return false
		}
	}
	return true
}

// sizeFits: the operator can never clean up a Machine that got no host, so there must never be one.
func sizeFits(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	size := path.Root("autoscaling")
	if e.scaled && given(e.autoscaling.Min) && given(e.autoscaling.Max) && e.autoscaling.Min.ValueInt64() > e.autoscaling.Max.ValueInt64() {
		out = append(out, fault(size.AtName("min"), "Bounds the wrong way round", "autoscaling.min is %d and autoscaling.max is %d. The fewest nodes cannot be more than the most.", e.autoscaling.Min.ValueInt64(), e.autoscaling.Max.ValueInt64()))
	}
	if m.Hosts.IsNull() || !hostsKnown(m) {
		return out
	}
	hosts := int64(len(e.active()))
	const why = "There are %d active hosts. The operator can never delete a Machine that got no host, and such a Machine blocks the pool and the whole cluster. Take at most %d, or add hosts."
	if n := m.Replicas.ValueInt64(); given(m.Replicas) && n > hosts {
		out = append(out, fault(path.Root("replicas"), "More replicas than hosts", "replicas is %d. "+why, n, hosts, hosts))
	}
	if n := e.autoscaling.Max.ValueInt64(); e.scaled && given(e.autoscaling.Max) && n > hosts {
		out = append(out, fault(size.AtName("max"), "More nodes than hosts", "autoscaling.max is %d. "+why, n, hosts, hosts))
	}
	return out
}

// rolloutMoves: with fixed hosts, what is out of service for a moment is what makes room for the next.
func rolloutMoves(m Model) []composite.Finding {
	e, at := effectiveOf(m), path.Root("rollout")
	r := e.rollout
	if m.Rollout.IsUnknown() || r.Strategy.IsUnknown() || r.MaxSurge.IsUnknown() || r.MaxUnavailable.IsUnknown() {
		return nil
	}
	if tf.TextOr(r.Strategy, strategyRolling) == strategyOnDelete {
		if given(r.MaxSurge) || given(r.MaxUnavailable) {
			return []composite.Finding{fault(at, "Unused limits", "max_unavailable and max_surge limit rolling updates, and with strategy on_delete nothing rolls by itself. Remove them.")}
		}
		return nil
	}
	surge := tf.NumberOr(r.MaxSurge, defaultMaxSurge)
	if surge == 0 && tf.NumberOr(r.MaxUnavailable, defaultMaxUnavailable) == 0 {
		return []composite.Finding{fault(at, "A rollout that cannot move", "max_unavailable and max_surge are both 0, so no host could ever be replaced. Set max_unavailable = 1.")}
	}
	if surge == 0 || m.Hosts.IsNull() || !hostsKnown(m) || !sizeKnown(m, e) {
		return nil
	}
	if spare := int64(len(e.active())) - e.largest(m); surge > spare {
		return []composite.Finding{fault(at.AtName("max_surge"), "No host to surge to", "max_surge is %d and %d hosts are beyond the size of the pool. During a rollout a Machine would wait for a host without end, and could never be deleted again. Set max_surge to at most %d, or have more hosts than replicas.", surge, spare, max(spare, 0))}
	}
	return nil
}

// drainEnds: for Cluster API, no time is for ever.
func drainEnds(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	for name, d := range map[string]interface{ ValueString() string }{"timeout": e.drain.Timeout, "volume_detach_timeout": e.drain.VolumeDetachTimeout, "node_deletion_timeout": e.drain.NodeDeletionTimeout} {
		if text := d.ValueString(); text != "" && isZero(text) {
			out = append(out, warning(path.Root("drain").AtName(name), "Waits for ever", "drain.%s is %s, which means for ever to Cluster API: one pod or volume that stays keeps its host, and with it a rollout or the destroy, without end.", name, text))
		}
	}
	slices.SortFunc(out, func(a, b composite.Finding) int { return compareText(a.Path.String(), b.Path.String()) })
	return out
}
