package nodepool

import (
	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

var (
	vendors = []tf.Choice{{Value: vendorNVIDIA, Meaning: "cards of NVIDIA"}, {Value: vendorAMD, Meaning: "Instinct cards of AMD"}}
	modes   = []tf.Choice{
		{Value: modeNone, Meaning: "one device per card"},
		{Value: modeMIG, Meaning: "NVIDIA's instances, each with its own compute slices and memory, by `profile` or `config`"},
		{Value: modeTimeSlicing, Meaning: "NVIDIA: each card is offered `replicas` times, and pods take turns with nothing between their memories"},
		{Value: modeMPS, Meaning: "NVIDIA: each card is offered `replicas` times, with an equal part of memory and compute each"},
		{Value: modeAMDPartition, Meaning: "AMD's compute and memory partitions, by `profile` or `config`"},
	}
	strategies = []tf.Choice{
		{Value: strategySingle, Meaning: "all devices of the host are equal and are offered as `nvidia.com/gpu` or `amd.com/gpu`"},
		{Value: strategyMixed, Meaning: "devices are offered by what they are, as `nvidia.com/mig-1g.10gb` or `amd.com/cpx_nps4`"},
	}
	runtimes = []tf.Choice{
		{Value: runtimeOperator, Meaning: "the GPU operator installs driver and toolkit and configures containerd; the pool ships no file of its own"},
		{Value: runtimeHost, Meaning: "driver and `nvidia-container-toolkit` are on the host already; the pool ships the drop-in `/etc/k0s/containerd.d/nvidia.toml` in the form that the k0s version takes, and tells the operator to leave both alone"},
	}
)

// gpuAttribute is the attribute gpu of a pool.
func gpuAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[GPU](),
		MarkdownDescription: "What cards each host has, all hosts alike, and how pods get at them. Left out: a pool without GPUs, for system pods. " +
			"Device plugins come with a GPU operator: the functions `nvidia_gpu_operator` and `amd_gpu_operator` make the `helm` of the control plane, with the configurations that the partitionings of the pools point at.",
		Attributes: map[string]schema.Attribute{
			"vendor": schema.StringAttribute{Required: true, Validators: []validator.String{tf.OneOf(vendors...)},
				MarkdownDescription: "Who makes the cards: `nvidia` or `amd`. Nodes get it as label `k0smos.io/gpu-vendor`. A change replaces the hosts one by one."},
			"model": schema.StringAttribute{Required: true, Validators: []validator.String{stringvalidator.LengthBetween(1, 63)},
				MarkdownDescription: "Name of the card, such as `A100-80GB`, `H200`, `MI300X`, or as the vendor's tools print it; 1 to 63 characters. Nodes get it as label `k0smos.io/gpu-model`. By it, and `memory` where the name leaves that open, the provider knows which MIG profiles and partitions are possible. A change reaches running nodes and replaces none."},
			"per_node": schema.Int64Attribute{Required: true, Validators: []validator.Int64{int64validator.Between(1, 128)},
				MarkdownDescription: "Cards in each host, 1 to 128. It is what `gpu_capacity` and the scaling hints count with; a change replaces nothing."},
			"memory": schema.StringAttribute{Optional: true, CustomType: tf.QuantityType{}, Validators: []validator.String{tf.PositiveQuantity()},
				MarkdownDescription: "Memory of one card in bytes, a Kubernetes quantity such as `80Gi`. Default: what `model` says, or not known. A change replaces nothing."},
			"partitioning": partitioningAttribute(),
			"runtime": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(runtimes...)},
				MarkdownDescription: "Who brings driver and container toolkit of NVIDIA. " + tf.Choices(runtimes...) + " AMD needs no runtime of its own, and the value has no effect there. A change replaces the hosts one by one."},
		}}
}

func partitioningAttribute() schema.SingleNestedAttribute {
	return schema.SingleNestedAttribute{Optional: true, CustomType: tf.ObjectTypeOf[Partitioning](),
		MarkdownDescription: "How each card becomes several devices. Nodes join with the labels that MIG manager, device plugin and device config manager read. Left out: one device per card. " +
			"A change replaces the hosts one by one, each drained first, and a warning tells what becomes of resource names and counts, since quotas are written in these.",
		Attributes: map[string]schema.Attribute{
			"mode": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(modes...)},
				MarkdownDescription: tf.Choices(modes...) + " A change replaces the hosts one by one."},
			"profile": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthBetween(1, 40)},
				MarkdownDescription: "With `mig`: the profile that every card is cut into, as often as it fits, such as `1g.10gb`, `1g.10gb+me` or `3g.40gb` (label `nvidia.com/mig.config`, value `all-1g.10gb`). " +
					"With `amd_partition`: compute and memory mode of every card, such as `cpx_nps4`; `CPX/NPS4` means the same, and without a memory mode it is `NPS1` (label `dcm.amd.com/gpu-config-profile`, value `cpx_nps4_all`). " +
					"Default: none; one of `profile` and `config` is needed with these modes. A change replaces the hosts one by one."},
			"strategy": schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(strategies...)},
				MarkdownDescription: "Under which names the devices of `mig` and `amd_partition` are offered. " + tf.Choices(strategies...) + " AMD's device plugin has one strategy per cluster. A change replaces the hosts one by one."},
			"config": schema.StringAttribute{Optional: true, Validators: []validator.String{stringvalidator.LengthBetween(1, 63)},
				MarkdownDescription: "Name of a configuration instead of what the provider would name: of the MIG manager with `mig` (`all-balanced`, or one of your own, for instances of several kinds), of NVIDIA's device plugin with `time_slicing` and `mps`, of AMD's device config manager with `amd_partition`. " +
					"It must be the value of a label, at most 63 characters, and stand in the operator's ConfigMap; `nvidia_gpu_operator` and `amd_gpu_operator` put it there. With one of your own, `gpu_capacity` is known only as far as `replicas` says it. Default: none. A change replaces the hosts one by one."},
			"replicas": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.Between(2, 1000)},
				MarkdownDescription: "With `time_slicing` and `mps`: how often each card is offered, 2 to 1000 (label `nvidia.com/device-plugin.config`, value `time-slicing-4` or `mps-4`). Needed there, unless `config` is given; refused elsewhere. A change replaces the hosts one by one."},
		}}
}
