package provider

import (
	"cmp"
	"os"
	"strings"
)

// The environment variables by which terraform-plugin-go and the framework know what to log. The framework goes by the
// first as well, but only once it has put a line together; by its own it knows beforehand.
const (
	sdkLevel       = "TF_LOG_SDK"
	frameworkLevel = "TF_LOG_SDK_FRAMEWORK"
)

// LogAsAsked keeps the plugin libraries from logging what nobody reads. By themselves they log everything, as JSON, and
// the command line parses every line of it only to throw it away; with small objects that is a third of a plan's cost.
// What the user asks for with TF_LOG, TF_LOG_PROVIDER or the libraries' own variables is logged as ever.
func LogAsAsked() error {
	if os.Getenv(sdkLevel) != "" {
		return nil
	}
	switch level := strings.ToUpper(cmp.Or(os.Getenv("TF_LOG_PROVIDER"), os.Getenv("TF_LOG"))); level {
	case "":
		return logFrom("OFF")
	case "DEBUG", "INFO", "WARN", "ERROR", "OFF":
		return logFrom(level)
	default: // everything: TRACE, JSON, and what the command line takes for TRACE
		return nil
	}
}

func logFrom(level string) error {
	if err := os.Setenv(sdkLevel, level); err != nil || os.Getenv(frameworkLevel) != "" {
		return err
	}
	return os.Setenv(frameworkLevel, level)
}
