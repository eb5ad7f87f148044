package nodepool

import (
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/function"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// What the chart of AMD is, and what it needs. Values are those of
// https://github.com/ROCm/gpu-operator/blob/v1.5.1/helm-charts-k8s/values.yaml.
const (
	amdRepository     = "https://rocm.github.io/gpu-operator"
	amdVersion        = "v1.5.1"
	amdNamespace      = "kube-amd-gpu"
	amdRelease        = "amd-gpu-operator"
	certRepository    = "https://charts.jetstack.io"
	certVersion       = "v1.19.1"
	certNamespace     = "cert-manager"
	certRelease       = "cert-manager"
	certificatesOrder = 5 // before the operator, whose webhooks need certificates
	amdPartitioning   = "amd-dcm"
	amdUnhealthy      = "amd-gpu-unhealthy"
)

// NewAMDOperator is the function amd_gpu_operator.
func NewAMDOperator() function.Function {
	return &operator{name: "amd_gpu_operator", vendor: vendorAMD, helm: amdHelm,
		summary: "The AMD GPU operator as Helm charts of a hosted control plane",
		description: "Returns the value for `helm` of a `k0smos_hosted_control_plane` that installs the AMD GPU operator in the hosted cluster, and cert-manager, which its webhooks need: `repositories` and `charts`, each of which can be merged with charts of your own.\n\n" +
			"Device plugin, node labeller and metrics run on nodes with the taint `amd.com/gpu`, too. The device config manager is on where a pool asks for partitions, with a profile for each (`cpx_nps4_all`), under the names that the pools give their nodes as labels. It partitions a card only while nothing uses it; a node joins with its label, so that this is before the first pod. " +
			"To keep pods away until it is done, give the pool the taint `amd-dcm = { value = \"up\", effect = \"NoExecute\" }` and take it away afterwards, which replaces no host.\n\n" +
			"The driver is taken from the host, unless `driver = true`. Needs k0s 1.35.4 or later, as Helm charts of a hosted control plane do.",
		options: "`version` of the chart (default `" + amdVersion + "`), `namespace` (default `" + amdNamespace + "`), `repository`, the URL of a mirror (default `" + amdRepository + "`), " +
			"`driver`, whether the operator builds and loads the kernel driver (default `false`), `node_feature_discovery`, whether to install it (default `true`; `false` where the NVIDIA operator of the same cluster brings it), " +
			"`cert_manager`, whether to install it (default `true`), and `cert_manager_version` (default `" + certVersion + "`), " +
			"`profiles`, a map from the name of a profile of the device config manager to its content (`{ profiles = [{ computePartition = \"CPX\", memoryPartition = \"NPS1\", numGPUsAssigned = 4 }] }`), needed for each `partitioning.config`, " +
			"and `values`, an object of Helm values that is merged over the generated ones (lists are replaced)."}
}

func amdHelm(pools []pooled, options *tf.Reader) (tf.HelmValue, error) {
	version, namespace := tf.TextOr(options.Text("version"), amdVersion), tf.TextOr(options.Text("namespace"), amdNamespace)
	repository := tf.TextOr(options.Text("repository"), amdRepository)
	driver, discovery := options.Truth("driver", false), options.Truth("node_feature_discovery", true)
	certificates, certificatesVersion := options.Truth("cert_manager", true), tf.TextOr(options.Text("cert_manager_version"), certVersion)
	own, values := options.Object("profiles"), options.Object("values")
	if err := options.Done("options"); err != nil {
		return tf.HelmValue{}, err
	}
	profiles, err := amdProfiles(pools, own)
	if err != nil {
		return tf.HelmValue{}, err
	}
	naming, err := amdNaming(pools)
	if err != nil {
		return tf.HelmValue{}, err
	}
	spec := map[string]any{
		"driver": map[string]any{"enable": driver, "tolerations": tolerations()},
		"devicePlugin": map[string]any{"devicePluginArguments": map[string]any{"resource_naming_strategy": naming},
			"devicePluginTolerations": tolerations(), "nodeLabellerTolerations": tolerations()},
		"metricsExporter": map[string]any{"tolerations": tolerations()},
		"configManager":   map[string]any{"enable": len(profiles) > 0, "configManagerTolerations": tolerations()},
	}
	generated := map[string]any{
		"node-feature-discovery": map[string]any{"enabled": discovery, "worker": map[string]any{"tolerations": append(tolerations(),
			map[string]any{"key": amdPartitioning, "operator": "Equal", "value": "up", "effect": "NoExecute"},
			map[string]any{"key": amdUnhealthy, "operator": "Exists", "effect": "NoSchedule"})}},
		"kmm":          map[string]any{"enabled": driver, "watch": driver},
		"crds":         map[string]any{"defaultCR": map[string]any{"install": true, "upgrade": true}}, // else later changes of the values do nothing
		"deviceConfig": map[string]any{"spec": spec},
	}
	if len(profiles) > 0 {
		text, err := json.MarshalIndent(map[string]any{"gpu-config-profiles": profiles,
			"gpuClientSystemdServices": map[string]any{"names": []any{"amd-metrics-exporter", "gpuagent"}}}, "", "  ")
		if err != nil {
			return tf.HelmValue{}, err
		}
		generated["defaultDCMConfigMap"] = map[string]any{"data": map[string]any{"config.json": string(text)}}
	}
	urls := map[string]string{"rocm": repository}
	charts := map[string]tf.Object[tf.HelmChart]{amdRelease: tf.HelmChartOf("rocm/gpu-operator-charts", version, namespace, operatorsOrder, generated, values)}
	if certificates {
		urls["jetstack"] = certRepository
		charts[certRelease] = tf.HelmChartOf("jetstack/cert-manager", certificatesVersion, certNamespace, certificatesOrder, map[string]any{"crds": map[string]any{"enabled": true}}, nil)
	}
	return tf.HelmValue{Repositories: repositoriesOf(urls), Charts: tf.MapOf(charts)}, nil
}

// tolerations let a DaemonSet run on nodes that only pods with GPUs may use, as NVIDIA's chart does by itself.
func tolerations() []any {
	return []any{map[string]any{"key": amdGPU, "operator": "Exists"}}
}

// amdProfiles are the profiles of the device config manager that labels of nodes point at. A node without a label gets the one
// called default: whole cards.
func amdProfiles(pools []pooled, own map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, content := range own {
		out[name] = content
	}
	for _, p := range pools {
		c := p.cards
		if c.mode != modeAMDPartition {
			continue
		}
		name := amdProfile(c)
		if out[name] != nil {
			continue
		}
		as, ok := parsePartition(c.profile)
		if !ok {
			return nil, fmt.Errorf("pools[%q] asks for the profile %q of the device config manager, and the option profiles does not have it. Add it there, or set partitioning.profile to a partition such as cpx_nps4", p.name, name)
		}
		out[name] = partitionProfile(as)
	}
	if len(out) > 0 && out[defaultPlugin] == nil {
		out[defaultPlugin] = partitionProfile(partition{"SPX", 1})
	}
	return out, nil
}

func partitionProfile(p partition) map[string]any {
	return map[string]any{"profiles": []any{map[string]any{"computePartition": p.compute, "memoryPartition": p.memory()}}}
}

// amdNaming is the strategy of the device plugin, of which there is one per cluster. With mixed, cards that are not partitioned
// are offered as amd.com/spx_nps1, which no pool with whole cards would expect.
func amdNaming(pools []pooled) (string, error) {
	mixed, single := "", ""
	for _, p := range pools {
		switch _, _, whole := amdDiesOf(p.cards.model); {
		case p.cards.mode == modeAMDPartition && p.cards.strategy == strategyMixed:
			mixed = p.name
		case !whole: // a card without partitions is called the same either way
			single = p.name
		}
	}
	switch {
	case mixed == "":
		return strategySingle, nil
	case single != "":
		return "", fmt.Errorf("pools[%q] has partitioning.strategy mixed and pools[%q] has not, and AMD's device plugin has one strategy per cluster. Give all pools of AMD the same; one with whole cards takes mode amd_partition with profile spx_nps1", mixed, single)
	}
	return strategyMixed, nil
}
