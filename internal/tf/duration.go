package tf

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
)

// Duration is a Go duration as text. "90m" and "1h30m" are the same.
type Duration = Parsed[time.Duration, durationFormat]

// DurationType is the CustomType of a duration attribute.
type DurationType = ParsedType[time.Duration, durationFormat]

// DurationOf is the duration spelled as given.
func DurationOf(text string) Duration { return Duration{basetypes.NewStringValue(text)} }

// NullDuration is the duration that is not set.
func NullDuration() Duration { return Duration{basetypes.NewStringNull()} }

// UnknownDuration is the duration that is not known yet.
func UnknownDuration() Duration { return Duration{basetypes.NewStringUnknown()} }

type durationFormat struct{}

// ParseDuration reads a Go duration.
func ParseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("%s is not a duration. Allowed are numbers with a unit each, h, m, s, ms, us or ns, without spaces "+
			"and up to about 290 years; a bare number has no unit and days are written as hours; "+
			"for example \"90s\", \"15m\" or \"1h30m\"", quote(text))
	}
	return d, nil
}

func (durationFormat) Name() string                             { return "duration" }
func (durationFormat) Parse(text string) (time.Duration, error) { return ParseDuration(text) }
func (durationFormat) Same(a, b time.Duration) bool             { return a == b }
