package nodepool

import (
	"fmt"
	"maps"
	"slices"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// pooled is the gpu of one pool, under the name that a function's argument gives it.
type pooled struct {
	name  string
	cards cards
}

// poolsOf reads the argument pools: a map or a list of values for the attribute gpu, or of objects that have one. Pools without
// GPUs, and those of the other vendor, are left out, so that all pools of a cluster can be given to both functions.
func poolsOf(argument any, vendor string) ([]pooled, error) {
	named := map[string]any{}
	switch pools := argument.(type) {
	case nil:
	case map[string]any:
		named = pools
	case []any:
		for i, p := range pools {
			named[fmt.Sprintf("%03d", i)] = p
		}
	default:
		return nil, fmt.Errorf("pools must be a map or a list of values for the attribute gpu of node pools, for example { quebec = local.quebec_gpu }")
	}
	var out []pooled
	for _, name := range slices.Sorted(maps.Keys(named)) {
		value := named[name]
		if whole, ok := value.(map[string]any); ok {
			if gpu, has := whole["gpu"]; has {
				value = gpu
			}
		}
		if value == nil {
			continue
		}
		said, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("pools[%q] is no object: each must be the value of the attribute gpu of a node pool, for example { vendor = \"nvidia\", model = \"H200\", per_node = 8 }", name)
		}
		g, err := gpuFrom(said)
		if err != nil {
			return nil, fmt.Errorf("pools[%q]: %w", name, err)
		}
		if c := cardsOf(g); c.vendor == vendor {
			out = append(out, pooled{name, c})
		}
	}
	return out, nil
}

// gpuFrom reads a gpu from plain values, and is as strict as the resource.
func gpuFrom(said map[string]any) (GPU, error) {
	r := tf.Reader{Said: said}
	g := GPU{Vendor: r.Text("vendor"), Model: r.Text("model"), PerNode: r.Number("per_node"), Runtime: r.Text("runtime"), Memory: tf.NullQuantity(), Partitioning: tf.NullObject[Partitioning]()}
	if memory := r.Text("memory"); !memory.IsNull() {
		if _, err := tf.ParseQuantity(memory.ValueString()); err != nil {
			return g, fmt.Errorf("memory: %w", err)
		}
		g.Memory = tf.QuantityOf(memory.ValueString())
	}
	if parts := r.Object("partitioning"); parts != nil {
		p := tf.Reader{Said: parts}
		g.Partitioning = tf.ObjectOf(Partitioning{Mode: p.Text("mode"), Profile: p.Text("profile"), Strategy: p.Text("strategy"), Config: p.Text("config"), Replicas: p.Number("replicas")})
		if err := p.Done("partitioning"); err != nil {
			return g, err
		}
	}
	if err := r.Done("gpu"); err != nil {
		return g, err
	}
	if v := g.Vendor.ValueString(); v != vendorNVIDIA && v != vendorAMD {
		return g, fmt.Errorf("vendor is %q; it must be nvidia or amd", v)
	}
	return g, nil
}
