package nodepool

import (
	"maps"

	"github.com/hashicorp/terraform-plugin-framework-nettypes/cidrtypes"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/api/clusterapi"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// derive fills what follows from the configuration.
func derive(m, prior *Model) {
	m.Labels, m.found.labels = withFound(m.Labels, m.found.labels), nil
	e := effectiveOf(*m)
	m.Templates = templatesOf(*m, prior)
	m.NodeSelector = selectorOf(*m, e)
	m.GPUCapacity = capacityOf(*m, e)
	m.Scaling = scalingOf(*m, e, uidOf(*m, prior))
}

// withFound adds labels that an import found to those that it read.
func withFound(labels tf.Map[types.String], found map[string]string) tf.Map[types.String] {
	if len(found) == 0 {
		return labels
	}
	out := map[string]types.String{}
	for key, value := range found {
		out[key] = types.StringValue(value)
	}
	maps.Copy(out, labels.Known())
	return tf.MapOf(out)
}

func selectorOf(m Model, e effective) tf.Map[types.String] {
	if m.GPU.IsUnknown() || m.Name.IsUnknown() || e.gpu.Vendor.IsUnknown() || e.gpu.Model.IsUnknown() {
		return tf.UnknownMap[types.String]()
	}
	out := map[string]types.String{labelPool: types.StringValue(e.name)}
	if e.hasGPU {
		for key, value := range gpuSelector(e.gpu) {
			out[key] = types.StringValue(value)
		}
	}
	return tf.MapOf(out)
}

// sizeKnown tells whether the largest size of the pool can be told.
func sizeKnown(m Model, e effective) bool {
	switch {
	case m.Autoscaling.IsUnknown() || m.Replicas.IsUnknown() || e.scaled && e.autoscaling.Max.IsUnknown():
		return false
	case e.scaled || given(m.Replicas):
		return true
	}
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

// capacityOf is null where nobody can tell: a card that is not known here, or a partitioning of the user's own.
func capacityOf(m Model, e effective) tf.Map[types.Int64] {
	switch {
	case m.GPU.IsUnknown() || !tf.Settled(m.GPU) || !sizeKnown(m, e):
		return tf.UnknownMap[types.Int64]()
	case !e.hasGPU:
		return tf.EmptyMap[types.Int64]()
	}
	perNode := gpuCapacityPerNode(e.gpu)
	if perNode == nil {
		return tf.NullMap[types.Int64]()
	}
	out := map[string]types.Int64{}
	for name, n := range perNode {
		out[name] = types.Int64Value(n * e.largest(m))
	}
	return tf.MapOf(out)
}

// uidOf is the UID of the MachineDeployment, for as long as it is the same one.
func uidOf(m Model, prior *Model) types.String {
	if prior == nil {
		return types.StringUnknown()
	}
	was, ok := prior.Scaling.Get()
	if !ok || was.UID.IsNull() || !was.Name.Equal(m.Name) || !was.Namespace.Equal(namespaceOf(m)) {
		return types.StringUnknown()
	}
	object := clusterapi.MachineDeploymentKind.Kind + "/" + was.Namespace.ValueString() + "/" + was.Name.ValueString()
	for _, d := range prior.Drift.Known() {
		if entry, ok := d.Get(); ok && entry.Field.ValueString() == "" && entry.Object.ValueString() == object {
			return types.StringUnknown() // it is missing and will be made anew
		}
	}
	return was.UID
}

func scalingOf(m Model, e effective, uid types.String) tf.Object[Scaling] {
	out := Scaling{Namespace: namespaceOf(m), Name: m.Name, UID: uid, Min: types.Int64Unknown(), Max: types.Int64Unknown(), By: types.StringUnknown()}
	switch {
	case m.Autoscaling.IsUnknown():
	case e.scaled:
		out.Min, out.Max, out.By = e.autoscaling.Min, e.autoscaling.Max, e.autoscaling.By
		if e.autoscaling.By.IsNull() {
			out.By = types.StringValue(byClusterAutoscaler)
		}
	default:
		out.By = types.StringNull()
		if sizeKnown(m, e) {
			out.Min = types.Int64Value(e.replicas(m))
			out.Max = out.Min
		}
	}
	return tf.ObjectOf(out)
}

func prefixOf(text string) tf.IPPrefix { return cidrtypes.NewIPPrefixValue(text) }
