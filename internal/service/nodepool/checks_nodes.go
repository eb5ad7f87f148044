package nodepool

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
)

// labelsAllowed refuses what a node cannot get, or gets from elsewhere.
func labelsAllowed(m Model) []composite.Finding {
	provided := providedLabels(m, effectiveOf(m))
	var out []composite.Finding
	for _, key := range m.Labels.Keys() {
		at := path.Root("labels").AtMapKey(key)
		domain, _, _ := strings.Cut(key, "/")
		_, ours := provided[key]
		switch {
		case domain == "k0smos.io" || key == labelHost:
			out = append(out, fault(at, "A label of the provider's", "%s is set by the provider, from the pool, its site, its hosts or its GPUs. Choose another key.", key))
		case partitionLabel(key):
			out = append(out, fault(at, "A label that partitions cards", "%s tells an operator in the cluster how to partition or drive the cards of a node, at once and under the feet of its pods. Say it by gpu.partitioning or gpu.runtime, which replaces hosts one by one.", key))
		case ours:
			out = append(out, fault(at, "A label that an attribute sets", "%s follows from another attribute of this pool: its site, scheduler_pool or gpu. Remove it here.", key))
		case key == "machine-template-hash" || domain == "cluster.x-k8s.io" || strings.HasSuffix(domain, ".cluster.x-k8s.io") && !synced(key) || domain == "k0smotron.io" || strings.HasSuffix(domain, ".k0smotron.io"):
			out = append(out, fault(at, "A label of Cluster API's", "%s belongs to Cluster API or k0smotron, which find their objects by it. Choose another key.", key))
		case !synced(key) && !selfSettable(key):
			out = append(out, fault(at, "A label that no node can get", "Kubernetes does not let a node set %s on itself, and Cluster API does not set it either. "+
				"Allowed: keys with a domain of your own, node.kubernetes.io/..., topology.kubernetes.io/region and zone, and by Cluster API node-role.kubernetes.io/..., node-restriction.kubernetes.io/... and node.cluster.x-k8s.io/.... "+
				"A label for the objects alone belongs into default_labels of the provider.", key))
		}
	}
	return out
}

// siteLabelsFit: what names a site or a pool becomes a label value.
func siteLabelsFit(m Model) []composite.Finding {
	e := effectiveOf(m)
	var out []composite.Finding
	for _, v := range []struct {
		at    path.Path
		value string
		label string
	}{
		{path.Root("site").AtName("name"), e.site.Name.ValueString(), labelSite},
		{path.Root("site").AtName("region"), e.site.Region.ValueString(), labelRegion},
		{path.Root("site").AtName("zone"), e.site.Zone.ValueString(), labelZone},
		{path.Root("scheduler_pool"), m.SchedulerPool.ValueString(), labelSchedulerPool},
	} {
		if len(validation.IsValidLabelValue(v.value)) > 0 {
			out = append(out, fault(v.at, "Not a label value", "%q becomes the node label %s. Allowed: at most %d letters, digits, -, _ and ., beginning and ending with a letter or digit.", v.value, v.label, longestLabel))
		}
	}
	return out
}

func taintsAllowed(m Model) []composite.Finding {
	var out []composite.Finding
	for _, key := range m.Taints.Keys() {
		at := path.Root("taints").AtMapKey(key)
		domain, _, _ := strings.Cut(key, "/")
		switch {
		case len(validation.IsQualifiedName(key)) > 0:
			out = append(out, fault(at, "Not a taint key", "%q is not a valid key of a taint. Allowed: a name of at most 63 letters, digits, -, _ and . that begins and ends with a letter or digit, and before it, optionally, a DNS name and a slash. Example: \"nvidia.com/gpu\".", key))
		case domain == "node.kubernetes.io" || domain == "node.cluster.x-k8s.io" || domain == "node.cloudprovider.kubernetes.io":
			out = append(out, fault(at, "A taint of Kubernetes'", "%s is set and removed by Kubernetes or Cluster API while a node runs. Choose another key.", key))
		}
		t, ok := m.Taints.Known()[key].Get()
		if ok && given(t.Value) && len(validation.IsValidLabelValue(t.Value.ValueString())) > 0 {
			out = append(out, fault(at.AtName("value"), "Not a taint value", "%q is not a valid value of a taint. Allowed: at most %d letters, digits, -, _ and ., beginning and ending with a letter or digit, or nothing at all.", t.Value.ValueString(), longestLabel))
		}
	}
	return out
}
