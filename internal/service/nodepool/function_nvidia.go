package nodepool

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
	"sigs.k8s.io/yaml"

	"github.com/k0smos/terraform-provider-k0smos/internal/tf"
)

// What the chart of NVIDIA is, and the names of the ConfigMaps in it that are made here. Values are those of
// https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/deployments/gpu-operator/values.yaml.
const (
	nvidiaRepository  = "https://helm.ngc.nvidia.com/nvidia"
	nvidiaVersion     = "v26.7.0"
	nvidiaNamespace   = "gpu-operator"
	nvidiaRelease     = "gpu-operator"
	pluginConfigMap   = "k0smos-device-plugin"
	migConfigMap      = "k0smos-mig"
	defaultPlugin     = "default"
	operatorsOrder    = 10 // room for charts that have to come before
	kubeletRootOfK0s  = "/var/lib/k0s/kubelet"
	containerdOfK0s   = "/run/k0s/containerd-cri.toml"
	containerdSocket  = "/run/k0s/containerd.sock"
	nvidiaRuntimeName = "nvidia"
)

// NewNVIDIAOperator is the function nvidia_gpu_operator.
func NewNVIDIAOperator() function.Function {
	return &operator{name: "nvidia_gpu_operator", vendor: vendorNVIDIA, helm: nvidiaHelm,
		summary: "The NVIDIA GPU operator as Helm charts of a hosted control plane",
		description: "Returns the value for `helm` of a `k0smos_hosted_control_plane` that installs the NVIDIA GPU operator in the hosted cluster: `repositories` and `charts`, each of which can be merged with charts of your own.\n\n" +
			"The values are those that k0s needs: the container toolkit writes its drop-in where k0s looks for it, talks to the containerd of k0s, and metrics find the kubelet. " +
			"The device plugin gets a configuration for each way of sharing that a pool asks for (`time-slicing-4`, `mps-4`, `mig-mixed`), under the names that the pools give their nodes as labels; the MIG manager finds the configurations for single profiles by itself and gets those of `mig_configs` beside them. " +
			"Where all pools of NVIDIA have `runtime = \"host\"`, driver and toolkit are not installed; where only some have, their nodes tell the operator by labels.\n\n" +
			"Needs k0s 1.35.4 or later, as Helm charts of a hosted control plane do.",
		options: "`version` of the chart (default `" + nvidiaVersion + "`), `namespace` (default `" + nvidiaNamespace + "`), `repository`, the URL of a mirror (default `" + nvidiaRepository + "`), " +
			"`mig_configs`, a map from the name of a configuration to its entries as mig-parted has them (`[{ devices = \"all\", mig-enabled = true, mig-devices = { \"1g.10gb\" = 2 } }]`), needed for each `partitioning.config` of your own with mode `mig`, " +
			"`plugin_configs`, a map from the name of a configuration to its content as the device plugin has it (`{ version = \"v1\", sharing = {...} }`), needed for each `partitioning.config` with `time_slicing` or `mps`, " +
			"and `values`, an object of Helm values that is merged over the generated ones (lists are replaced)."}
}

func nvidiaHelm(pools []pooled, options *tf.Reader) (tf.HelmValue, error) {
	version, namespace := tf.TextOr(options.Text("version"), nvidiaVersion), tf.TextOr(options.Text("namespace"), nvidiaNamespace)
	repository := tf.TextOr(options.Text("repository"), nvidiaRepository)
	migs, plugins, own := options.Object("mig_configs"), options.Object("plugin_configs"), options.Object("values")
	if err := options.Done("options"); err != nil {
		return tf.HelmValue{}, err
	}
	values := map[string]any{
		"hostPaths": map[string]any{"kubeletRootDir": kubeletRootOfK0s},
		"toolkit":   map[string]any{"env": toolkitEnv()},
		"mig":       map[string]any{"strategy": migStrategy(pools)},
	}
	if len(pools) > 0 && !slices.ContainsFunc(pools, func(p pooled) bool { return p.cards.runtime != runtimeHost }) {
		values["driver"], values["toolkit"] = map[string]any{"enabled": false}, map[string]any{"enabled": false}
	}
	configs, err := pluginConfigs(pools, plugins)
	if err != nil {
		return tf.HelmValue{}, err
	}
	if len(configs) > 0 {
		values["devicePlugin"] = map[string]any{"config": map[string]any{"create": true, "name": pluginConfigMap, "default": defaultPlugin, "data": configs}}
	}
	config, err := migConfigs(pools, migs)
	if err != nil {
		return tf.HelmValue{}, err
	}
	if config != "" {
		values["migManager"] = map[string]any{"config": map[string]any{"create": true, "name": migConfigMap, "default": "all-disabled", "data": map[string]any{"config.yaml": config}}}
	}
	return tf.HelmValue{
		Repositories: repositoriesOf(map[string]string{"nvidia": repository}),
		Charts:       tf.MapOf(map[string]tf.Object[tf.HelmChart]{nvidiaRelease: tf.HelmChartOf("nvidia/gpu-operator", version, namespace, operatorsOrder, values, own)}),
	}, nil
}

// toolkitEnv tells the container toolkit where k0s has its containerd. The first file is the one that k0s makes of all drop-ins,
// and is read only; the drop-in is a file of its own, since k0s does not follow imports of drop-ins (k0sproject/k0s 6547). The
// source keeps the toolkit from asking another containerd on the host, whose version may be another.
func toolkitEnv() []any {
	var out []any
	for _, e := range [][2]string{
		{"CONTAINERD_CONFIG", containerdOfK0s}, {"RUNTIME_DROP_IN_CONFIG", containerdPath}, {"RUNTIME_CONFIG_SOURCE", "file"},
		{"CONTAINERD_SOCKET", containerdSocket}, {"CONTAINERD_RUNTIME_CLASS", nvidiaRuntimeName},
	} {
		out = append(out, map[string]any{"name": e[0], "value": e[1]})
	}
	return out
}

