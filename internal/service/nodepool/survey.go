package nodepool

import (
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/controlplane"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/infrastructure"
	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// mostBehind is how many minor versions a node may be older than its control plane, by the skew policy of Kubernetes.
const mostBehind = 3

// related are the control plane of the cluster, and the hosts of all pools everywhere: one host may be listed in several.
func related(m Model) []composite.Query {
	e := effectiveOf(m)
	if e.namespace == "" || e.cluster.Name.ValueString() == "" {
		return nil
	}
	out := []composite.Query{{Kind: controlplane.K0smotronControlPlaneKind, Namespace: e.namespace, Selector: clusterapi.ClusterNameLabel + "=" + e.cluster.Name.ValueString()}}
	if !e.foreign {
		out = append(out, composite.Query{Kind: infrastructure.PooledRemoteMachineKind})
	}
	return out
}

func survey(m Model, live composite.Live) []composite.Finding {
	return append(versionFits(m, live), hostsElsewhere(m, live)...)
}

// versionFits: a node may not be newer than its control plane, which the operator does not check.
func versionFits(m Model, live composite.Live) []composite.Finding {
	wanted, ok := m.Version.Get()
	if !ok {
		return nil
	}
	var out []composite.Finding
	for _, plane := range composite.All[controlplane.K0smotronControlPlane](live, controlplane.K0smotronControlPlaneKind) {
		runs, err := tf.ParseVersion(plane.Spec.Version)
		if err != nil {
			continue
		}
		at := path.Root("version")
		switch behind := wanted.MinorsUpTo(runs); {
		case wanted.Major == runs.Major && wanted.Minor == runs.Minor && wanted.Patch > runs.Patch || behind < 0:
			out = append(out, fault(at, "Newer than the control plane", "The pool would run %s, and its control plane %s runs %s. Nodes may not be newer: upgrade the control plane first. With version = k0smos_hosted_control_plane.<name>.version the order is right by itself.", wanted, plane.Name, runs))
		case behind > mostBehind:
			out = append(out, fault(at, "Too old for the control plane", "The pool would run %s, which is %d minor versions older than %s of its control plane %s. Kubernetes supports at most %d.", wanted, behind, runs, plane.Name, mostBehind))
		}
	}
	return out
}

// hostsElsewhere warns of hosts that are listed in another pool as well. One that is in use there is waited for.
func hostsElsewhere(m Model, live composite.Live) []composite.Finding {
	e := effectiveOf(m)
	others := elsewhere(e, live)
	var out []composite.Finding
	for _, key := range e.active() {
		here := place(e.hosts[key].Address.ValueString(), e.port(e.hosts[key]))
		for _, other := range others[here] {
			at := path.Root("hosts").AtMapKey(key)
			if other.Status.Reserved {
				out = append(out, warning(at, "A host that another pool holds", "%s is in use as %s by pool %s in namespace %s. The apply waits until it is released there: remove it there, or set it to drain.", here, other.Name, other.Spec.Pool, other.Namespace))
			} else {
				out = append(out, warning(at, "A host that is listed elsewhere, too", "%s is also the host %s of pool %s in namespace %s. Whichever pool takes it second breaks the first. Remove it from one of them.", here, other.Name, other.Spec.Pool, other.Namespace))
			}
		}
	}
	return out
}

// elsewhere finds the hosts of other pools by the place where they answer.
func elsewhere(e effective, live composite.Live) map[string][]infrastructure.PooledRemoteMachine {
	own := map[string]bool{}
	for key := range e.hosts {
		own[e.objectName(key)] = true
	}
	out := map[string][]infrastructure.PooledRemoteMachine{}
	for _, host := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		if host.Namespace == e.namespace && (own[host.Name] || host.Spec.Pool == e.name) {
			continue
		}
		port := int64(host.Spec.Machine.Port)
		if port == 0 {
			port = defaultPort
		}
		here := place(host.Spec.Machine.Address, port)
		out[here] = append(out[here], host)
	}
	return out
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
