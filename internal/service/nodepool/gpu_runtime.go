package nodepool

import (
	"fmt"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// containerd2Since is the first k0s with containerd 2, which refuses drop-ins of the older form, as the older one does those of
// the newer.
var containerd2Since = tf.K0sVersion{Major: 1, Minor: 36}

// containerdPath is where k0s looks for drop-ins. The GPU operator's toolkit writes the same file, so that a host that goes from
// one to the other keeps no second opinion.
const containerdPath = "/etc/k0s/containerd.d/nvidia.toml"

// containerdDropIn is the file that makes the runtime handler nvidia known to containerd where the host brings the toolkit. AMD
// needs none, and with runtime operator the operator writes its own.
func containerdDropIn(g GPU, v tf.K0sVersion) (path, content string, ok bool) {
	if g.Vendor.ValueString() != vendorNVIDIA || g.Runtime.ValueString() != runtimeHost {
		return "", "", false
	}
	version, plugin := 2, "io.containerd.grpc.v1.cri"
	if v.AtLeast(containerd2Since) {
		version, plugin = 3, "io.containerd.cri.v1.runtime"
	}
	return containerdPath, fmt.Sprintf(`version = %d
[plugins.%q.containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  [plugins.%q.containerd.runtimes.nvidia.options]
    BinaryName = "/usr/bin/nvidia-container-runtime"
`, version, plugin, plugin), true
}

// gpuFingerprintOf is what of a gpu decides over a host: a change of it takes a rollout. Defaults are left out, so that writing one
// down changes nothing.
type gpuFingerprintOf struct {
	Vendor   string `json:"vendor,omitempty"`
	Runtime  string `json:"runtime,omitempty"`
	Mode     string `json:"mode,omitempty"`
	Profile  string `json:"profile,omitempty"`
	Strategy string `json:"strategy,omitempty"`
	Config   string `json:"config,omitempty"`
	Replicas int64  `json:"replicas,omitempty"`
}

// gpuFingerprint returns it for the pool's fingerprint.
func gpuFingerprint(g GPU) any {
	c := cardsOf(g)
	out := gpuFingerprintOf{Vendor: c.vendor, Profile: c.profile, Config: c.config, Replicas: c.replicas}
	if c.mode != modeNone {
		out.Mode = c.mode
	}
	if c.strategy != strategySingle {
		out.Strategy = c.strategy
	}
	if c.runtime != runtimeOperator && c.vendor != vendorAMD {
		out.Runtime = c.runtime
	}
	return out
}
