package ownership

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// A path is a row of elements: a field (.name, or [name.with/dots], or ["any text"]), a list element by its keys
// ([name=http,port=80]), a member of a set ([=text]), a list element by position ([0]). Texts that could be taken for
// something else are quoted, so every path can be read back.

var errPath = errors.New("not a field path")

// FormatPath writes path in our syntax; ParsePath reads it back.
func FormatPath(path fieldpath.Path) string {
	var b strings.Builder
	for i, e := range path {
		switch {
		case e.FieldName != nil:
			writeField(&b, *e.FieldName, i == 0)
		case e.Key != nil:
			b.WriteByte('[')
			for j, f := range *e.Key {
				if j > 0 {
					b.WriteByte(',')
				}
				b.WriteString(bareOrQuoted(f.Name) + "=" + formatValue(plainValue(f.Value)))
			}
			b.WriteByte(']')
		case e.Value != nil:
			b.WriteString("[=" + formatValue(plainValue(*e.Value)) + "]")
		case e.Index != nil:
			fmt.Fprintf(&b, "[%d]", *e.Index)
		}
	}
	return b.String()
}

func writeField(b *strings.Builder, name string, first bool) {
	switch {
	case name != "" && !strings.ContainsAny(name, `.[]"`):
		if !first {
			b.WriteByte('.')
		}
		b.WriteString(name)
	case isInteger(name):
		b.WriteString("[" + strconv.Quote(name) + "]")
	default:
		b.WriteString("[" + bareOrQuoted(name) + "]")
	}
}

func bareOrQuoted(s string) string {
	if s == "" || strings.ContainsAny(s, `[]"=,`) {
		return strconv.Quote(s)
	}
	return s
}

// formatValue leaves a text bare unless it would be read back as a number, a boolean, null or two things.
func formatValue(v any) string {
	s, ok := v.(string)
	if !ok {
		text, err := json.Marshal(v)
		if err != nil {
			return strconv.Quote(fmt.Sprint(v))
		}
		return string(text)
	}
	if strings.ContainsAny(s, "{") || json.Valid([]byte(s)) {
		return strconv.Quote(s)
	}
	return bareOrQuoted(s)
}

func isInteger(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

func plainValue(v value.Value) any {
	if v == nil {
		return nil
	}
	return v.Unstructured()
}

// ParsePath reads a path in our syntax. It also reads the API server's two spellings, as far as they are the same: a
// leading dot and quoted key values are fine, but keys with dots need Canonical.
func ParsePath(path string) (fieldpath.Path, error) {
	rest := strings.TrimPrefix(path, ".")
	var out fieldpath.Path
	for first := true; rest != ""; first = false {
		var e fieldpath.PathElement
		var ok bool
		if rest[0] == '[' {
			e, rest, ok = parseBracket(rest[1:])
		} else {
			e, rest, ok = parseField(rest, first)
		}
		if !ok {
			return nil, fmt.Errorf("%w: %q", errPath, path)
		}
		out = append(out, e)
	}
	return out, nil
}

func parseField(s string, first bool) (e fieldpath.PathElement, rest string, ok bool) {
	if !first {
		if s[0] != '.' {
			return e, s, false
		}
		s = s[1:]
	}
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	return fieldpath.FieldNameElement(s[:end]), s[end:], end > 0
}

// parseBracket reads what follows an opening bracket, up to and with the closing one.
func parseBracket(s string) (e fieldpath.PathElement, rest string, ok bool) {
	if strings.HasPrefix(s, "=") {
		v, rest, ok := parseValue(s[1:])
		if !ok || !strings.HasPrefix(rest, "]") {
			return e, s, false
		}
		return fieldpath.ValueElement(value.NewValueInterface(v)), rest[1:], true
	}
	name, rest, quoted, ok := parseName(s)
	if !ok || rest == "" {
		return e, s, false
	}
	if rest[0] == ']' {
		if i, err := strconv.Atoi(name); err == nil && !quoted {
			return fieldpath.IndexElement(i), rest[1:], true
		}
		return fieldpath.FieldNameElement(name), rest[1:], true
	}
	return parseKeys(s)
}

func parseKeys(s string) (e fieldpath.PathElement, rest string, ok bool) {
	var fields value.FieldList
	for {
		name, after, _, ok := parseName(s)
		if !ok || !strings.HasPrefix(after, "=") {
			return e, s, false
		}
		v, after, ok := parseValue(after[1:])
		if !ok || after == "" {
			return e, s, false
		}
		fields = append(fields, value.Field{Name: name, Value: value.NewValueInterface(v)})
		if after[0] == ']' {
			fields.Sort()
			return fieldpath.PathElement{Key: &fields}, after[1:], true
		}
		s = after[1:]
	}
}

func parseName(s string) (name, rest string, quoted, ok bool) {
	if strings.HasPrefix(s, `"`) {
		name, rest, ok = unquotePrefix(s)
		return name, rest, true, ok
	}
	end := strings.IndexAny(s, "=]")
	if end <= 0 {
		return "", s, false, false
	}
	return s[:end], s[end:], false, true
}

// parseValue reads a quoted text, a JSON value, or else a bare text, up to the comma or bracket behind it.
func parseValue(s string) (v any, rest string, ok bool) {
	if s == "" {
		return nil, s, false
	}
	switch s[0] {
	case '"':
		text, rest, ok := unquotePrefix(s)
		return text, rest, ok
	case '[', '{':
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		if d.Decode(&v) != nil {
			return nil, s, false
		}
		return plain(v), s[d.InputOffset():], true
	}
	end := strings.IndexAny(s, ",]")
	if end <= 0 {
		return nil, s, false
	}
	return bareValue(s[:end]), s[end:], true
}

func bareValue(s string) any {
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var v any
	if !json.Valid([]byte(s)) || d.Decode(&v) != nil {
		return s
	}
	return plain(v)
}

func unquotePrefix(s string) (text, rest string, ok bool) {
	q, err := strconv.QuotedPrefix(s)
	if err != nil {
		return "", s, false
	}
	text, err = strconv.Unquote(q)
	return text, s[len(q):], err == nil
}
