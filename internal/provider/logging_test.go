package provider

import (
	"os"
	"testing"
)

func TestLibrariesLogOnlyWhatTheUserAskedFor(t *testing.T) {
	for _, c := range []struct {
		sentence                      string
		log, provider, sdk, framework string
		want, wantFramework           string
	}{
		{"nothing is asked for, so nothing is logged", "", "", "", "", "OFF", "OFF"},
		{"a level is kept", "warn", "", "", "", "WARN", "WARN"},
		{"the provider's level goes before the general one", "WARN", "DEBUG", "", "", "DEBUG", "DEBUG"},
		{"trace is what the libraries do by themselves", "TRACE", "", "", "", "", ""},
		{"json is trace", "json", "", "", "", "", ""},
		{"the provider's trace goes before a general level", "ERROR", "TRACE", "", "", "", ""},
		{"the libraries' own level is left alone", "", "", "INFO", "", "INFO", ""},
		{"the framework's own level is left alone", "", "", "", "TRACE", "OFF", "TRACE"},
	} {
		t.Run(c.sentence, func(t *testing.T) {
			t.Setenv("TF_LOG", c.log)
			t.Setenv("TF_LOG_PROVIDER", c.provider)
			t.Setenv(sdkLevel, c.sdk)
			t.Setenv(frameworkLevel, c.framework)
			if err := LogAsAsked(); err != nil {
				t.Fatal(err)
			}
			if got := os.Getenv(sdkLevel); got != c.want {
				t.Errorf("the level of the libraries is %q, want %q", got, c.want)
			}
			if got := os.Getenv(frameworkLevel); got != c.wantFramework {
				t.Errorf("the level of the framework is %q, want %q", got, c.wantFramework)
			}
		})
	}
}
