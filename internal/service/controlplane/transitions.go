package controlplane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var transitions = []composite.Transition[Model]{oneMinorUp, fixedInK0s, addressMoves, volumesGrow, etcdGrows, keysStay, membersRestart}

// oneMinorUp: the operator's webhook refuses more than one minor version up; it does not refuse to go down, which breaks
// the database.
func oneMinorUp(prior, plan Model) []composite.Finding {
	was, okWas := prior.Version.Get()
	now, okNow := plan.Version.Get()
	if !okWas || !okNow || was == now {
		return nil
	}
	at := path.Root("version")
	switch minors := was.MinorsUpTo(now); {
	case !now.AtLeast(was):
		return []composite.Finding{fault(at, "k0s cannot go back", fmt.Sprintf("The cluster runs %s, and %s is older. A downgrade is not supported by k0s and can lose data. Keep %s, or restore a backup into a new cluster.", was, now, was))}
	case minors > 1:
		return []composite.Finding{fault(at, "One minor version at a time", fmt.Sprintf("From %s to %s are %d minor versions; Kubernetes supports one per upgrade. Apply a %d.%d version first, then the nodes, then go on.", was, now, minors, was.Major, was.Minor+1))}
	default:
		return []composite.Finding{{Path: at, Warning: true, Summary: "Restarts the control plane", Detail: fmt.Sprintf(
			"k0s goes from %s to %s: the members of the control plane are replaced one by one. With one member the API server is away for about a minute. Nodes keep running, and follow when they are upgraded themselves.", was, now)}}
	}
}

// fixedInK0s refuses what a running k0s cannot change. A replacement would reset every host, so it is never planned.
func fixedInK0s(prior, plan Model) []composite.Finding {
	a, b := effectiveOf(prior), effectiveOf(plan)
	var out []composite.Finding
	refuse := func(at path.Path, was, now any, values ...attr.Value) bool {
		if was == now || slices.ContainsFunc(values, attr.Value.IsUnknown) {
			return false
		}
		out = append(out, fault(at, at.String()+" cannot change", fmt.Sprintf(
			"It is %v in the running cluster and %v in the configuration, and k0s cannot change it. A replacement is not planned, because it would reset every host.\n\n"+
				"Keep %v; or make a second k0smos_hosted_control_plane of another name with the new value, move the nodes to it one by one, and destroy this one.", orNone(was), orNone(now), orNone(was))))
		return true
	}
	expose, network, storage := path.Root("expose"), path.Root("network"), path.Root("storage")
	moved := refuse(expose.AtName("type"), a.exposeType, b.exposeType, plan.Expose, b.expose.Type)
	if !moved || given(b.expose.APIPort) { // the default port follows the type, and one finding is enough
		refuse(expose.AtName("api_port"), a.apiPort, b.apiPort, plan.Expose, b.expose.Type, b.expose.APIPort)
	}
	if !moved || given(b.expose.KonnectivityPort) {
		refuse(expose.AtName("konnectivity_port"), a.konnectivityPort, b.konnectivityPort, plan.Expose, b.expose.Type, b.expose.KonnectivityPort)
	}
	refuse(network.AtName("provider"), a.provider, b.provider, plan.Network, b.network.Provider)
	refuse(network.AtName("pod_cidr"), a.podCIDR, b.podCIDR, plan.Network, b.network.PodCIDR)
	refuse(network.AtName("service_cidr"), a.serviceCIDR, b.serviceCIDR, plan.Network, b.network.ServiceCIDR)
	refuse(network.AtName("cluster_domain"), a.clusterDomain, b.clusterDomain, plan.Network, b.network.ClusterDomain)
	refuse(storage.AtName("type"), a.storageType, b.storageType, plan.Storage, b.storage.Type)
	if a.storageType == storageEtcd && b.etcdForSure(plan) {
		refuse(storage.AtName("etcd").AtName("storage_class"), a.etcd.StorageClass.ValueString(), b.etcd.StorageClass.ValueString(), b.storage.Etcd, b.etcd.StorageClass)
	}
	return out
}

func orNone(v any) any {
	if v == "" {
		return "not set"
	}
	return v
}

// addressMoves: the address is in the kubeconfig of every node, and nobody rewrites those.
func addressMoves(prior, plan Model) []composite.Finding {
	a, b := effectiveOf(prior), effectiveOf(plan)
	was, now := a.expose.ExternalAddress, b.expose.ExternalAddress
	if plan.Expose.IsUnknown() || now.IsUnknown() || was.ValueString() == now.ValueString() {
		return nil
	}
	dialled := fmt.Sprintf("%q", was.ValueString())
	if was.ValueString() == "" {
		dialled = "the address of the load balancer"
	}
	return []composite.Finding{{Path: path.Root("expose").AtName("external_address"), Warning: true, Summary: "Nodes keep the old address",
		Detail: fmt.Sprintf("Nodes that have joined go on dialling %s. Keep it reachable until every node has been replaced or reconfigured.", dialled)}}
}

