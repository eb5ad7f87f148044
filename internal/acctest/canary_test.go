package acctest

import (
	"encoding/base64"
	"testing"
)

func TestCanariesAreFoundHoweverTheyAreWritten(t *testing.T) {
	canary := Canary("token")
	for name, test := range map[string]struct {
		content string
		want    string
	}{
		"not there":                 {"nothing to see", ""},
		"in plain":                  {`{"token":"` + canary + `"}`, " in plain"},
		"as base64":                 {base64.StdEncoding.EncodeToString([]byte(canary)), " as base64"},
		"as base64 behind one byte": {base64.StdEncoding.EncodeToString([]byte(":" + canary + "\n")), " as base64"},
		"as base64 behind two":      {base64.StdEncoding.EncodeToString([]byte("u:" + canary + " and more")), " as base64"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found([]byte(test.content), canary); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
