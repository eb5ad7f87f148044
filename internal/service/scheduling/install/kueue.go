package install

import (
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// NewKueue is the function kueue_install. Values are those of charts/kueue/values.yaml of v0.17.0.
func NewKueue() function.Function {
	return &installer{name: "kueue_install", release: "kueue", chart: "oci://registry.k8s.io/kueue/charts/kueue", version: "0.17.0", namespace: "kueue-system",
		summary: "Kueue as a Helm chart of a hosted control plane",
		description: "Returns the value for `helm` of a `k0smos_hosted_control_plane` that installs Kueue in the hosted cluster: `repositories` (empty) and `charts`, each of which can be merged with charts of your own. `charts[\"kueue\"].values` is JSON, for use as a service of k0rdent.\n\n" +
			"Fair sharing is on, without which the weights of departments and projects have no effect at all. Workloads that name no queue are let through as before, unless `require_queue` is set: then every job in a namespace that is not left out waits for a queue.\n\n" +
			"The configuration of Kueue's manager is one text in the chart: who replaces `managerConfig` by `values` replaces all of it, fair sharing included.",
		options: "`fair_sharing`, whether weights count (default `true`), `require_queue`, whether jobs without a queue wait (default `false`), `unmanaged_namespaces`, the namespaces whose workloads Kueue never looks at (default those of the system and of Kueue itself), " +
			"`frameworks`, the kinds of work that it manages (default: all that its chart lists), `cert_manager`, whether cert-manager makes its certificates (default `false`), `prometheus`, whether its metrics are announced to the Prometheus operator (default `false`)",
		values: kueueValues}
}

// frameworks are the chart's own. A list in a configuration replaces them.
var frameworks = []string{"batch/job", "kubeflow.org/mpijob", "ray.io/rayjob", "ray.io/rayservice", "ray.io/raycluster", "jobset.x-k8s.io/jobset", "trainer.kubeflow.org/trainjob",
	"kubeflow.org/paddlejob", "kubeflow.org/pytorchjob", "kubeflow.org/tfjob", "kubeflow.org/xgboostjob", "kubeflow.org/jaxjob", "workload.codeflare.dev/appwrapper",
	"pod", "deployment", "statefulset", "leaderworkerset.x-k8s.io/leaderworkerset"}

func kueueValues(options *tf.Reader) (map[string]any, error) {
	namespace := options.Text("namespace").ValueString()
	if namespace == "" {
		namespace = "kueue-system"
	}
	list := options.Texts("frameworks")
	if list == nil {
		list = frameworks
	}
	unmanaged := options.Texts("unmanaged_namespaces")
	if unmanaged == nil {
		unmanaged = []string{"kube-system", namespace}
	}
	config := map[string]any{
		"apiVersion":       "config.kueue.x-k8s.io/v1beta2",
		"kind":             "Configuration",
		"health":           map[string]any{"healthProbeBindAddress": ":8081"},
		"metrics":          map[string]any{"bindAddress": ":8443"},
		"webhook":          map[string]any{"port": 9443},
		"leaderElection":   map[string]any{"leaderElect": true, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
		"clientConnection": map[string]any{"qps": 50, "burst": 100},
		"controller": map[string]any{"groupKindConcurrency": map[string]any{"Job.batch": 5, "Pod": 5, "Workload.kueue.x-k8s.io": 5,
			"LocalQueue.kueue.x-k8s.io": 1, "ClusterQueue.kueue.x-k8s.io": 1, "ResourceFlavor.kueue.x-k8s.io": 1}},
		"integrations":                 map[string]any{"frameworks": list},
		"managedJobsNamespaceSelector": map[string]any{"matchExpressions": []any{map[string]any{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": unmanaged}}},
	}
	if options.Truth("fair_sharing", true) {
		config["fairSharing"] = map[string]any{"preemptionStrategies": []string{"LessThanOrEqualToFinalShare", "LessThanInitialShare"}}
	}
	if options.Truth("require_queue", false) {
		config["manageJobsWithoutQueueName"] = true
	}
	values := map[string]any{}
	if options.Truth("cert_manager", false) {
		values["enableCertManager"] = true
		config["internalCertManagement"] = map[string]any{"enable": false}
	}
	if options.Truth("prometheus", false) {
		values["enablePrometheus"] = true
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("write the configuration of Kueue: %w", err)
	}
	values["managerConfig"] = map[string]any{"controllerManagerConfigYaml": string(text)}
	return values, nil
}
