package scheduling

import (
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/int64validator"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// Resources that GPUs are offered as.
const (
	NVIDIAGPU = "nvidia.com/gpu"
	AMDGPU    = "amd.com/gpu"
	MIGPrefix = "nvidia.com/mig-" // with the profile behind it
)

// PoolRef is what departments and queues want to know of a scheduling pool: its attribute ref.
type PoolRef struct {
	Name     types.String `tfsdk:"name"`
	Engine   types.String `tfsdk:"engine"`
	NodePool types.String `tfsdk:"node_pool"` // value of the node label
	Resource types.String `tfsdk:"resource"`  // that GPUs are offered as
	Capacity types.Int64  `tfsdk:"capacity"`  // of that resource in all nodes
}

// PoolRefAttributes is the schema of a reference to a scheduling pool that the user may also write by hand.
func PoolRefAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"name":      schema.StringAttribute{Optional: true, MarkdownDescription: "Name of the scheduling pool, on Kueue that of its ResourceFlavor. Default: `node_pool`."},
		"engine":    schema.StringAttribute{Optional: true, Validators: []validator.String{tf.OneOf(Engines...)}, MarkdownDescription: "Engine of the scheduling pool; it must be the one of this resource. Unset: taken to be."},
		"node_pool": schema.StringAttribute{Required: true, Validators: []validator.String{tf.DNSLabel(63)}, MarkdownDescription: "Value of the node label `" + LabelNodePool + "` that makes the pool."},
		"resource":  schema.StringAttribute{Optional: true, MarkdownDescription: TextResource},
		"capacity":  schema.Int64Attribute{Optional: true, Validators: []validator.Int64{int64validator.AtLeast(0)}, MarkdownDescription: TextCapacity},
	}
}

// Texts of attributes that several resources have.
const (
	TextResource = "What the GPUs of the pool are offered as: `" + NVIDIAGPU + "`, `" + AMDGPU + "` or a MIG profile such as `" + MIGPrefix + "3g.40gb`."
	TextCapacity = "How many devices of `resource` all nodes of the pool offer together, usually from `gpu_capacity` of the node pool; quotas above it are found in the plan. Unset: not checked."
)

// MIGSlices is how many GPUs one device of a resource counts as on KAI, which counts the compute slices of MIG profiles: 3 for
// nvidia.com/mig-3g.40gb, and 0 for profiles with a suffix, which it does not know. What is no MIG profile counts as one.
func MIGSlices(resource string) int64 {
	profile, ok := strings.CutPrefix(resource, MIGPrefix)
	if !ok {
		return 1
	}
	slices, memory, ok := strings.Cut(profile, "g.")
	n, number := digits(slices)
	size, gigabytes := strings.CutSuffix(memory, "gb")
	if _, plain := digits(size); !ok || !number || !gigabytes || !plain {
		return 0
	}
	return n
}

func digits(text string) (int64, bool) {
	if text == "" || len(text) > 4 {
		return 0, false
	}
	var n int64
	for _, r := range text {
		if r < '0' || r > '9' {
			return 0, false
		}
		n = n*10 + int64(r-'0')
	}
	return n, true
}
