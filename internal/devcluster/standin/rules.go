package standin

import (
	"errors"
	"fmt"
	"slices"
)

// validate is what the operator's webhook says of a K0smotronControlPlane; old is nil when it is created. What it does
// not look at passes here too: downgrades, a misspelt persistence type.
func validate(old, object map[string]any) (warnings []string, err error) {
	was, is := text(old, "spec", "version"), text(object, "spec", "version")
	if old != nil && was != is {
		if was == "" || is == "" {
			return nil, nil
		}
		before, err := parseVersion(was)
		if err != nil {
			return nil, fmt.Errorf("failed to parse old version: %w", err)
		}
		after, err := parseVersion(is)
		if err != nil {
			return nil, fmt.Errorf("failed to parse new version: %w", err)
		}
		if after[1]-before[1] > 1 {
			return nil, errors.New("upgrading more than one minor version at a time is not allowed by the Kubernetes skew policy")
		}
	}
	if old != nil && text(object, "spec", "storage", "type") == "nats" {
		was, is := number(old, "spec", "replicas"), number(object, "spec", "replicas")
		if was != is {
			return nil, fmt.Errorf("NATS storage does not support scaling, replicas cannot be changed from %d to %d. "+
				"Please back up your data, update NATS cluster configuration, and recreate your cluster", was, is)
		}
	}
	if is != "" && !hasSuffix(is) {
		warnings = append(warnings, fmt.Sprintf(
			"The specified version '%s' requires a k0s suffix (k0s.<number>). Using '%s-k0s.0' instead.", is, is))
	}
	if err := validateIngress(object, is); err != nil {
		return nil, err
	}
	return warnings, validatePatches(object)
}

// validateIngress refuses the early releases of the minor that learnt to be behind an ingress.
func validateIngress(object map[string]any, version string) error {
	if _, used := lookup[map[string]any](object, "spec", "ingress"); !used {
		return nil
	}
	parsed, err := parseVersion(version)
	if err != nil {
		return fmt.Errorf("failed to parse k0s version %s: %w", version, err)
	}
	if least := [3]int{1, 34, 1}; parsed[1] == least[1] && slices.Compare(parsed[:], least[:]) < 0 {
		return fmt.Errorf("ingress controller is not supported with k0s version %s, minimum supported version for ingress is v1.34.1+k0s.0", version)
	}
	return nil
}

func validatePatches(object map[string]any) error {
	patches, _ := lookup[[]any](object, "spec", "patches")
	for i, entry := range patches {
		m, _ := entry.(map[string]any)
		if kind := text(m, "patch", "type"); !slices.Contains([]string{"json", "strategic", "merge"}, kind) {
			return fmt.Errorf("invalid patch type %q at index %d: must be one of json, strategic, merge", kind, i)
		}
	}
	return nil
}
