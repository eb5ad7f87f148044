package nodepool

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Values of the attributes of gpu.
const (
	vendorNVIDIA = "nvidia"
	vendorAMD    = "amd"

	modeNone         = "none"
	modeMIG          = "mig"
	modeTimeSlicing  = "time_slicing"
	modeMPS          = "mps"
	modeAMDPartition = "amd_partition"

	strategySingle = "single"
	strategyMixed  = "mixed"

	runtimeOperator = "operator"
	runtimeHost     = "host"
)

// Resources that device plugins offer.
const (
	nvidiaGPU = "nvidia.com/gpu"
	nvidiaMIG = "nvidia.com/mig-" // with the profile behind it
	amdGPU    = "amd.com/gpu"
	amdPrefix = "amd.com/" // with the partition behind it
)

// mostDevices bounds every count that is multiplied, so that nonsense cannot overflow.
const mostDevices = 1 << 20

// cards is a GPU with its defaults filled in and everything that is not known left empty.
type cards struct {
	vendor, model                   string
	perNode                         int64
	memory                          *resource.Quantity
	mode, profile, strategy, config string
	replicas                        int64
	runtime                         string

	known bool // nothing that decides over devices is unknown
}

func cardsOf(g GPU) cards {
	p, _ := g.Partitioning.Get()
	c := cards{
		vendor: g.Vendor.ValueString(), model: g.Model.ValueString(), perNode: g.PerNode.ValueInt64(),
		mode: p.Mode.ValueString(), profile: p.Profile.ValueString(), strategy: p.Strategy.ValueString(), config: p.Config.ValueString(),
		replicas: p.Replicas.ValueInt64(), runtime: g.Runtime.ValueString(),
		known: !g.Vendor.IsUnknown() && !g.Model.IsUnknown() && !g.PerNode.IsUnknown() && !g.Memory.IsUnknown() && partitioningKnown(g),
	}
	if q, ok := g.Memory.Get(); ok {
		c.memory = &q
	}
	if c.mode == "" {
		c.mode = modeNone
	}
	if c.strategy == "" {
		c.strategy = strategySingle
	}
	if c.runtime == "" {
		c.runtime = runtimeOperator
	}
	if c.mode == modeAMDPartition {
		if partition, ok := parsePartition(c.profile); ok {
			c.profile = partition.String() // one spelling of it
		}
	}
	return c
}

// partitioningKnown tells whether every part of the partitioning is known.
func partitioningKnown(g GPU) bool {
	p, _ := g.Partitioning.Get()
	return !g.Partitioning.IsUnknown() && !p.Mode.IsUnknown() && !p.Profile.IsUnknown() && !p.Strategy.IsUnknown() && !p.Config.IsUnknown() && !p.Replicas.IsUnknown()
}

// shared tells whether pods share whole cards.
func (c cards) shared() bool { return c.mode == modeTimeSlicing || c.mode == modeMPS }

// modelWord is a part of the name of a card: "A100" and "80GB" of "NVIDIA-A100-SXM4-80GB".
var modelWord = regexp.MustCompile(`[A-Z0-9]+`)

func modelWords(model string) []string {
	return modelWord.FindAllString(strings.ToUpper(model), -1)
}
