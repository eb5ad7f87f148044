package standin

import (
	"encoding/csv"
	"fmt"
	"path"
	"slices"
	"strings"
)

// shellWords splits a line as a shell does. What a shell would not take as it stands is an error: it is a value that
// should have been quoted.
func shellWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord, quote := false, rune(0)
	escaped := false
	for _, r := range line {
		switch {
		case escaped:
			word.WriteRune(r)
			escaped = false
		case quote != '\'' && r == '\\':
			escaped, inWord = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote == '\'':
			word.WriteRune(r)
		case strings.ContainsRune("$`", r):
			return nil, fmt.Errorf("the shell expands %q in: %s", r, line)
		case quote == '"':
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		case strings.ContainsRune(";|&<>()*?[#~!", r):
			return nil, fmt.Errorf("the shell interprets %q in: %s", r, line)
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 || escaped {
		return nil, fmt.Errorf("a quote is open at the end of: %s", line)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

type workerFlags struct {
	labels map[string]string
	taints []any
}

// readFlags reads what k0s worker takes from its flags: repeated ones add up, each holds a list with commas.
func readFlags(args []string) (workerFlags, error) {
	flags := workerFlags{labels: map[string]string{}}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		if name != "--labels" && name != "--taints" {
			continue
		}
		if !joined {
			if i++; i == len(args) {
				return flags, fmt.Errorf("flag needs an argument: %s", name)
			}
			value = args[i]
		}
		entries, err := csv.NewReader(strings.NewReader(value)).Read()
		if err != nil {
			return flags, fmt.Errorf("%s: %w", name, err)
		}
		for _, entry := range entries {
			if name == "--labels" {
				key, value, given := strings.Cut(entry, "=")
				if !given {
					return flags, fmt.Errorf("label %q is no key=value", entry)
				}
				flags.labels[key] = value
				continue
			}
			taint, err := readTaint(entry)
			if err != nil {
				return flags, err
			}
			flags.taints = append(flags.taints, taint)
		}
	}
	return flags, nil
}

// readTaint reads key=value:Effect, key:Effect.
func readTaint(entry string) (map[string]any, error) {
	pair, effect, given := strings.Cut(entry, ":")
	if !given || !slices.Contains([]string{"NoSchedule", "PreferNoSchedule", "NoExecute"}, effect) {
		return nil, fmt.Errorf("taint %q has no effect that Kubernetes knows", entry)
	}
	key, value, _ := strings.Cut(pair, "=")
	taint := map[string]any{"key": key, "effect": effect}
	if value != "" {
		taint["value"] = value
	}
	return taint, nil
}

// ownLabels are the labels of Kubernetes' domains that a kubelet may give its node, beside all below
// kubelet.kubernetes.io and node.kubernetes.io.
var ownLabels = []string{
	"kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os",
	"beta.kubernetes.io/arch", "beta.kubernetes.io/os", "beta.kubernetes.io/instance-type",
	"topology.kubernetes.io/zone", "topology.kubernetes.io/region",
	"failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
}

// kubeletProblem says why a kubelet does not start with these labels.
func kubeletProblem(labels map[string]string) string {
	var refused []string
	for key := range labels {
		domain, _, prefixed := strings.Cut(key, "/")
		if !prefixed || !below(domain, "kubernetes.io") && !below(domain, "k8s.io") {
			continue
		}
		if !slices.Contains(ownLabels, key) && !below(domain, "kubelet.kubernetes.io") && !below(domain, "node.kubernetes.io") {
			refused = append(refused, key)
		}
	}
	if len(refused) == 0 {
		return ""
	}
	slices.Sort(refused)
	return fmt.Sprintf("unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: %s", strings.Join(refused, ", "))
}

func below(domain, suffix string) bool {
	return domain == suffix || strings.HasSuffix(domain, "."+suffix)
}

// containerd 2 came with k0s 1.36. It does not take drop-ins of the older format, and k0s checks that when it starts.
var containerd2 = [3]int{1, 36, 0}

// runtimeProblem says why k0s does not start with the drop-ins of containerd that it finds.
func runtimeProblem(data bootstrapData, version string) string {
	parsed, err := parseVersion(version)
	if err != nil {
		return ""
	}
	for _, file := range data.Files {
		if path.Dir(file.Path) != "/etc/k0s/containerd.d" {
			continue
		}
		old := strings.Contains(file.Content, "version = 2") || strings.Contains(file.Content, "io.containerd.grpc.v1.cri")
		young := strings.Contains(file.Content, "version = 3") || strings.Contains(file.Content, "io.containerd.cri.v1")
		if isNew := slices.Compare(parsed[:], containerd2[:]) >= 0; isNew && old || !isNew && young {
			return fmt.Sprintf("%s: unsupported containerd configuration for k0s %s", file.Path, version)
		}
	}
	return ""
}
