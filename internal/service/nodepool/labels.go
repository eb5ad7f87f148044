package nodepool

import (
	"maps"
	"slices"
	"strings"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Labels of nodes that this provider sets, and the prefixes with a meaning of their own.
const (
	labelPool          = "k0smos.io/node-pool"
	labelSite          = "k0smos.io/site"
	labelRegion        = "topology.kubernetes.io/region"
	labelZone          = "topology.kubernetes.io/zone"
	labelSchedulerPool = "kai.scheduler/node-pool"

	hostPrefix = "node.cluster.x-k8s.io/"
	labelHost  = hostPrefix + "k0smos-host"

	rolePrefix        = "node-role.kubernetes.io/"
	restrictionDomain = "node-restriction.kubernetes.io"
	nodeDomain        = "node.cluster.x-k8s.io"
)

// nodeLabels are the labels of every node of the pool. What follows from other attributes goes before what the user wrote:
// checks refuse to say both.
func nodeLabels(m Model, e effective) map[string]string {
	out := textsOf(m.Labels)
	maps.Copy(out, providedLabels(m, e))
	return out
}

// providedLabels are those that follow from other attributes.
func providedLabels(m Model, e effective) map[string]string {
	out := map[string]string{}
	for key, value := range map[string]string{
		labelPool: e.name, labelSite: e.site.Name.ValueString(), labelRegion: e.site.Region.ValueString(), labelZone: e.site.Zone.ValueString(),
		labelSchedulerPool: m.SchedulerPool.ValueString(),
	} {
		if value != "" {
			out[key] = value
		}
	}
	if e.hasGPU {
		maps.Copy(out, gpuNodeLabels(e.gpu))
	}
	return out
}

// rolledLabels are the labels by which a node is told how to partition its cards. They belong to a template and never reach a
// node that runs: it would partition under the feet of its pods.
func rolledLabels(e effective) map[string]string {
	if !e.hasGPU {
		return nil
	}
	out := gpuNodeLabels(e.gpu)
	for key := range gpuSelector(e.gpu) {
		delete(out, key)
	}
	return out
}

// hostLabels are the labels of one host, as its object has them.
func (e effective) hostLabels(key string) map[string]string {
	out := map[string]string{labelHost: hostName(e.site.Name.ValueString(), key)}
	for k, v := range textsOf(e.hosts[key].Labels) {
		out[hostPrefix+k] = v
	}
	return out
}

func hostName(site, key string) string { return site + "." + key }

// synced tells the labels that Cluster API carries from a Machine to its node. They may be ones that a node must not set itself.
func synced(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return strings.HasPrefix(key, rolePrefix) ||
		domain == restrictionDomain || strings.HasSuffix(domain, "."+restrictionDomain) ||
		domain == nodeDomain || strings.HasSuffix(domain, "."+nodeDomain)
}

// divide separates the labels that go through Machines from those that a node joins with.
func divide(labels map[string]string) (throughMachines, joined map[string]string) {
	throughMachines, joined = map[string]string{}, map[string]string{}
	for key, value := range labels {
		if synced(key) {
			throughMachines[key] = value
		} else {
			joined[key] = value
		}
	}
	return throughMachines, joined
}

// selfSet are the labels below kubernetes.io that the kubelet may set on its own node, by the list of the NodeRestriction
// admission plugin and of the kubelet itself. Those that it sets anyway are not for the user to change.
var selfSet = []string{
	labelRegion, labelZone, "failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone",
	"node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type",
}

// selfSettable tells whether a node may join with a label.
func selfSettable(key string) bool {
	domain, _, found := strings.Cut(key, "/")
	if !found {
		return true
	}
	if domain != "kubernetes.io" && domain != "k8s.io" && !strings.HasSuffix(domain, ".kubernetes.io") && !strings.HasSuffix(domain, ".k8s.io") {
		return true
	}
	for _, free := range []string{"kubelet.kubernetes.io", "node.kubernetes.io"} {
		if domain == free || strings.HasSuffix(domain, "."+free) {
			return true
		}
	}
	return slices.Contains(selfSet, key)
}

// pairs writes labels as the arguments of k0s do, in order. Keys and values were checked: none has a character that means
// something to a shell.
func pairs(labels map[string]string) string {
	out := make([]string, 0, len(labels))
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		out = append(out, key+"="+labels[key])
	}
	return strings.Join(out, ",")
}

// taint is one taint of a node.
type taint struct{ key, value, effect string }

// String is the taint as kubectl and the arguments of k0s have it.
func (t taint) String() string { return t.key + "=" + t.value + ":" + t.effect }

// taintsOf lists the taints of the pool's nodes by key.
func taintsOf(m Model) []taint {
	var out []taint
	for _, key := range m.Taints.Keys() {
		if t, ok := m.Taints.Known()[key].Get(); ok {
			out = append(out, taint{key, t.Value.ValueString(), tf.TextOr(t.Effect, defaultEffect)})
		}
	}
	return out
}
