package standin

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestAShellLineIsSplitAsAShellDoes(t *testing.T) {
	for _, test := range []struct {
		name, line string
		want       []string
		wrong      string
	}{
		{"plain words", "k0s worker  --a=b", []string{"k0s", "worker", "--a=b"}, ""},
		{"single quotes hold everything", `--a='x y;$z'`, []string{"--a=x y;$z"}, ""},
		{"a quote in a single quoted word", `'it'\''s'`, []string{"it's"}, ""},
		{"double quotes hold all but expansions", `"a b;c"d`, []string{"a b;cd"}, ""},
		{"an empty word", `a ''`, []string{"a", ""}, ""},
		{"a command behind", "k0s worker; rm -rf /", nil, "interprets"},
		{"an expansion", `--a="$HOME"`, nil, "expands"},
		{"a background job", "--a=b&c", nil, "interprets"},
		{"an open quote", "--a='b", nil, "open"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := shellWords(test.line)
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("got %v, %v", got, err)
				}
				return
			}
			if err != nil || !slices.Equal(got, test.want) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestFlagsOfK0sAreReadAsK0sDoes(t *testing.T) {
	flags, err := readFlags([]string{"--labels=a=b,c=d", "--labels", "e=", "--taints=x=y:NoSchedule,z:NoExecute", "--profile=labels"})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]string{"a": "b", "c": "d", "e": ""}; !maps.Equal(flags.labels, want) {
		t.Errorf("labels are %v", flags.labels)
	}
	if len(flags.taints) != 2 {
		t.Errorf("taints are %v", flags.taints)
	}
	for _, wrong := range [][]string{{"--labels=a"}, {"--taints=a=b"}, {"--taints=a=b:Never"}, {"--labels"}} {
		if _, err := readFlags(wrong); err == nil {
			t.Errorf("%v was taken", wrong)
		}
	}
}

func TestAKubeletRefusesLabelsOfOthers(t *testing.T) {
	for label, refused := range map[string]bool{
		"example.com/a": false, "plain": false, "topology.kubernetes.io/zone": false, "node.kubernetes.io/instance-type": false,
		"kubelet.kubernetes.io/x": false, "k0smos.io/site": false, "mykubernetes.io/a": false,
		"node-role.kubernetes.io/gpu": true, "kubernetes.io/role": true, "node-restriction.kubernetes.io/a": true,
		"topology.kubernetes.io/rack": true, "k8s.io/a": true, "feature.node.kubernetes.io/x": false, "node.cluster.x-k8s.io/rack": false,
	} {
		if problem := kubeletProblem(map[string]string{label: ""}); (problem != "") != refused {
			t.Errorf("%s: %q", label, problem)
		}
	}
}

func TestK0sRefusesDropInsOfTheOtherContainerd(t *testing.T) {
	for _, test := range []struct {
		name, version, path, content string
		refused                      bool
	}{
		{"the older format before 1.36", "v1.35.4+k0s.0", "/etc/k0s/containerd.d/nvidia.toml", "version = 2\n", false},
		{"the newer format before 1.36", "v1.35.4+k0s.0", "/etc/k0s/containerd.d/nvidia.toml", "version = 3\n", true},
		{"the older format from 1.36 on", "v1.36.2+k0s.0", "/etc/k0s/containerd.d/nvidia.toml", "version = 2\n", true},
		{"a plugin of the older format without its version", "v1.36.2+k0s.0", "/etc/k0s/containerd.d/nvidia.toml", `[plugins."io.containerd.grpc.v1.cri"]`, true},
		{"the newer format from 1.36 on", "v1.36.2+k0s.0", "/etc/k0s/containerd.d/nvidia.toml", "version = 3\n", false},
		{"another file", "v1.36.2+k0s.0", "/etc/other.toml", "version = 2\n", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			data := bootstrapData{Files: []bootstrapFile{{Path: test.path, Content: test.content}}}
			if problem := runtimeProblem(data, test.version); (problem != "") != test.refused {
				t.Errorf("got %q", problem)
			}
		})
	}
}

func TestNodesOfferTheGPUsOfTheirLabels(t *testing.T) {
	vendor := func(name string, more ...string) map[string]string {
		labels := map[string]string{"k0smos.io/gpu-vendor": name}
		for i := 0; i < len(more); i += 2 {
			labels[more[i]] = more[i+1]
		}
		return labels
	}
	two := int64(2)
	for _, test := range []struct {
		name           string
		labels         map[string]string
		mode           hostMode
		resource, want string
	}{
		{"whole NVIDIA cards", vendor("nvidia"), hostMode{}, "nvidia.com/gpu", "8"},
		{"fewer cards", vendor("nvidia"), hostMode{cards: &two}, "nvidia.com/gpu", "2"},
		{"MIG, all equal", vendor("nvidia", "nvidia.com/mig.config", "all-1g.10gb"), hostMode{}, "nvidia.com/gpu", "56"},
		{"MIG by name", vendor("nvidia", "nvidia.com/mig.config", "all-3g.40gb", "nvidia.com/device-plugin.config", "mig-mixed"), hostMode{}, "nvidia.com/mig-3g.40gb", "16"},
		{"MIG with twice the memory", vendor("nvidia", "nvidia.com/mig.config", "all-1g.20gb", "k0smos.io/gpu-model", "A100-80GB"), hostMode{}, "nvidia.com/gpu", "32"},
		{"time slicing", vendor("nvidia", "nvidia.com/device-plugin.config", "time-slicing-4"), hostMode{}, "nvidia.com/gpu", "32"},
		{"whole AMD cards", vendor("amd"), hostMode{}, "amd.com/gpu", "8"},
		{"AMD partitions", vendor("amd", "dcm.amd.com/gpu-config-profile", "cpx_nps4_all"), hostMode{}, "amd.com/gpu", "64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := host{labels: test.labels}
			if got := h.resources(test.mode)[test.resource]; got != test.want {
				t.Errorf("%s is %v", test.resource, got)
			}
		})
	}
	if got := (&host{}).resources(hostMode{}); len(got) != 4 {
		t.Errorf("a host without GPUs offers %v", got)
	}
}
