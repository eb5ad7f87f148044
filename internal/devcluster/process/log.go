package process

import (
	"io"
	"os"
	"strings"
)

const (
	tailLines = 15
	tailBytes = 16 << 10
)

// Tail returns the last lines of a log file for an error message, or why it cannot be read.
func Tail(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return "  (" + err.Error() + ")"
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		if _, err := f.Seek(-tailBytes, io.SeekEnd); err != nil {
			return "  (" + err.Error() + ")"
		}
	}
	data, err := io.ReadAll(io.LimitReader(f, 2*tailBytes))
	if err != nil {
		return "  (" + err.Error() + ")"
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) > tailLines {
		lines = lines[len(lines)-tailLines:]
	}
	return "  " + strings.Join(lines, "\n  ")
}
