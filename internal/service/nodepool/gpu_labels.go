package nodepool

import (
	"regexp"
	"strconv"
	"strings"
)

// Labels that say what a node is to get, and who reads them.
const (
	labelVendor = "k0smos.io/gpu-vendor"
	labelModel  = "k0smos.io/gpu-model"

	labelMIGConfig     = "nvidia.com/mig.config"                   // MIG manager: which instances to make
	labelPluginConfig  = "nvidia.com/device-plugin.config"         // device plugin and feature discovery: which configuration
	labelDeployDriver  = "nvidia.com/gpu.deploy.driver"            // GPU operator: whether it installs the driver
	labelDeployToolkit = "nvidia.com/gpu.deploy.container-toolkit" // GPU operator: whether it configures containerd
	labelAMDProfile    = "dcm.amd.com/gpu-config-profile"          // device config manager: how to partition
)

// gpuNodeLabels are the labels that a node of the pool joins with. What is not known is left out.
func gpuNodeLabels(g GPU) map[string]string {
	c := cardsOf(g)
	out := gpuSelector(g)
	if c.vendor == vendorNVIDIA && c.runtime == runtimeHost && !g.Runtime.IsUnknown() {
		// The host brings both; the operator must not put its own over them.
		out[labelDeployDriver], out[labelDeployToolkit] = "false", "false"
	}
	if !partitioningKnown(g) {
		return out
	}
	switch {
	case c.vendor == vendorNVIDIA && c.mode == modeMIG && (c.profile != "" || c.config != ""):
		out[labelMIGConfig] = migConfig(c)
		if c.strategy == strategyMixed {
			out[labelPluginConfig] = pluginConfig(c)
		}
	case c.vendor == vendorNVIDIA && c.shared() && (c.replicas > 0 || c.config != ""):
		out[labelPluginConfig] = pluginConfig(c)
	case c.vendor == vendorAMD && c.mode == modeAMDPartition && (c.profile != "" || c.config != ""):
		out[labelAMDProfile] = amdProfile(c)
	}
	return out
}

// gpuSelector are the labels that tell the nodes of this kind of card from others.
func gpuSelector(g GPU) map[string]string {
	out := map[string]string{}
	if v := g.Vendor.ValueString(); v != "" {
		out[labelVendor] = v
	}
	if m := labelValue(g.Model.ValueString()); m != "" {
		out[labelModel] = m
	}
	return out
}

// pluginConfig is the name of the device plugin's configuration. Names that follow from what they say need no agreement between
// the pool and the operator's chart.
func pluginConfig(c cards) string {
	switch {
	case c.mode == modeMIG:
		return "mig-" + c.strategy
	case c.config != "":
		return c.config
	case c.mode == modeMPS:
		return "mps-" + strconv.FormatInt(c.replicas, 10)
	}
	return "time-slicing-" + strconv.FormatInt(c.replicas, 10)
}

// amdProfile is the name of the device config manager's profile, like those that AMD's chart has.
func amdProfile(c cards) string {
	if c.config != "" {
		return c.config
	}
	return c.profile + "_all"
}

var notInLabels = regexp.MustCompile(`[^A-Za-z0-9._-]+`)

// labelValue makes a label value of a text.
func labelValue(text string) string {
	const longest = 63
	text = notInLabels.ReplaceAllString(text, "-")
	if len(text) > longest {
		text = text[:longest]
	}
	return strings.Trim(text, "._-")
}
