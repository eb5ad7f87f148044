package nodepool

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/api/core"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Labels that NVIDIA's feature discovery and AMD's node labeller set. With MIG mixed, the former sets the first three for each
// resource apart: nvidia.com/mig-1g.10gb.product.
const (
	suffixProduct = ".product"
	suffixMemory  = ".memory" // MiB
	suffixSharing = ".sharing-strategy"
	suffixShared  = ".shared" // of a resource whose shares have a name of their own

	labelAMDProduct = "amd.com/gpu.product-name"
	labelAMDMemory  = "amd.com/gpu.vram" // "192G", of 1024^3 bytes
	labelBeta       = "beta."            // where older node labellers put them
)

var (
	nvidiaResource = regexp.MustCompile(`^nvidia\.com/(gpu|mig-[1-8]g\.[0-9]+gb[a-z0-9.+-]*?)(\.shared)?$`)
	amdResource    = regexp.MustCompile(`^amd\.com/(gpu|[sdtqc]px_nps[1248])$`)
	amdMemory      = regexp.MustCompile(`^([0-9]{1,5})([GM])i?B?$`)
)

// vendorOf is who makes the devices of a resource, or empty if it is none of a GPU.
func vendorOf(resource string) string {
	switch {
	case nvidiaResource.MatchString(resource):
		return vendorNVIDIA
	case amdResource.MatchString(resource):
		return vendorAMD
	}
	return ""
}

// offer is what tells offerings apart.
type offer struct {
	site, pool, model, resource, vendor, product, memory, sharing, schedulerPool, region string
}

// tally is what is added up.
type tally struct{ nodes, ready, total, allocatable int64 }

// offersOf sums up the nodes.
func offersOf(nodes []core.Node) []Offering {
	counts := map[offer]tally{}
	for _, n := range nodes {
		usable := takesPods(n)
		for resource, total := range devicesOf(n) {
			key := offerOf(n, resource)
			c := counts[key]
			c.nodes++
			c.total += total
			if usable {
				c.ready++
				c.allocatable += countOf(n.Status.Allocatable, resource)
			}
			counts[key] = c
		}
	}
	keys := slices.SortedFunc(maps.Keys(counts), func(a, b offer) int {
		return cmp.Or(cmp.Compare(a.site, b.site), cmp.Compare(a.pool, b.pool), cmp.Compare(a.model, b.model), cmp.Compare(a.resource, b.resource),
			cmp.Compare(a.product, b.product), cmp.Compare(a.memory, b.memory), cmp.Compare(a.sharing, b.sharing), cmp.Compare(a.schedulerPool, b.schedulerPool), cmp.Compare(a.region, b.region), cmp.Compare(a.vendor, b.vendor))
	})
	var out []Offering
	for _, k := range keys {
		c := counts[k]
		memory := tf.NullQuantity()
		if k.memory != "" {
			memory = tf.QuantityOf(k.memory)
		}
		out = append(out, Offering{
			Vendor: types.StringValue(k.vendor), Model: tf.TextOrNull(k.model), Product: tf.TextOrNull(k.product), Memory: memory, Resource: types.StringValue(k.resource),
			Sharing: tf.TextOrNull(k.sharing), Pool: tf.TextOrNull(k.pool), SchedulerPool: tf.TextOrNull(k.schedulerPool), Site: tf.TextOrNull(k.site), Region: tf.TextOrNull(k.region),
			Nodes: types.Int64Value(c.nodes), ReadyNodes: types.Int64Value(c.ready), Total: types.Int64Value(c.total), Allocatable: types.Int64Value(c.allocatable),
		})
	}
	return out
}

// devicesOf are the devices of a node by resource. A device plugin leaves a resource at zero when its devices have become others,
// so zero counts only where there is nothing else and the labels promise cards.
func devicesOf(n core.Node) map[string]int64 {
	out := map[string]int64{}
	for resource := range n.Status.Capacity {
		if total := countOf(n.Status.Capacity, resource); total > 0 && vendorOf(resource) != "" {
			out[resource] = total
		}
	}
	if len(out) > 0 {
		return out
	}
	switch {
	case n.Labels[labelVendor] == vendorNVIDIA || n.Labels["nvidia.com/gpu.present"] == "true":
		out[nvidiaGPU] = 0
	case n.Labels[labelVendor] == vendorAMD || n.Labels["feature.node.kubernetes.io/amd-gpu"] == "true":
		out[amdGPU] = 0
	}
	return out
}

func offerOf(n core.Node, resource string) offer {
	o := offer{
		resource: resource, vendor: vendorOf(resource), model: n.Labels[labelModel],
		site: n.Labels[labelSite], pool: n.Labels[labelPool], schedulerPool: n.Labels[labelSchedulerPool], region: n.Labels[labelRegion],
	}
	if o.vendor == vendorNVIDIA {
		device := strings.TrimSuffix(resource, suffixShared)
		o.product = n.Labels[device+suffixProduct]
		if mib, err := strconv.ParseInt(n.Labels[device+suffixMemory], 10, 32); err == nil && mib > 0 {
			o.memory = strconv.FormatInt(mib, 10) + "Mi"
		}
		if sharing := n.Labels[device+suffixSharing]; sharing != "none" {
			o.sharing = sharing
		}
	} else {
		o.product = cmp.Or(n.Labels[labelAMDProduct], n.Labels[labelBeta+labelAMDProduct])
		if m := amdMemory.FindStringSubmatch(cmp.Or(n.Labels[labelAMDMemory], n.Labels[labelBeta+labelAMDMemory])); m != nil {
			o.memory = m[1] + m[2] + "i"
		}
	}
	if o.model == "" {
		o.model = o.product
	}
	return o
}

// takesPods tells whether the scheduler may use a node.
func takesPods(n core.Node) bool {
	return !n.Spec.Unschedulable && slices.ContainsFunc(n.Status.Conditions, func(c core.NodeCondition) bool { return c.Type == core.ConditionReady && c.Status == "True" })
}

// countOf is the number of devices of a resource; they are whole.
func countOf(list api.ResourceList, resource string) int64 {
	q, err := tf.ParseQuantity(list[resource].String())
	if err != nil || q.Sign() < 0 {
		return 0
	}
	return min(q.Value(), mostDevices)
}
