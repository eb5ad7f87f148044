package nodepool

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// gpuWords words findings as path: summary, warnings marked.
func gpuWords(t *testing.T, findings []composite.Finding) []string {
	t.Helper()
	var out []string
	for _, f := range findings {
		sentence(t, f)
		mark := ""
		if f.Warning {
			mark = "warning: "
		}
		out = append(out, fmt.Sprintf("%s%s: %s", mark, strings.TrimPrefix(f.Path.String(), "gpu."), f.Summary))
	}
	return out
}

func TestCardsAreCheckedBeforeAHostIsDrainedForThem(t *testing.T) {
	nvidia := func(c card) card { c.vendor, c.model, c.perNode = "nvidia", "A100-80GB", 8; return c }
	amd := func(c card) card { c.vendor, c.model, c.perNode = "amd", "MI300X", 8; return c }
	named := func(c card, model, memory string) card { c.model, c.memory = model, memory; return c }
	for name, c := range map[string]struct {
		gpu  card
		pool string // scheduler_pool
		want []string
	}{
		"whole cards are fine":                      {nvidia(card{}), "a", nil},
		"a profile is fine":                         {nvidia(card{mode: "mig", profile: "1g.10gb"}), "a", nil},
		"mixed is fine":                             {nvidia(card{mode: "mig", profile: "3g.40gb", strategy: "mixed"}), "a", nil},
		"balanced is fine where it is mixed":        {nvidia(card{mode: "mig", config: "all-balanced", strategy: "mixed"}), "", nil},
		"a configuration of the user's is fine":     {nvidia(card{mode: "mig", config: "mine"}), "", nil},
		"shares are fine":                           {nvidia(card{mode: "time_slicing", replicas: 4}), "", nil},
		"shares by a configuration are fine":        {nvidia(card{mode: "mps", config: "mine"}), "", nil},
		"partitions are fine":                       {amd(card{mode: "amd_partition", profile: "cpx_nps4"}), "a", nil},
		"partitions by a configuration are fine":    {amd(card{mode: "amd_partition", config: "mine"}), "a", nil},
		"AMD has no MIG":                            {amd(card{mode: "mig", profile: "1g.10gb"}), "", []string{"partitioning.mode: Not a mode of this vendor"}},
		"AMD has no time slicing":                   {amd(card{mode: "time_slicing", replicas: 2}), "", []string{"partitioning.mode: Not a mode of this vendor"}},
		"NVIDIA has no partitions of AMD":           {nvidia(card{mode: "amd_partition", profile: "cpx"}), "", []string{"partitioning.mode: Not a mode of this vendor"}},
		"MIG needs a profile":                       {nvidia(card{mode: "mig"}), "", []string{"partitioning.profile: Missing profile"}},
		"a profile and a configuration are two":     {nvidia(card{mode: "mig", profile: "1g.10gb", config: "x"}), "", []string{"partitioning.profile: Profile and config"}},
		"no profile at all":                         {nvidia(card{mode: "mig", profile: "1g"}), "", []string{"partitioning.profile: Not a MIG profile"}},
		"a profile spelled as a label":              {nvidia(card{mode: "mig", profile: "1g.10gb.me"}), "", []string{"partitioning.profile: Not a MIG profile"}},
		"a profile of another card":                 {nvidia(card{mode: "mig", profile: "1g.5gb"}), "", []string{"partitioning.profile: Impossible profile"}},
		"a configuration of another card's profile": {nvidia(card{mode: "mig", config: "all-1g.18gb"}), "", []string{"partitioning.profile: Impossible profile"}},
		"a profile of two cards":                    {named(nvidia(card{mode: "mig", profile: "1g.10gb"}), "A100", ""), "", []string{"memory: Which card?"}},
		"two cards that are told apart":             {named(nvidia(card{mode: "mig", profile: "1g.10gb"}), "A100", "80Gi"), "", nil},
		"a card that is not known":                  {named(nvidia(card{mode: "mig", profile: "1g.10gb"}), "Z9000", ""), "", []string{"warning: model: Instances of this card are not known"}},
		"balanced instances are not equal":          {nvidia(card{mode: "mig", config: "all-balanced"}), "", []string{"partitioning.strategy: Instances that differ"}},
		"a configuration must be a label":           {nvidia(card{mode: "mig", config: "my config"}), "", []string{"partitioning.config: Not the value of a label"}},
		"shares need a count":                       {nvidia(card{mode: "mps"}), "", []string{"partitioning.replicas: Missing replicas"}},
		"replicas need a mode":                      {nvidia(card{replicas: 4}), "", []string{"partitioning.replicas: Unused replicas"}},
		"replicas with MIG do nothing":              {nvidia(card{mode: "mig", profile: "1g.10gb", replicas: 4}), "", []string{"partitioning.replicas: Unused replicas"}},
		"a profile needs a mode":                    {nvidia(card{profile: "1g.10gb"}), "", []string{"partitioning.profile: Unused profile"}},
		"a strategy needs a mode":                   {nvidia(card{mode: "mps", replicas: 2, strategy: "mixed"}), "", []string{"partitioning.strategy: Unused strategy"}},
		"a configuration needs a mode":              {nvidia(card{config: "x"}), "", []string{"partitioning.config: Unused config"}},
		"partitions need a profile":                 {amd(card{mode: "amd_partition"}), "", []string{"partitioning.profile: Missing profile"}},
		"no partition at all":                       {amd(card{mode: "amd_partition", profile: "1g.10gb"}), "", []string{"partitioning.profile: Not a partition"}},
		"eight dies do not go into three":           {amd(card{mode: "amd_partition", profile: "tpx"}), "", []string{"partitioning.profile: Impossible partition"}},
		"one device has one memory domain":          {amd(card{mode: "amd_partition", profile: "SPX/NPS4"}), "", []string{"partitioning.profile: Impossible partition"}},
		"an older card of AMD":                      {named(amd(card{mode: "amd_partition", profile: "cpx"}), "MI250X", ""), "", []string{"partitioning.mode: Card without partitions"}},
		"a newer card of AMD":                       {named(amd(card{mode: "amd_partition", profile: "cpx"}), "MI999", ""), "", []string{"warning: model: Partitions of this card are not known"}},
		"KAI and time slices share twice":           {nvidia(card{mode: "time_slicing", replicas: 4}), "a", []string{"warning: partitioning.mode: Shared twice"}},
		"KAI does not see media instances":          {nvidia(card{mode: "mig", profile: "1g.10gb+me", strategy: "mixed"}), "a", []string{"warning: partitioning.profile: Not counted by KAI"}},
		"KAI does not see mixed partitions":         {amd(card{mode: "amd_partition", profile: "cpx", strategy: "mixed"}), "a", []string{"warning: partitioning.strategy: Not counted by KAI"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := Model{GPU: tf.ObjectOf(c.gpu.gpu())}
			if c.pool != "" {
				m.SchedulerPool = types.StringValue(c.pool)
			}
			var got []string
			for _, check := range gpuChecks {
				got = append(got, gpuWords(t, check(m))...)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestAPoolWithoutGPUsIsNotChecked(t *testing.T) {
	for name, m := range map[string]Model{"none": {}, "not known yet": {GPU: tf.UnknownObject[GPU]()}} {
		for _, check := range gpuChecks {
			if got := check(m); len(got) > 0 {
				t.Errorf("%s: %v", name, got)
			}
		}
	}
}

func TestWhatIsNotKnownYetIsNotWrong(t *testing.T) {
	g := card{vendor: "nvidia", model: "A100-80GB", perNode: 8}.gpu()
	g.Partitioning = tf.ObjectOf(Partitioning{Mode: types.StringValue("mig"), Profile: types.StringUnknown()})
	for _, check := range gpuChecks {
		if got := check(Model{GPU: tf.ObjectOf(g)}); len(got) > 0 {
			t.Errorf("%v", got)
		}
	}
}

func TestAChangeOfDevicesSaysWhatBecomesOfQuotas(t *testing.T) {
	whole := card{vendor: "nvidia", model: "A100-80GB", perNode: 8}
	mig := whole
	mig.mode, mig.profile, mig.strategy = "mig", "1g.10gb", "mixed"
	slices := whole
	slices.mode, slices.replicas = "time_slicing", 4
	fewer := whole
	fewer.perNode = 4
	custom := whole
	custom.mode, custom.config = "mig", "mine"
	renamed := whole
	renamed.model = "A100 80GB"
	for name, c := range map[string]struct {
		was, now *card
		want     []string // words of the warning; none means no warning
	}{
		"whole cards into instances":       {&whole, &mig, []string{"8 nvidia.com/gpu now", "56 nvidia.com/mig-1g.10gb after", "Pods that ask for nvidia.com/gpu find it in this pool no more"}},
		"instances into whole cards":       {&mig, &whole, []string{"56 nvidia.com/mig-1g.10gb now", "8 nvidia.com/gpu after"}},
		"time slices keep the name":        {&whole, &slices, []string{"8 nvidia.com/gpu now", "32 nvidia.com/gpu after"}},
		"fewer cards":                      {&whole, &fewer, []string{"8 nvidia.com/gpu now", "4 nvidia.com/gpu after"}},
		"a configuration that is not ours": {&whole, &custom, []string{"devices that the provider cannot tell"}},
		"no cards any more":                {&whole, nil, []string{"no devices"}},
		"another spelling of the model":    {&whole, &renamed, nil},
		"no change":                        {&custom, &custom, nil},
		"cards where there were none":      {nil, &whole, nil},
	} {
		t.Run(name, func(t *testing.T) {
			model := func(c *card) Model {
				if c == nil {
					return Model{}
				}
				return Model{GPU: tf.ObjectOf(c.gpu())}
			}
			var got []composite.Finding
			for _, transition := range gpuTransitions {
				got = append(got, transition(model(c.was), model(c.now))...)
			}
			if len(got) != min(len(c.want), 1) {
				t.Fatalf("got %v", got)
			}
			for _, f := range got {
				sentence(t, f)
				for _, words := range c.want {
					if !strings.Contains(f.Detail, words) {
						t.Errorf("%q lacks %q", f.Detail, words)
					}
				}
				if !f.Warning {
					t.Error("it is no warning")
				}
			}
		})
	}
}
