package provider

import (
	"cmp"
	"os"
	"strings"
)

// sdkLevel is the environment variable by which terraform-plugin-go and the framework know what to log.
const sdkLevel = "TF_LOG_SDK"

// LogAsAsked keeps the plugin libraries from logging what nobody reads. By themselves they log everything, as JSON, and
// the command line parses every line of it only to throw it away; with small objects that is a third of a plan's cost.
// What the user asks for with TF_LOG, TF_LOG_PROVIDER or the libraries' own variables is logged as ever.
func LogAsAsked() error {
	if os.Getenv(sdkLevel) != "" {
		return nil
	}
	switch level := strings.ToUpper(cmp.Or(os.Getenv("TF_LOG_PROVIDER"), os.Getenv("TF_LOG"))); level {
	case "":
		return os.Setenv(sdkLevel, "OFF")
	case "DEBUG", "INFO", "WARN", "ERROR", "OFF":
		return os.Setenv(sdkLevel, level)
	default: // everything: TRACE, JSON, and what the command line takes for TRACE
		return nil
	}
}
