package acctest

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Canary is a made-up secret that must not show up where secrets have no place.
func Canary(name string) string { return "canary-" + name + "-3f9c1e" }

// NoCanary fails the test where one of the canaries stands in a file or, for a folder, in any file below it: in plain,
// or as base64 with any alignment.
func NoCanary(t testing.TB, canaries []string, paths ...string) {
	t.Helper()
	looked := 0
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			content, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			looked++
			for _, canary := range canaries {
				if how := found(content, canary); how != "" {
					t.Errorf("%s holds the secret %q%s: ...%s...", file, canary, how, around(content, canary))
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked == 0 {
		t.Fatal("there was no file to look for secrets in")
	}
}

func found(content []byte, canary string) string {
	if bytes.Contains(content, []byte(canary)) {
		return " in plain"
	}
	for shift := range 3 {
		// Base64 of the canary behind other bytes: the first and last characters depend on the neighbours.
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + canary))
		text = strings.TrimRight(text, "=")
		start := []int{0, 2, 3}[shift]
		if bytes.Contains(content, []byte(text[start:len(text)-1])) {
			return " as base64"
		}
	}
	return ""
}

func around(content []byte, canary string) string {
	at := bytes.Index(content, []byte(canary))
	if at < 0 {
		return ""
	}
	return string(content[max(0, at-120):min(len(content), at+len(canary)+40)])
}
