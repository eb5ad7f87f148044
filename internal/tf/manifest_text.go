package tf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strings"

	strictjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

const manifestExample = "for example:\n\n  apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: settings"

// parseManifestText reads exactly one object. Errors name lines and keys, never values, since the text may hold
// what should not be shown.
func parseManifestText(text string) (map[string]any, error) {
	documents := yamlDocuments(text)
	switch {
	case len(documents) == 0:
		return nil, fmt.Errorf("the manifest is empty. It must hold one Kubernetes object, %s", manifestExample)
	case len(documents) > 1:
		return nil, fmt.Errorf("the manifest holds %d YAML documents, and one resource manages one object. Give each document its own "+
			"instance with for_each over the separate documents: a file for each (fileset), or a map of name to text", len(documents))
	}
	wire := []byte(documents[0])
	if !json.Valid(wire) { // JSON is read as it is: YAML does not take all of it, tabs for one.
		var err error
		if wire, err = yaml.YAMLToJSONStrict(wire); err != nil {
			return nil, fmt.Errorf("the manifest cannot be read as YAML or JSON: %s", yamlProblem(err))
		}
	}
	var value any
	duplicates, err := strictjson.UnmarshalStrict(bytes.TrimSpace(wire), &value, strictjson.DisallowDuplicateFields)
	if err != nil {
		return nil, fmt.Errorf("the manifest cannot be read as JSON: %w", err)
	}
	if len(duplicates) > 0 {
		return nil, fmt.Errorf("the manifest gives a key twice, and only one can be meant: %w", errors.Join(duplicates...))
	}
	value, err = wholeNumbers(value)
	if err != nil {
		return nil, err
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, wrongForm(formOf(value))
	}
	return object, nil
}

// yamlDocuments splits at the document markers and leaves out documents of white space, comments and directives
// only. A marker at the start of a line ends a document wherever it stands, so lines are enough to find them.
func yamlDocuments(text string) []string {
	var documents []string
	var current strings.Builder
	something := false
	lines := 0
	end := func() {
		if something {
			documents = append(documents, current.String())
		}
		current.Reset()
		something = false
		current.WriteString(strings.Repeat("\n", lines)) // So that errors name the lines of the whole text.
	}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if rest, ok := afterMarker(line); ok {
			end()
			line = rest
		}
		lines++
		content := strings.TrimSpace(line)
		if !something && strings.HasPrefix(line, "%") {
			line, content = "\n", ""
		}
		something = something || content != "" && !strings.HasPrefix(content, "#")
		current.WriteString(line)
	}
	end()
	return documents
}

// afterMarker returns what a line holds after a document marker; that keeps its column.
func afterMarker(line string) (string, bool) {
	for _, marker := range []string{"---", "..."} {
		rest, ok := strings.CutPrefix(line, marker)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], " \t\r\n")) {
			return "   " + rest, true
		}
	}
	return "", false
}

var shownValue = regexp.MustCompile("`[^`]*`?")

// yamlProblem words the parser's complaint without its own prefixes and without values.
func yamlProblem(err error) string {
	text := err.Error()
	for _, prefix := range []string{"error converting YAML to JSON: ", "yaml: ", "unmarshal errors:\n  "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return shownValue.ReplaceAllString(strings.ReplaceAll(text, "\n  ", "; "), "(value)")
}

// wholeNumbers turns floats that are whole into int64, so that 1, 1.0 and 1e0 are one number.
func wholeNumbers(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		for k, e := range v {
			n, err := wholeNumbers(e)
			if err != nil {
				return nil, err
			}
			v[k] = n
		}
	case []any:
		for i, e := range v {
			n, err := wholeNumbers(e)
			if err != nil {
				return nil, err
			}
			v[i] = n
		}
	case float64:
		return number(v)
	}
	return value, nil
}

func number(f float64) (any, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil, errors.New("the manifest holds a number that is too large; Kubernetes takes 64-bit numbers")
	}
	// 2^63 itself does not fit, and is a float64 exactly.
	if f == math.Trunc(f) && f >= math.MinInt64 && f < math.MaxInt64 {
		return int64(f), nil
	}
	return f, nil
}
