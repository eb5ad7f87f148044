package nodepool

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"
	"pgregory.net/rapid"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// card is a gpu as a test writes it; what is empty is null.
type card struct {
	vendor, model, memory           string
	perNode                         int64
	mode, profile, strategy, config string
	replicas                        int64
	runtime                         string
}

func (c card) gpu() GPU {
	text := func(s string) types.String {
		if s == "" {
			return types.StringNull()
		}
		return types.StringValue(s)
	}
	number := func(n int64) types.Int64 {
		if n == 0 {
			return types.Int64Null()
		}
		return types.Int64Value(n)
	}
	g := GPU{Vendor: text(c.vendor), Model: text(c.model), PerNode: number(c.perNode), Memory: tf.NullQuantity(), Runtime: text(c.runtime), Partitioning: tf.NullObject[Partitioning]()}
	if c.memory != "" {
		g.Memory = tf.QuantityOf(c.memory)
	}
	if c.mode != "" || c.profile != "" || c.strategy != "" || c.config != "" || c.replicas != 0 {
		g.Partitioning = tf.ObjectOf(Partitioning{Mode: text(c.mode), Profile: text(c.profile), Strategy: text(c.strategy), Config: text(c.config), Replicas: number(c.replicas)})
	}
	return g
}

// shown writes a map in order.
func shown[V any](m map[string]V) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%s=%v", k, m[k]))
	}
	return strings.Join(out, " ")
}

