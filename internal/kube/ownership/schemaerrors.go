package ownership

import (
	"regexp"
	"strings"
)

// ParseSchemaErrors reads fields and complaints out of the text of a refused request. It knows these wordings:
//
//	failed to create typed patch object (geo/train; cluster.x-k8s.io/v1beta2, Kind=Cluster): .spec.replicaz: field not declared in schema
//	failed to create typed patch object (...): errors:\n  .spec.a: field not declared in schema\n  .spec.b: expected string, got ...
//	... strict decoding error: unknown field "spec.a", duplicate field "spec.b"
//	... json: cannot unmarshal string into Go struct field ResourceQuota.spec.scopes of type []v1.ResourceQuotaScope
//	Cluster.cluster.x-k8s.io "train" is invalid: [spec.a: Required value, spec.replicas: Invalid value: -1: ...]
//
// and returns nothing for other texts. Where the server prints the offending value as a Go value, it is left out: nobody
// can read it, and it may be a secret.
func ParseSchemaErrors(message string) []FieldError {
	if _, rest, ok := strings.Cut(message, "failed to create typed "); ok {
		if _, rest, ok = strings.Cut(rest, "): "); ok {
			return typedErrors(rest)
		}
	}
	if _, rest, ok := strings.Cut(message, "strict decoding error: "); ok {
		return strictErrors(rest)
	}
	if m := wrongGoType.FindStringSubmatch(message); m != nil {
		return []FieldError{{Path: Canonical(m[2], nil), Message: "expected " + m[3] + ", got " + m[1]}}
	}
	if _, rest, ok := strings.Cut(message, " is invalid: "); ok {
		return invalidErrors(rest)
	}
	return nil
}

var (
	wrongGoType   = regexp.MustCompile(`json: cannot unmarshal (\S+) into Go struct field [^.\s]+\.(\S+) of type (\S+)`)
	strictField   = regexp.MustCompile(`(unknown|duplicate) field ("(?:[^"\\]|\\.)*")`)
	printedValue  = regexp.MustCompile(`(?s)^(expected (?:string|boolean|any scalar|list|map)), got .*$`)
	fieldAndFault = regexp.MustCompile(`(?:^|, )((?:[\w$-]+|<nil>)(?:\.[\w$/-]+|\[[^\]]*\])*): ` +
		`(?:Invalid value|Required value|Unsupported value|Duplicate value|Forbidden|Not found|Too long|Too short|Too many|Too few|Internal error)`)
)

// typedErrors reads the errors of a typed patch: one, or after "errors:" one a line, indented by two blanks. A line that
// is not belongs to a printed value.
func typedErrors(text string) []FieldError {
	lines := []string{text}
	if list, ok := strings.CutPrefix(text, "errors:\n"); ok {
		lines = nil
		for _, line := range strings.Split(list, "\n") {
			if rest, ok := strings.CutPrefix(line, "  "); ok {
				lines = append(lines, rest)
			}
		}
	}
	var out []FieldError
	for _, line := range lines {
		path, message := splitPath(line)
		out = append(out, FieldError{Path: Canonical(path, nil), Message: printedValue.ReplaceAllString(message, "$1, got another type")})
	}
	return out
}

// splitPath cuts ".spec.rules[name=\"a: b\"].port: fault" in two. A text that does not start with a dot or bracket has no path.
func splitPath(line string) (path, message string) {
	if line == "" || line[0] != '.' && line[0] != '[' {
		return "", line
	}
	for at := 0; at < len(line); at++ {
		switch line[at] {
		case '"':
			_, rest, ok := unquotePrefix(line[at:])
			if !ok {
				return "", line
			}
			at = len(line) - len(rest) - 1
		case ':':
			if strings.HasPrefix(line[at:], ": ") {
				return line[:at], line[at+2:]
			}
		}
	}
	return "", line
}

func strictErrors(text string) []FieldError {
	var out []FieldError
	for _, m := range strictField.FindAllStringSubmatch(text, -1) {
		message := "field not declared in schema"
		if m[1] == "duplicate" {
			message = "field given twice"
		}
		out = append(out, FieldError{Path: Canonical(unquote(m[2]), nil), Message: message})
	}
	return out
}

// invalidErrors reads "path: Fault: detail", or several in brackets. Details have commas of their own, so a complaint ends
// where the next one starts.
func invalidErrors(text string) []FieldError {
	if strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
		text = text[1 : len(text)-1]
	}
	starts := fieldAndFault.FindAllStringSubmatchIndex(text, -1)
	var out []FieldError
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		path := text[at[2]:at[3]]
		out = append(out, FieldError{Path: Canonical(path, nil), Message: withoutPath(text[at[3]+2:end], path)})
	}
	return out
}
