package standin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// change is one step in the life of an object: what was added, changed or taken away.
type change struct {
	Object string         `json:"object"` // Kind.group/name
	Event  string         `json:"event"`  // ADDED, MODIFIED, DELETED
	Fields map[string]any `json:"fields,omitempty"`
	Gone   []string       `json:"gone,omitempty"`
	// Partial says that the record was cut off: there were more fields.
	Partial bool `json:"partial,omitempty"`
	// revision is the resource version, of a change that was watched: kinds are watched one by one, and it puts them in order.
	revision int64
}

func (c change) String() string {
	var parts []string
	for _, key := range slices.Sorted(maps.Keys(c.Fields)) {
		parts = append(parts, fmt.Sprintf("%s=%v", key, c.Fields[key]))
	}
	for _, key := range c.Gone {
		parts = append(parts, key+" gone")
	}
	return c.Event + " " + c.Object + ": " + strings.Join(parts, "; ")
}

// cutAt is the length at which the recorder cut its lines.
const cutAt = 900

var (
	line      = regexp.MustCompile(`^\s*[0-9.]+ (ADDED|MODIFIED|DELETED) +(\S+?): ?(.*)$`)
	goneField = regexp.MustCompile(`^(\S+) gone(?:; |$)`)
)

// readTrace parses a recorded trace.
func readTrace(t *testing.T, path string) []change {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var changes []change
	for text := range strings.Lines(string(content)) {
		text = strings.TrimSuffix(text, "\n")
		match := line.FindStringSubmatch(text)
		if match == nil {
			t.Fatalf("%s: not a line of a trace: %s", path, text)
		}
		c := change{Event: match[1], Object: match[2], Fields: map[string]any{}}
		c.Partial = len(text) >= cutAt
		if err := c.parse(match[3]); err != nil && !c.Partial {
			t.Fatalf("%s: %v in: %s", path, err, text)
		}
		changes = append(changes, c)
	}
	return changes
}

// parse reads `a.b=<JSON>; c.d=<JSON>; e.f gone`.
func (c *change) parse(rest string) error {
	for rest != "" {
		if match := goneField.FindStringSubmatch(rest); match != nil {
			c.Gone = append(c.Gone, match[1])
			rest = rest[len(match[0]):]
			continue
		}
		name, value, ok := strings.Cut(rest, "=")
		if !ok {
			return fmt.Errorf("field without a value: %q", rest)
		}
		decoder := json.NewDecoder(strings.NewReader(value))
		var parsed any
		if err := decoder.Decode(&parsed); err != nil {
			return fmt.Errorf("value of %s: %w", name, err)
		}
		rest = value[decoder.InputOffset():]
		if c.Partial && rest == "" {
			return nil // a number that is cut still parses
		}
		c.Fields[name] = parsed
		rest = strings.TrimPrefix(rest, "; ")
	}
	return nil
}

// operatorsPart leaves of a trace what the operator itself did and what is the same in every run.
func operatorsPart(changes []change) []change {
	var kept []change
	for _, c := range changes {
		kind, _, _ := strings.Cut(c.Object, "/")
		switch kind {
		case "K0smotronControlPlane.controlplane.cluster.x-k8s.io", "RemoteCluster.infrastructure.cluster.x-k8s.io",
			"Cluster.cluster.x-k8s.io", "Cluster.k0smotron.io", "Secret.v1":
		default:
			continue
		}
		keep := func(field string) bool {
			switch {
			case strings.Contains(field, ".sans["):
				return false // addresses of one machine
			case kind == "Cluster.cluster.x-k8s.io":
				return strings.HasPrefix(field, "spec.controlPlaneEndpoint.") || field == "meta.annotations.k0sproject.io/cluster-id"
			case kind != "Cluster.k0smotron.io":
				return !strings.HasPrefix(field, "meta.ownerReferences") && !strings.HasPrefix(field, "meta.labels.")
			}
			return true
		}
		out := change{Object: c.Object, Event: c.Event, Fields: map[string]any{}, Partial: c.Partial}
		for field, value := range c.Fields {
			if keep(field) {
				out.Fields[field] = stable(field, value)
			}
		}
		for _, field := range c.Gone {
			if keep(field) {
				out.Gone = append(out.Gone, field)
			}
		}
		slices.Sort(out.Gone)
		if kind == "Cluster.cluster.x-k8s.io" && c.Event == "MODIFIED" {
			out.Partial = false // what the operator writes there stands in lines of its own
		}
		if len(out.Fields)+len(out.Gone) > 0 || (c.Event == "DELETED" && kind != "Cluster.cluster.x-k8s.io") {
			kept = append(kept, out)
		}
	}
	return kept
}

// stable hides what differs in every run.
func stable(field string, value any) any {
	switch field {
	case "status.machineRef.namespace", "meta.deletionTimestamp", "meta.annotations.k0smotron.io/cluster-spec-hash", "meta.annotations.k0sproject.io/cluster-id":
		return "(varies)"
	}
	return value
}

// readTranscript reads a transcript of testdata.
func readTranscript(t *testing.T, path string) []change {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var changes []change
	if err := yaml.UnmarshalStrict(content, &changes); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return changes
}

// byObject gives every object's own history.
func byObject(changes []change) map[string][]change {
	histories := map[string][]change{}
	for _, c := range changes {
		histories[c.Object] = append(histories[c.Object], c)
	}
	return histories
}

// same reports how a change differs from the recorded one; "" if it does not.
func (c change) same(got change) string {
	if c.Event != got.Event {
		return "other event"
	}
	for _, field := range slices.Sorted(maps.Keys(c.Fields)) {
		if value, ok := got.Fields[field]; !ok || fmt.Sprint(value) != fmt.Sprint(c.Fields[field]) {
			return fmt.Sprintf("%s should be %v", field, c.Fields[field])
		}
	}
	if c.Partial {
		return ""
	}
	for _, field := range slices.Sorted(maps.Keys(got.Fields)) {
		if _, ok := c.Fields[field]; !ok {
			return fmt.Sprintf("%s was not recorded", field)
		}
	}
	if !slices.Equal(c.Gone, got.Gone) {
		return fmt.Sprintf("gone should be %v", c.Gone)
	}
	return ""
}