func TestCapacityOfAHostCountsInstancesAndReplicas(t *testing.T) {
	mig := func(model, memory, profile, strategy, config string) card {
		return card{vendor: "nvidia", model: model, memory: memory, perNode: 8, mode: "mig", profile: profile, strategy: strategy, config: config}
	}
	amd := func(model, profile, strategy string) card {
		return card{vendor: "amd", model: model, perNode: 8, mode: "amd_partition", profile: profile, strategy: strategy}
	}
	for name, c := range map[string]struct {
		gpu  card
		want string // empty: cannot be told
	}{
		"whole cards of NVIDIA":   {card{vendor: "nvidia", model: "A100-80GB", perNode: 8}, "nvidia.com/gpu=8"},
		"whole cards of AMD":      {card{vendor: "amd", model: "MI300X", perNode: 8}, "amd.com/gpu=8"},
		"mode none says the same": {card{vendor: "amd", model: "MI300X", perNode: 8, mode: "none"}, "amd.com/gpu=8"},
		"time slices":             {card{vendor: "nvidia", model: "T4", perNode: 2, mode: "time_slicing", replicas: 4}, "nvidia.com/gpu=8"},
		"shares of MPS":           {card{vendor: "nvidia", model: "T4", perNode: 2, mode: "mps", replicas: 10}, "nvidia.com/gpu=20"},
		"a configuration of the user's without replicas": {card{vendor: "nvidia", model: "T4", perNode: 2, mode: "mps", config: "mine"}, ""},
		"a configuration of the user's with replicas":    {card{vendor: "nvidia", model: "T4", perNode: 2, mode: "mps", config: "mine", replicas: 3}, "nvidia.com/gpu=6"},
		"MIG single counts instances as GPUs":            {mig("A100-80GB", "", "1g.10gb", "", ""), "nvidia.com/gpu=56"},
		"MIG mixed names the profile":                    {mig("A100-80GB", "", "3g.40gb", "mixed", ""), "nvidia.com/mig-3g.40gb=16"},
		"media engines are a dot in the resource":        {mig("H100-80GB", "", "1g.10gb+me", "mixed", ""), "nvidia.com/mig-1g.10gb.me=8"},
		"the same profile, the smaller card":             {mig("A100-40GB", "", "1g.10gb", "mixed", ""), "nvidia.com/mig-1g.10gb=32"},
		"memory tells cards of one name apart":           {mig("A100", "40Gi", "1g.10gb", "mixed", ""), "nvidia.com/mig-1g.10gb=32"},
		"memory in powers of ten does as well":           {mig("A100", "80G", "1g.10gb", "mixed", ""), "nvidia.com/mig-1g.10gb=56"},
		"a profile of one card only needs no memory":     {mig("A100", "", "3g.40gb", "mixed", ""), "nvidia.com/mig-3g.40gb=16"},
		"without memory the profile is of two cards":     {mig("A100", "", "1g.10gb", "mixed", ""), ""},
		"the name as a tool prints it":                   {mig("NVIDIA-H100-80GB-HBM3", "", "2g.20gb", "mixed", ""), "nvidia.com/mig-2g.20gb=24"},
		"H200":                                           {mig("H200", "", "1g.18gb", "mixed", ""), "nvidia.com/mig-1g.18gb=56"},
		"B200":                                           {mig("NVIDIA B200", "", "1g.23gb", "mixed", ""), "nvidia.com/mig-1g.23gb=56"},
		"A30 has four slices":                            {mig("A30", "", "1g.6gb", "mixed", ""), "nvidia.com/mig-1g.6gb=32"},
		"a workstation card with graphics":               {mig("RTX PRO 6000 Blackwell", "", "1g.24gb+gfx", "mixed", ""), "nvidia.com/mig-1g.24gb.gfx=32"},
		"an unknown card":                                {mig("Z9000", "", "1g.10gb", "mixed", ""), ""},
		"an impossible profile":                          {mig("A100-80GB", "", "5g.10gb", "mixed", ""), ""},
		"a configuration named after a profile":          {mig("A100-80GB", "", "", "mixed", "all-1g.10gb.me"), "nvidia.com/mig-1g.10gb.me=8"},
		"the balanced configuration":                     {mig("H200", "", "", "mixed", "all-balanced"), "nvidia.com/mig-1g.18gb=16 nvidia.com/mig-2g.35gb=8 nvidia.com/mig-3g.71gb=8"},
		"the balanced configuration cannot be single":    {mig("H200", "", "", "single", "all-balanced"), ""},
		"the configuration that cuts nothing":            {mig("H200", "", "", "mixed", "all-disabled"), "nvidia.com/gpu=8"},
		"a MIG configuration of the user's":              {mig("H200", "", "", "mixed", "mine"), ""},
		"AMD single counts partitions as GPUs":           {amd("MI300X", "CPX/NPS4", ""), "amd.com/gpu=64"},
		"AMD mixed names the partition":                  {amd("MI300X", "cpx_nps4", "mixed"), "amd.com/cpx_nps4=64"},
		"a partition without memory mode":                {amd("MI325X", "DPX", "mixed"), "amd.com/dpx_nps1=16"},
		"six dies":                                       {amd("AMD Instinct MI300A", "cpx_nps1", ""), "amd.com/gpu=48"},
		"six dies in three":                              {amd("MI300A", "tpx", ""), "amd.com/gpu=24"},
		"eight dies do not go into three":                {amd("MI300X", "tpx", ""), ""},
		"more memory domains than devices":               {amd("MI300X", "dpx_nps4", ""), ""},
		"a card of AMD that is not known, by its die":    {amd("MI999", "cpx", ""), ""},
		"a card of AMD that is not known, in two":        {amd("MI999", "dpx", ""), "amd.com/gpu=16"},
		"a mode of the other vendor":                     {card{vendor: "amd", model: "MI300X", perNode: 8, mode: "mps", replicas: 2}, ""},
		"no cards":                                       {card{vendor: "nvidia", model: "A30"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shown(gpuCapacityPerNode(c.gpu.gpu())); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNodesJoinWithTheLabelsThatOperatorsRead(t *testing.T) {
	for name, c := range map[string]struct {
		gpu  card
		want string
	}{
		"whole cards":                    {card{vendor: "nvidia", model: "A100-80GB", perNode: 8}, "k0smos.io/gpu-model=A100-80GB k0smos.io/gpu-vendor=nvidia"},
		"a name with spaces":             {card{vendor: "nvidia", model: "RTX PRO 6000 (Blackwell)", perNode: 8}, "k0smos.io/gpu-model=RTX-PRO-6000-Blackwell k0smos.io/gpu-vendor=nvidia"},
		"the host's own driver":          {card{vendor: "nvidia", model: "H200", perNode: 8, runtime: "host"}, "k0smos.io/gpu-model=H200 k0smos.io/gpu-vendor=nvidia nvidia.com/gpu.deploy.container-toolkit=false nvidia.com/gpu.deploy.driver=false"},
		"AMD has no runtime":             {card{vendor: "amd", model: "MI300X", perNode: 8, runtime: "host"}, "k0smos.io/gpu-model=MI300X k0smos.io/gpu-vendor=amd"},
		"MIG single":                     {card{vendor: "nvidia", model: "H200", perNode: 8, mode: "mig", profile: "1g.18gb"}, "k0smos.io/gpu-model=H200 k0smos.io/gpu-vendor=nvidia nvidia.com/mig.config=all-1g.18gb"},
		"MIG mixed":                      {card{vendor: "nvidia", model: "H200", perNode: 8, mode: "mig", profile: "1g.18gb+me", strategy: "mixed"}, "k0smos.io/gpu-model=H200 k0smos.io/gpu-vendor=nvidia nvidia.com/device-plugin.config=mig-mixed nvidia.com/mig.config=all-1g.18gb.me"},
		"MIG by a configuration":         {card{vendor: "nvidia", model: "H200", perNode: 8, mode: "mig", config: "halves"}, "k0smos.io/gpu-model=H200 k0smos.io/gpu-vendor=nvidia nvidia.com/mig.config=halves"},
		"time slices":                    {card{vendor: "nvidia", model: "T4", perNode: 1, mode: "time_slicing", replicas: 4}, "k0smos.io/gpu-model=T4 k0smos.io/gpu-vendor=nvidia nvidia.com/device-plugin.config=time-slicing-4"},
		"shares of MPS":                  {card{vendor: "nvidia", model: "T4", perNode: 1, mode: "mps", replicas: 4}, "k0smos.io/gpu-model=T4 k0smos.io/gpu-vendor=nvidia nvidia.com/device-plugin.config=mps-4"},
		"time slices by a configuration": {card{vendor: "nvidia", model: "T4", perNode: 1, mode: "time_slicing", config: "mine"}, "k0smos.io/gpu-model=T4 k0smos.io/gpu-vendor=nvidia nvidia.com/device-plugin.config=mine"},
		"partitions of AMD":              {card{vendor: "amd", model: "MI300X", perNode: 8, mode: "amd_partition", profile: "CPX/NPS4"}, "dcm.amd.com/gpu-config-profile=cpx_nps4_all k0smos.io/gpu-model=MI300X k0smos.io/gpu-vendor=amd"},
		"partitions by a configuration":  {card{vendor: "amd", model: "MI300X", perNode: 8, mode: "amd_partition", config: "halves"}, "dcm.amd.com/gpu-config-profile=halves k0smos.io/gpu-model=MI300X k0smos.io/gpu-vendor=amd"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shown(gpuNodeLabels(c.gpu.gpu())); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

func TestContainerdGetsADropInOfItsOwnVersion(t *testing.T) {
	const v2 = `version = 2
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.nvidia.options]
    BinaryName = "/usr/bin/nvidia-container-runtime"
`
	const v3 = `version = 3
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
    BinaryName = "/usr/bin/nvidia-container-runtime"
`
	for name, c := range map[string]struct {
		vendor, runtime, version, want string
	}{
		"before 1.36 the old form":        {"nvidia", "host", "v1.35.7+k0s.0", v2},
		"from 1.36 the new form":          {"nvidia", "host", "v1.36.0+k0s.0", v3},
		"nothing where the operator does": {"nvidia", "operator", "v1.36.0+k0s.0", ""},
		"the operator is the default":     {"nvidia", "", "v1.36.0+k0s.0", ""},
		"nothing for AMD":                 {"amd", "host", "v1.36.0+k0s.0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			version, err := tf.ParseVersion(c.version)
			if err != nil {
				t.Fatal(err)
			}
			path, content, ok := containerdDropIn(card{vendor: c.vendor, model: "H200", perNode: 8, runtime: c.runtime}.gpu(), version)
			if ok != (c.want != "") || content != c.want {
				t.Errorf("got %t:\n%s\nwant:\n%s", ok, content, c.want)
			}
			if ok && path != "/etc/k0s/containerd.d/nvidia.toml" {
				t.Errorf("the path is %s", path)
			}
		})
	}
}

func TestTheFingerprintMovesOnlyWithWhatChangesAHost(t *testing.T) {
	base := card{vendor: "nvidia", model: "A100-80GB", perNode: 8}
	with := func(change func(*card)) card {
		c := base
		change(&c)
		return c
	}
	for name, c := range map[string]struct {
		other card
		same  bool
	}{
		"defaults written down": {with(func(c *card) { c.runtime, c.mode = "operator", "none" }), true},
		"another name":          {with(func(c *card) { c.model = "A100" }), true},
		"another count":         {with(func(c *card) { c.perNode = 4 }), true},
		"memory":                {with(func(c *card) { c.memory = "80Gi" }), true},
		"another runtime":       {with(func(c *card) { c.runtime = "host" }), false},
		"partitioning":          {with(func(c *card) { c.mode, c.profile = "mig", "1g.10gb" }), false},
		"shares":                {with(func(c *card) { c.mode, c.replicas = "mps", 2 }), false},
	} {
		t.Run(name, func(t *testing.T) {
			if same := gpuFingerprint(base.gpu()) == gpuFingerprint(c.other.gpu()); same != c.same {
				t.Errorf("the same: %t, want %t", same, c.same)
			}
		})
	}
	if gpuFingerprint(card{vendor: "amd", mode: "amd_partition", profile: "CPX/NPS1"}.gpu()) != gpuFingerprint(card{vendor: "amd", mode: "amd_partition", profile: "cpx"}.gpu()) {
		t.Error("two spellings of one partition differ")
	}
}

func TestProfilesThatAreKnownFollowTheirGrammar(t *testing.T) {
	for _, card := range migCards {
		for profile, n := range card.profiles {
			if !migProfile.MatchString(profile) || n < 1 || n > 7 {
				t.Errorf("%v: %d of %q", card.names, n, profile)
			}
		}
		for profile, n := range card.balanced {
			if n > card.profiles[profile] {
				t.Errorf("%v: all-balanced has %d of %q, and %d fit", card.names, n, profile, card.profiles[profile])
			}
		}
	}
	for _, wrong := range []string{"", "1g.10gb.me", "9g.10gb", "1g.010gb", "1c.2g.20gb", "1g.10gb+", "1G.10GB", " 1g.10gb", "1g.10gb+gpu"} {
		if migProfile.MatchString(wrong) {
			t.Errorf("%q passes as a profile", wrong)
		}
	}
}

func TestNoGPUMakesCapacityNegativeOrPanics(t *testing.T) {
	word := func(t *rapid.T, name string, some ...string) types.String {
		switch rapid.IntRange(0, 9).Draw(t, name+" state") {
		case 0:
			return types.StringNull()
		case 1:
			return types.StringUnknown()
		case 2:
			return types.StringValue(rapid.String().Draw(t, name))
		}
		return types.StringValue(rapid.SampledFrom(some).Draw(t, name))
	}
	number := func(t *rapid.T, name string) types.Int64 {
		switch rapid.IntRange(0, 4).Draw(t, name+" state") {
		case 0:
			return types.Int64Null()
		case 1:
			return types.Int64Unknown()
		case 2:
			return types.Int64Value(rapid.Int64().Draw(t, name))
		}
		return types.Int64Value(rapid.Int64Range(1, 16).Draw(t, name))
	}
	version := tf.K0sVersion{Major: 1, Minor: 36}
	rapid.Check(t, func(t *rapid.T) {
		g := GPU{
			Vendor: word(t, "vendor", "nvidia", "amd"), Model: word(t, "model", "A100", "A100-80GB", "H100 94GB", "MI300X", "MI250", "x"),
			PerNode: number(t, "per_node"), Runtime: word(t, "runtime", "host", "operator"), Memory: tf.NullQuantity(),
			Partitioning: tf.ObjectOf(Partitioning{Mode: word(t, "mode", "none", "mig", "time_slicing", "mps", "amd_partition"),
				Profile: word(t, "profile", "1g.10gb", "7g.80gb", "cpx_nps4", "tpx", "spx/nps8"), Strategy: word(t, "strategy", "single", "mixed"),
				Config: word(t, "config", "all-balanced", "all-1g.10gb.me", "all-disabled", "all-"), Replicas: number(t, "replicas")}),
		}
		if rapid.Bool().Draw(t, "with memory") {
			g.Memory = tf.QuantityOf(rapid.SampledFrom([]string{"80Gi", "-1", "0", "8E", "1m", "what"}).Draw(t, "memory"))
		}
		for name, n := range gpuCapacityPerNode(g) {
			if n < 1 || name == "" {
				t.Fatalf("%d of %q", n, name)
			}
		}
		gpuNodeLabels(g)
		gpuFingerprint(g)
		containerdDropIn(g, version)
		m := Model{GPU: tf.ObjectOf(g), SchedulerPool: word(t, "scheduler_pool", "a")}
		for _, check := range gpuChecks {
			for _, f := range check(m) {
				sentence(t, f)
			}
		}
		for _, transition := range gpuTransitions {
			for _, f := range append(transition(Model{GPU: tf.ObjectOf(card{vendor: "nvidia", model: "H200", perNode: 8}.gpu())}, m), transition(m, Model{})...) {
				sentence(t, f)
			}
		}
	})
}

// sentence holds findings to what a user can act on.
func sentence(t interface{ Errorf(string, ...any) }, f composite.Finding) {
	if f.Summary == "" || len(f.Detail) < 40 || !strings.HasSuffix(f.Detail, ".") || f.Path.String() == "" {
		t.Errorf("finding %q at %s says %q", f.Summary, f.Path, f.Detail)
	}
}
