package nodepool

import (
	"slices"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

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
	return slices.Concat(versionFits(m, live), entriesOfOthers(m, live), hostsElsewhere(m, live))
}

// versionFits: a node may not be newer than its control plane, which the operator does not check.
func versionFits(m Model, live composite.Live) []composite.Finding {
	wanted, ok := m.Version.Get()
	if !ok {
		return nil
	}
	var out []composite.Finding
	for _, plane := range composite.All[controlplane.K0smotronControlPlane](live, controlplane.K0smotronControlPlaneKind) {
		declared, err := tf.ParseVersion(plane.Spec.Version)
		if err != nil {
			continue
		}
		runs := declared // until it runs what is declared, it runs what it says
		if status, err := tf.ParseVersion(runningVersion(live, plane.Namespace, plane.Name)); err == nil && status.Compare(runs) < 0 {
			runs = status
		}
		at := path.Root("version")
		switch behind := wanted.MinorsUpTo(declared); {
		case wanted.Major == runs.Major && wanted.Minor == runs.Minor && wanted.Patch > runs.Patch || wanted.MinorsUpTo(runs) < 0:
			out = append(out, fault(at, "Newer than the control plane", "The pool would run %s, and its control plane %s runs %s. Nodes may not be newer: unless this apply upgrades the control plane first, upgrade it. With version = k0smos_hosted_control_plane.<name>.version the order is right by itself.", wanted, plane.Name, runs))
		case behind > mostBehind:
			out = append(out, fault(at, "Too old for the control plane", "The pool would run %s, which is %d minor versions older than %s of its control plane %s. Kubernetes supports at most %d.", wanted, behind, declared, plane.Name, mostBehind))
		}
	}
	return out
}

// runningVersion is what a control plane says that it runs.
func runningVersion(live composite.Live, namespace, name string) string {
	for _, o := range live {
		if o.GetKind() == controlplane.K0smotronControlPlaneKind.Kind && o.GetNamespace() == namespace && o.GetName() == name {
			version, _, _ := unstructured.NestedString(o.Object, "status", "version")
			return version
		}
	}
	return ""
}

// entriesOfOthers: an entry that is in use and changes its pool is cleaned up by neither.
func entriesOfOthers(m Model, live composite.Live) []composite.Finding {
	e := effectiveOf(m)
	own := map[string]string{}
	for _, key := range e.active() {
		own[e.objectName(key)] = key
	}
	var out []composite.Finding
	for _, host := range composite.All[infrastructure.PooledRemoteMachine](live, infrastructure.PooledRemoteMachineKind) {
		key, ours := own[host.Name]
		if ours && !e.foreign && host.Namespace == e.namespace && host.Status.Reserved && host.Spec.Pool != "" && host.Spec.Pool != e.name {
			out = append(out, fault(path.Root("hosts").AtMapKey(key), "A host that is in use by another pool", "Its PooledRemoteMachine %s is reserved in pool %s, for Machine %s. Taking it over now would leave a node behind that nobody cleans up. Remove the host there first and wait until it is released, or choose another key or object_name.", host.Name, host.Spec.Pool, host.Status.MachineRef.Name))
		}
	}
	return out
}

// hostsElsewhere warns of hosts that are listed in another pool as well. One that is in use there is waited for.
func hostsElsewhere(m Model, live composite.Live) []composite.Finding {
	e := effectiveOf(m)
	others := listedElsewhere(e, live)
	var out []composite.Finding
	for _, key := range e.active() {
		here := place(e.hosts[key].Address.ValueString(), e.port(e.hosts[key]))
		for _, other := range others[here] {
			at := path.Root("hosts").AtMapKey(key)
			if e.jobbed {
				out = append(out, warning(at, "An address that is listed elsewhere, too", "%s is also the host %s of pool %s in namespace %s. Behind different bastions these are two hosts, and nothing is waited for. If it is one, remove it from one of the pools: whichever takes it second breaks the first.", here, other.Name, other.Spec.Pool, other.Namespace))
				continue
			}
			if other.Status.Reserved {
				out = append(out, warning(at, "A host that another pool holds", "%s is in use as %s by pool %s in namespace %s. The apply waits until it is released there: remove it there, or set it to drain.", here, other.Name, other.Spec.Pool, other.Namespace))
			} else {
				out = append(out, warning(at, "A host that is listed elsewhere, too", "%s is also the host %s of pool %s in namespace %s. Whichever pool takes it second breaks the first. Remove it from one of them.", here, other.Name, other.Spec.Pool, other.Namespace))
			}
		}
	}
	return out
}

// elsewhere finds the hosts of other pools that are certainly the same. Behind bastions the same address may be another host.
func elsewhere(e effective, live composite.Live) map[string][]infrastructure.PooledRemoteMachine {
	if e.jobbed {
		return nil
	}
	return listedElsewhere(e, live)
}

// listedElsewhere finds the hosts of other pools by the place where they answer.
func listedElsewhere(e effective, live composite.Live) map[string][]infrastructure.PooledRemoteMachine {
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
