package standin

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// k0sVersion matches every spelling that the operator accepts, with or without the suffix.
var k0sVersion = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?(?:[-+][0-9A-Za-z.+-]+)?$`)

// parseVersion returns major, minor and patch.
func parseVersion(version string) ([3]int, error) {
	match := k0sVersion.FindStringSubmatch(version)
	if match == nil {
		return [3]int{}, fmt.Errorf("malformed version: %s", version)
	}
	var core [3]int
	for i, digits := range match[1:] {
		if digits == "" {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			return [3]int{}, err
		}
		core[i] = n
	}
	return core, nil
}

func hasSuffix(version string) bool {
	return strings.Contains(version, "-k0s.") || strings.Contains(version, "+k0s.")
}

// reportedVersion is the running version as the status shows it: with the suffix, spelt as in the spec.
func reportedVersion(running, wanted string) string {
	if !hasSuffix(running) {
		running += "+k0s.0"
	}
	if strings.Contains(wanted, "-k0s.") {
		return strings.Replace(running, "+k0s.", "-k0s.", 1)
	}
	return strings.Replace(running, "-k0s.", "+k0s.", 1)
}
