package controlplane

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var transitions = []composite.Transition[Model]{oneMinorUp, fixedInK0s, etcdGrows, keysStay, membersRestart}

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
			"k0s goes from %s to %s: the members of the control plane are replaced one by one. With one member the API server is away for about a minute. Nodes keep running, and follow when their pools' version is raised.", was, now)}}
	}
}

// fixedInK0s refuses what a running k0s cannot change. A replacement would reset every host, so it is never planned.
func fixedInK0s(prior, plan Model) []composite.Finding {
	a, b := effectiveOf(prior), effectiveOf(plan)
	var out []composite.Finding
	for _, f := range []struct {
		at       path.Path
		was, now any
		value    attr.Value
	}{
		{path.Root("expose").AtName("type"), a.exposeType, b.exposeType, b.expose.Type},
		{path.Root("expose").AtName("api_port"), a.apiPort, b.apiPort, b.expose.APIPort},
		{path.Root("expose").AtName("konnectivity_port"), a.konnectivityPort, b.konnectivityPort, b.expose.KonnectivityPort},
		{path.Root("network").AtName("provider"), a.provider, b.provider, b.network.Provider},
		{path.Root("network").AtName("pod_cidr"), a.podCIDR, b.podCIDR, b.network.PodCIDR},
		{path.Root("network").AtName("service_cidr"), a.serviceCIDR, b.serviceCIDR, b.network.ServiceCIDR},
		{path.Root("network").AtName("cluster_domain"), a.clusterDomain, b.clusterDomain, b.network.ClusterDomain},
		{path.Root("storage").AtName("type"), a.storageType, b.storageType, b.storage.Type},
		{path.Root("storage").AtName("etcd").AtName("storage_class"), a.etcd.StorageClass.ValueString(), b.etcd.StorageClass.ValueString(), b.etcd.StorageClass},
	} {
		if f.was == f.now || f.value.IsUnknown() || plan.Expose.IsUnknown() || plan.Network.IsUnknown() || plan.Storage.IsUnknown() {
			continue
		}
		out = append(out, fault(f.at, f.at.String()+" cannot change", fmt.Sprintf(
			"It is %v in the running cluster and %v in the configuration, and k0s cannot change it. A replacement is not planned, because it would reset every host.\n\n"+
				"Keep %v; or make a second k0smos_hosted_control_plane of another name with the new value, move the node pools to it one by one, and destroy this one.", f.was, f.now, f.was)))
	}
	if address := b.expose.ExternalAddress; !address.IsUnknown() && a.expose.ExternalAddress.ValueString() != address.ValueString() {
		out = append(out, composite.Finding{Path: path.Root("expose").AtName("external_address"), Warning: true, Summary: "Nodes keep the old address",
			Detail: fmt.Sprintf("Nodes that have joined go on dialling %q. Keep it reachable until every pool has been rolled.", a.expose.ExternalAddress.ValueString())})
	}
	was, errWas := tf.ParseQuantity(a.size)
	now, errNow := tf.ParseQuantity(b.size)
	if errWas == nil && errNow == nil && !b.etcd.Size.IsUnknown() && now.Cmp(was) < 0 {
		out = append(out, fault(path.Root("storage").AtName("etcd").AtName("size"), "Volumes cannot shrink", fmt.Sprintf("Each etcd volume has %s, and %s is smaller. Keep %s or more.", a.size, b.size, a.size)))
	}
	return out
}

// etcdGrows: the operator never takes an etcd member away.
func etcdGrows(prior, plan Model) []composite.Finding {
	was, now := numberOr(prior.Replicas, defaultReplicas), numberOr(plan.Replicas, defaultReplicas)
	if plan.Replicas.IsUnknown() || now >= was || effectiveOf(plan).storageType != storageEtcd {
		return nil
	}
	return []composite.Finding{{Path: path.Root("replicas"), Warning: true, Summary: "etcd stays as large as it is", Detail: fmt.Sprintf(
		"The control plane goes from %d members to %d, but k0smotron never removes an etcd member: %d stay, with their volumes.", was, now, was+(1-was%2))}}
}

// keysStay: the configuration reaches the running cluster as a merge patch, which removes nothing.
func keysStay(prior, plan Model) []composite.Finding {
	if plan.K0sConfig.IsUnknown() {
		return nil
	}
	was, _ := object(prior.K0sConfig.ValueString())
	now, _ := object(plan.K0sConfig.ValueString())
	removed := removedKeys(was, now, "")
	if len(removed) == 0 {
		return nil
	}
	slices.Sort(removed)
	return []composite.Finding{{Path: path.Root("k0s_config"), Warning: true, Summary: "Removed keys stay in the cluster", Detail: fmt.Sprintf(
		"k0smotron merges the configuration into the running cluster, so a key that is removed here keeps its last value there: %v. To undo a setting, set it to its default instead.", removed)}}
}

func removedKeys(was, now map[string]any, at string) []string {
	var out []string
	for k, v := range was {
		here := at + k
		after, there := now[k]
		if !there {
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
	var out []composite.Finding
	for name, moved := range map[string]bool{
		"placement": !plan.Placement.IsUnknown() && !prior.Placement.Equal(plan.Placement),
		"resources": !plan.Resources.IsUnknown() && !prior.Resources.Equal(plan.Resources),
	} {
		if moved {
			out = append(out, composite.Finding{Path: path.Root(name), Warning: true, Summary: "Restarts the control plane",
				Detail: "A change of " + name + " replaces the members of the control plane one by one. With one member the API server is away for about a minute."})
		}
	}
	return out
}
