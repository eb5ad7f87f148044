package pool

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/k0smos/terraform-provider-k0smos/internal/composite"
	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// flags are those of KAI's scheduler that change how it works, with what they take
// (cmd/scheduler/app/options/options.go of v0.17.0).
var flags = map[string]func(string) string{
	"allow-consolidating-reclaim":     truth,
	"burst":                           whole,
	"cpu-worker-node-label-key":       anyText,
	"default-staleness-grace-period":  duration,
	"detailed-fit-errors":             truth,
	"enable-profiler":                 truth,
	"full-hierarchy-fairness":         truth,
	"gpu-worker-node-label-key":       anyText,
	"leader-elect":                    truth,
	"log-json":                        truth,
	"max-consolidation-preemptees":    whole,
	"mig-worker-node-label-key":       anyText,
	"num-of-status-recording-workers": whole,
	"qps":                             whole,
	"restrict-node-scheduling":        truth,
	"schedule-csi-storage":            truth,
	"schedule-period":                 duration,
	"stuck-in-releasing-threshold":    duration,
	"update-pod-eviction-condition":   truth,
	"use-scheduling-signatures":       truth,
	"v":                               whole,
}

// taken are flags that KAI's operator sets for every pool from its Config. Another value here would part the scheduler from
// the rest of KAI.
var taken = []string{"listen-address", "metrics-namespace", "namespace", "nodepool-label-key", "partition-label-value", "queue-label-key",
	"resource-reservation-app-label", "scheduler-conf", "scheduler-name"}

func truth(v string) string {
	if _, err := strconv.ParseBool(v); err != nil {
		return "true or false"
	}
	return ""
}

func whole(v string) string {
	if n, err := strconv.ParseInt(v, 10, 32); err != nil || n < 0 {
		return "a whole number, 0 or more"
	}
	return ""
}

func duration(v string) string {
	if _, err := tf.ParseDuration(v); err != nil {
		return "a Go duration such as 90s or 15m"
	}
	return ""
}

func anyText(v string) string {
	if v == "" {
		return "a label key"
	}
	return ""
}

func listedFlags() string {
	names := slices.Sorted(maps.Keys(flags))
	return "`" + strings.Join(names, "`, `") + "`"
}

// knownArgs: what the scheduler does not know is dropped in silence, and what it cannot read keeps it from starting.
func knownArgs(m Model) []composite.Finding {
	var out []composite.Finding
	args := m.Args.Known()
	for _, name := range slices.Sorted(maps.Keys(args)) {
		at, value := path.Root("args").AtMapKey(name), args[name]
		takes, known := flags[name]
		switch {
		case slices.Contains(taken, name):
			out = append(out, composite.Finding{Path: at, Summary: "Flag that KAI sets itself", Detail: fmt.Sprintf(
				"args has %q, which KAI's operator sets for every pool so that all parts of KAI agree. Remove it; where it has to be another one, set it in the values of KAI's installation.", name)})
		case !known:
			out = append(out, composite.Finding{Path: at, Summary: "Unknown flag", Detail: fmt.Sprintf(
				"args has %q, which KAI's scheduler does not know: it would be dropped without a word. Known are %s; names have no dashes in front.", name, strings.Join(slices.Sorted(maps.Keys(flags)), ", "))})
		case value.IsNull():
			out = append(out, composite.Finding{Path: at, Summary: "Flag without a value", Detail: fmt.Sprintf("args has %q with null. Give it %s, or leave it out.", name, takes("\x00"))})
		case !value.IsUnknown() && takes(value.ValueString()) != "":
			out = append(out, composite.Finding{Path: at, Summary: "Wrong value of a flag", Detail: fmt.Sprintf(
				"args has %s = %q, and KAI's scheduler takes %s. With any other value it does not start, and nothing in the pool is scheduled.", name, value.ValueString(), takes(value.ValueString()))})
		}
	}
	return out
}