// migStrategy is the strategy of all nodes, or empty where pools differ: then the device plugin goes by the configuration of each
// node, which the environment would win over.
func migStrategy(pools []pooled) string {
	used := map[string]bool{}
	for _, p := range pools {
		if p.cards.mode == modeMIG {
			used[p.cards.strategy] = true
		}
	}
	switch {
	case used[strategyMixed] && used[strategySingle]:
		return ""
	case used[strategyMixed]:
		return strategyMixed
	}
	return strategySingle
}

// pluginConfigs are the configurations of the device plugin that labels of nodes point at, as YAML by name.
func pluginConfigs(pools []pooled, own map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for name, content := range own {
		out[name] = yamlOf(content)
	}
	for _, p := range pools {
		c := p.cards
		switch {
		case c.mode == modeMIG && c.strategy == strategyMixed:
			out[pluginConfig(c)] = yamlOf(map[string]any{"version": "v1", "flags": map[string]any{"migStrategy": strategyMixed}})
		case !c.shared():
		case c.config != "":
			if _, ok := own[c.config]; !ok {
				return nil, fmt.Errorf("pools[%q] asks for the configuration %q of the device plugin, and plugin_configs does not have it. Add it there, or use replicas instead of config", p.name, c.config)
			}
		case c.replicas < 2:
			return nil, fmt.Errorf("pools[%q] has mode %s without replicas, 2 or more", p.name, c.mode)
		default:
			way := map[string]string{modeTimeSlicing: "timeSlicing", modeMPS: "mps"}[c.mode]
			out[pluginConfig(c)] = yamlOf(map[string]any{"version": "v1", "sharing": map[string]any{way: map[string]any{
				"resources": []any{map[string]any{"name": nvidiaGPU, "replicas": c.replicas}}}}})
		}
	}
	if _, said := out[defaultPlugin]; len(out) > 0 && !said {
		// Nodes without a label, those of MIG single among them.
		out[defaultPlugin] = yamlOf(map[string]any{"version": "v1", "flags": map[string]any{"migStrategy": strategySingle}})
	}
	return out, nil
}

// migConfigs is the configuration of the MIG manager, or empty where what it makes by itself is enough. One of our own replaces
// that, so it must have everything that the pools name.
func migConfigs(pools []pooled, own map[string]any) (string, error) {
	configs := map[string]any{}
	for name, entries := range own {
		if _, ok := entries.([]any); !ok {
			return "", fmt.Errorf("mig_configs[%q] must be a list of entries, for example [{ devices = \"all\", mig-enabled = true, mig-devices = { \"1g.10gb\" = 2 } }]", name)
		}
		configs[name] = entries
	}
	for _, p := range pools {
		c := p.cards
		name := migConfig(c)
		if c.mode != modeMIG || configs[name] != nil {
			continue
		}
		standard := name == "all-disabled" || name == "all-balanced" || migProfileOf(c) != ""
		switch _, known := migInstances(c); {
		case !standard:
			return "", fmt.Errorf("pools[%q] asks for the configuration %q of the MIG manager, and mig_configs does not have it. Add it there; %s are always there", p.name, name, "all-disabled, all-balanced and all-<profile>")
		case len(own) == 0:
		case !known:
			return "", fmt.Errorf("pools[%q] asks for %q, and how many instances %q has is not known here. With mig_configs, the MIG manager has what stands there only, so add %q to it", p.name, name, c.model, name)
		default:
			configs[name] = migEntries(pools, name)
		}
	}
	if len(own) == 0 {
		return "", nil
	}
	if configs["all-disabled"] == nil {
		configs["all-disabled"] = []any{map[string]any{"devices": "all", "mig-enabled": false}}
	}
	return yamlOf(map[string]any{"version": "v1", "mig-configs": configs}), nil
}

// migEntries are the entries of one standard configuration: one for all cards, or one for each kind where pools of several kinds
// name it and they differ.
func migEntries(pools []pooled, name string) []any {
	type kind struct {
		devices   map[string]any
		cards     []string
		instances string
	}
	var kinds []kind
	for _, p := range pools {
		if p.cards.mode != modeMIG || migConfig(p.cards) != name {
			continue
		}
		instances, known := migInstances(p.cards)
		if !known {
			continue
		}
		devices := map[string]any{}
		for profile, n := range instances {
			devices[profile] = n
		}
		k := kind{devices: devices, instances: fmt.Sprint(devices)}
		for _, card := range migCandidates(p.cards) {
			k.cards = append(k.cards, card.devices...)
		}
		if at := slices.IndexFunc(kinds, func(other kind) bool { return other.instances == k.instances }); at >= 0 {
			kinds[at].cards = append(kinds[at].cards, k.cards...)
			continue
		}
		kinds = append(kinds, k)
	}
	var out []any
	for _, k := range kinds {
		entry := map[string]any{"devices": "all", "mig-enabled": len(k.devices) > 0}
		if len(k.devices) > 0 {
			entry["mig-devices"] = k.devices
		}
		if len(kinds) > 1 {
			slices.Sort(k.cards)
			entry["device-filter"] = slices.Compact(k.cards)
		}
		out = append(out, entry)
	}
	return out
}

func yamlOf(v any) string {
	text, err := yaml.Marshal(v)
	if err != nil {
		panic(err) // maps, slices, texts, numbers and booleans only
	}
	return string(text)
}