// volumesGrow: a volume claim may only grow.
func volumesGrow(prior, plan Model) []composite.Finding {
	a, b := effectiveOf(prior), effectiveOf(plan)
	if a.storageType != storageEtcd || !b.etcdForSure(plan) || b.storage.Etcd.IsUnknown() || b.etcd.Size.IsUnknown() {
		return nil
	}
	was, errWas := tf.ParseQuantity(a.size)
	now, errNow := tf.ParseQuantity(b.size)
	if errWas != nil || errNow != nil || now.Cmp(was) >= 0 {
		return nil
	}
	return []composite.Finding{fault(path.Root("storage").AtName("etcd").AtName("size"), "Volumes cannot shrink", fmt.Sprintf("Each etcd volume has %s, and %s is smaller. Keep %s or more.", a.size, b.size, a.size))}
}

// etcdGrows: the operator never takes an etcd member away.
func etcdGrows(prior, plan Model) []composite.Finding {
	was, now := tf.NumberOr(prior.Replicas, defaultReplicas), tf.NumberOr(plan.Replicas, defaultReplicas)
	if plan.Replicas.IsUnknown() || now >= was || !effectiveOf(plan).etcdForSure(plan) {
		return nil
	}
	return []composite.Finding{{Path: path.Root("replicas"), Warning: true, Summary: "etcd stays as large as it is", Detail: fmt.Sprintf(
		"The control plane goes from %d members to %d, but k0smotron never removes an etcd member: %d stay, with their volumes.", was, now, was+(1-was%2))}}
}

// keysStay: the configuration reaches the running cluster as a merge patch, which removes nothing.
func keysStay(prior, plan Model) []composite.Finding {
	var out []composite.Finding
	if !plan.K0sConfig.IsUnknown() {
		was, _ := object(prior.K0sConfig.ValueString())
		now, _ := object(plan.K0sConfig.ValueString())
		if removed := removedKeys(was, now, ""); len(removed) > 0 {
			slices.Sort(removed)
			out = append(out, composite.Finding{Path: path.Root("k0s_config"), Warning: true, Summary: "Removed keys stay in the cluster", Detail: fmt.Sprintf(
				"k0smotron merges the configuration into the running cluster, so a key that is removed here keeps its last value there: %s. To undo a setting, set it to its default instead.", strings.Join(removed, ", "))})
		}
	}
	a, b := effectiveOf(prior), effectiveOf(plan)
	if plan.Helm.IsUnknown() || b.helm.Charts.IsUnknown() || a.provider == networkCilium || plan.Network.IsUnknown() || b.network.Provider.IsUnknown() {
		return out
	}
	if releases := a.helm.Charts.Keys(); len(releases) > 0 && len(b.helm.Charts.Keys()) == 0 {
		out = append(out, composite.Finding{Path: path.Root("helm"), Warning: true, Summary: "The last charts stay in the cluster", Detail: fmt.Sprintf(
			"k0smotron merges the configuration into the running cluster, so with the last chart the whole list stays there as it was: %s. Uninstall with Helm in the hosted cluster what should go.", strings.Join(releases, ", "))})
	}
	return out
}

func removedKeys(was, now map[string]any, at string) []string {
	var out []string
	for k, v := range was {
		if v == nil {
			continue // it said nothing
		}
		here := at + k
		after := now[k]
		if after == nil {
			out = append(out, here)
			continue
		}
		before, isMap := v.(map[string]any)
		next, both := after.(map[string]any)
		if isMap && both {
			out = append(out, removedKeys(before, next, here+".")...)
		}
	}
	return out
}

// membersRestart says when a change of the pods themselves restarts them.
func membersRestart(prior, plan Model) []composite.Finding {
	a, b := effectiveOf(prior), effectiveOf(plan)
	var out []composite.Finding
	for _, part := range []struct {
		name     string
		value    attr.Value
		was, now any
	}{
		{"placement", plan.Placement, podsLike(a), podsLike(b)},
		{"resources", plan.Resources, resourcesOf(prior), resourcesOf(plan)},
	} {
		if tf.Settled(part.value) && !sameJSON(part.was, part.now) {
			out = append(out, composite.Finding{Path: path.Root(part.name), Warning: true, Summary: "Restarts the control plane",
				Detail: "A change of " + part.name + " replaces the members of the control plane one by one. With one member the API server is away for about a minute."})
		}
	}
	return out
}

// podsLike is what the placement makes of pods of whatever name.
func podsLike(e effective) any {
	return []any{texts(e.placement.NodeSelector), tolerationsOf(e.placement), spreadOf(Model{}, e, componentPlane)}
}
