package tf

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// K0sVersion is a release of k0s: a Kubernetes version and the build of k0s on it.
type K0sVersion struct{ Major, Minor, Patch, Build int }

// Version is a k0s version as text, in any spelling; all spellings of one release are the same.
type Version = Parsed[K0sVersion, versionFormat]

// VersionType is the CustomType of a k0s version attribute.
type VersionType = ParsedType[K0sVersion, versionFormat]

// VersionOf is the version spelled as given.
func VersionOf(text string) Version { return Version{basetypes.NewStringValue(text)} }

// NullVersion is the version that is not set.
func NullVersion() Version { return Version{basetypes.NewStringNull()} }

// UnknownVersion is the version that is not known yet.
func UnknownVersion() Version { return Version{basetypes.NewStringUnknown()} }

// Four digits each are far more than any release has, and cannot overflow.
var versionSpelling = regexp.MustCompile(`^v?(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:[+-]k0s\.(0|[1-9]\d{0,3}))?$`)

// ParseVersion reads "1.35.4", "v1.35.4+k0s.0" or "v1.35.4-k0s.0". Without a build it is build 0, as k0smotron
// takes it.
func ParseVersion(text string) (K0sVersion, error) {
	m := versionSpelling.FindStringSubmatch(text)
	if m == nil {
		return K0sVersion{}, fmt.Errorf("%s is not a k0s version%s. Allowed is major.minor.patch with or without a leading v, "+
			"and the k0s build after + or - (k0s.0 if left out); for example \"v1.35.4+k0s.0\"", quote(text), versionHint(text))
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1]) // The pattern lets through digits only; an absent build is 0.
	}
	return K0sVersion{n[0], n[1], n[2], n[3]}, nil
}

func versionHint(text string) string {
	switch {
	case strings.Contains(text, "-alpha"), strings.Contains(text, "-beta"), strings.Contains(text, "-rc"):
		return ": pre-releases are not supported"
	case strings.Count(text, ".") == 1:
		return ": the patch is missing, and one release must be meant"
	}
	return ""
}

// String is the canonical spelling, which every field of k0smotron takes.
func (v K0sVersion) String() string {
	return fmt.Sprintf("v%d.%d.%d+k0s.%d", v.Major, v.Minor, v.Patch, v.Build)
}

// Tag is the spelling for image tags and label values, where + is not allowed.
func (v K0sVersion) Tag() string { return strings.Replace(v.String(), "+", "-", 1) }

// Compare is negative, zero or positive as v is older than, the same as or newer than to.
func (v K0sVersion) Compare(to K0sVersion) int {
	return cmp.Or(cmp.Compare(v.Major, to.Major), cmp.Compare(v.Minor, to.Minor), cmp.Compare(v.Patch, to.Patch), cmp.Compare(v.Build, to.Build))
}

// AtLeast is true for to and everything newer.
func (v K0sVersion) AtLeast(to K0sVersion) bool { return v.Compare(to) >= 0 }

// MinorsUpTo counts the minor versions from v up to another; negative is down. A major version counts as more
// minors than there are, so that it is never one step.
func (v K0sVersion) MinorsUpTo(to K0sVersion) int {
	return (to.Major-v.Major)*10000 + to.Minor - v.Minor
}

type versionFormat struct{}

func (versionFormat) Name() string                          { return "k0s version" }
func (versionFormat) Parse(text string) (K0sVersion, error) { return ParseVersion(text) }
func (versionFormat) Same(a, b K0sVersion) bool             { return a == b }
