package install

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// NewKAI is the function kai_install. Values are those of deployments/kai-scheduler/values.yaml of v0.17.0.
func NewKAI() function.Function {
	return &installer{name: "kai_install", release: "kai-scheduler", chart: "oci://ghcr.io/kai-scheduler/kai-scheduler/kai-scheduler", version: "v0.17.0", namespace: "kai-scheduler",
		summary: "The KAI scheduler as a Helm chart of a hosted control plane",
		description: "Returns the value for `helm` of a `k0smos_hosted_control_plane` that installs the KAI scheduler in the hosted cluster: `repositories` (empty) and `charts`, each of which can be merged with charts of your own. `charts[\"kai-scheduler\"].values` is JSON, for use as a service of k0rdent.\n\n" +
			"What of the chart gets in the way of declared queues is off: its default queues, whose quota of 0 blocks whatever must not be preempted; its default shard, since each `k0smos_scheduling_pool` is one; the copying of Kueue's Topologies. " +
			"The Config is part of the release, so that it is repaired and removed with it. GPU sharing is on, without which pods that ask for a fraction are refused; it needs a runtime class that shows the cards, `nvidia` unless said otherwise.\n\n" +
			"Fair shares by past use (`fair_share_history`) need `prometheus`. With `prometheus = true` KAI runs a Prometheus of its own, for which the Prometheus operator must be installed; `prometheus_url` names one that is there.",
		options: "`gpu_sharing`, whether pods may ask for fractions (default `true`), `gpu_runtime_class` of pods with fractions (default `nvidia`), `prometheus`, whether past use is recorded (default `false`), `prometheus_url`, a Prometheus that is there already, " +
			"`replicas` of each part (default `1`), `autoscaling`, whether a cluster autoscaler adds nodes for pods with fractions (default `false`)",
		values: kaiValues}
}

var httpURL = regexp.MustCompile(`^https?://[^\s/@?#]+(/[^\s@?#]*)?$`)

func kaiValues(options *tf.Reader) (map[string]any, error) {
	global := map[string]any{"gpuSharing": options.Truth("gpu_sharing", true)}
	values := map[string]any{
		"global":            global,
		"defaultQueue":      map[string]any{"createDefaultQueue": false},
		"defaultShard":      map[string]any{"enabled": false},
		"kaiConfig":         map[string]any{"render": true},
		"kaiConfigDeployer": map[string]any{"enabled": false},
		"topologyMigration": map[string]any{"enabled": false},
	}
	if class := options.Text("gpu_runtime_class"); !class.IsNull() {
		values["admission"] = map[string]any{"gpuFractionRuntimeClassName": class.ValueString()}
	}
	if options.Truth("autoscaling", false) {
		global["clusterAutoscaling"] = true
	}
	if n := options.Number("replicas"); !n.IsNull() {
		if n.ValueInt64() < 1 || n.ValueInt64() > 10 {
			return nil, fmt.Errorf("replicas is %d; it must be 1 to 10", n.ValueInt64())
		}
		values["operator"] = map[string]any{"replicaCount": n.ValueInt64()}
		global["leaderElection"] = n.ValueInt64() > 1
	}
	url, on := options.Text("prometheus_url"), options.Truth("prometheus", options.Has("prometheus_url"))
	switch {
	case !url.IsNull() && !httpURL.MatchString(url.ValueString()):
		return nil, fmt.Errorf("prometheus_url is %q; it must be a URL such as http://prometheus.monitoring.svc:9090, without user or password", url.ValueString())
	case !url.IsNull() && !on:
		return nil, fmt.Errorf("prometheus_url is set and prometheus is false; remove one of them")
	case !url.IsNull():
		values["prometheus"] = map[string]any{"enabled": true, "externalPrometheusUrl": url.ValueString()}
	case on:
		values["prometheus"] = map[string]any{"enabled": true}
	}
	return values, nil
}
