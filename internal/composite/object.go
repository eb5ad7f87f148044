package composite

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"

	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/k0smos/terraform-provider-k0smos/internal/api"
	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// Object is one Kubernetes object of a composition. Its content is plain JSON data, except that a leaf may be a Secret.
type Object struct {
	Kind      api.Kind
	Namespace string
	Name      string
	Content   map[string]any
}

// Secret is a leaf whose value may reach an object in the cluster and nothing else: no state, plan, log or message.
type Secret struct {
	Attribute string // the write-only attribute or generated secret it comes from
	Key       string // the element, where the attribute is a map
	value     []byte
	known     bool // false in plans and reads, where only the place is known
}

// NewObject returns the object that a typed struct of internal/api describes. The struct's own apiVersion and kind are
// filled in from kind.
func NewObject(kind api.Kind, namespace, name string, body any) (Object, error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return Object{}, fmt.Errorf("encode %s %s: %w", kind.Kind, name, err)
	}
	content := map[string]any{}
	if err := utiljson.Unmarshal(raw, &content); err != nil { // whole numbers as an API server has them
		return Object{}, fmt.Errorf("decode %s %s: %w", kind.Kind, name, err)
	}
	return RawObject(kind, namespace, name, content), nil
}

// RawObject returns the object that plain data describes. It completes apiVersion, kind, name and namespace.
func RawObject(kind api.Kind, namespace, name string, content map[string]any) Object {
	content = maps.Clone(content)
	metadata, _ := content["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	delete(metadata, "creationTimestamp")
	metadata["name"] = name
	if namespace != "" {
		metadata["namespace"] = namespace
	}
	content["apiVersion"] = kind.APIVersion()
	content["kind"] = kind.Kind
	content["metadata"] = metadata
	if status, ok := content["status"].(map[string]any); ok && len(status) == 0 {
		delete(content, "status")
	}
	return Object{Kind: kind, Namespace: namespace, Name: name, Content: content}
}

func (o Object) key() kube.Key {
	return kube.Key{Kind: kube.Kind(o.Kind), Namespace: o.Namespace, Name: o.Name}
}

// String names an object as drift and messages do: kind/namespace/name.
func (o Object) String() string {
	return memberName(o.Kind.Kind, o.Namespace, o.Name)
}

func memberName(kind, namespace, name string) string {
	if namespace == "" {
		return kind + "/" + name
	}
	return kind + "/" + namespace + "/" + name
}

// setMeta merges entries into metadata.labels or metadata.annotations without overwriting what is there.
func (o Object) setMeta(field string, entries map[string]string) {
	if len(entries) == 0 {
		return
	}
	metadata, _ := o.Content["metadata"].(map[string]any)
	have, _ := metadata[field].(map[string]any)
	merged := make(map[string]any, len(have)+len(entries))
	for k, v := range entries {
		merged[k] = v
	}
	maps.Copy(merged, have)
	metadata[field] = merged
}

// rendering says what becomes of the leaves that are secret when an object leaves the engine.
type rendering func(s Secret) (value any, keep bool)

// Renderings: the API server gets the value; a dry run and the revision leave it out; a manifest shows that there is one.
func toApply(s Secret) (any, bool) {
	return base64.StdEncoding.EncodeToString(s.value), s.known
}
func toDryRun(Secret) (any, bool) { return nil, false }
func toShow(Secret) (any, bool)   { return "(sensitive)", true }

// render copies the content with its secrets rendered. Null leaves are left out: null means "not ours".
func (o Object) render(how rendering) map[string]any {
	out, _ := renderValue(o.Content, how).(map[string]any)
	return out
}

func renderValue(v any, how rendering) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			switch e := e.(type) {
			case nil:
			case Secret:
				if r, keep := how(e); keep {
					out[k] = r
				}
			default:
				if r := renderValue(e, how); !withheld(e, r) {
					out[k] = r
				}
			}
		}
		return out
	case []any:
		out := make([]any, 0, len(v))
		for _, e := range v {
			if s, ok := e.(Secret); ok {
				if r, keep := how(s); keep {
					out = append(out, r)
				}
				continue
			}
			out = append(out, renderValue(e, how))
		}
		return out
	default:
		return v
	}
}

// withheld tells a map that holds secrets, all of them left out, from one that is declared empty. It is left out as well, so
// that a composition does not look different while its secrets are not known yet.
func withheld(v, rendered any) bool {
	entries, _ := v.(map[string]any)
	left, isMap := rendered.(map[string]any)
	if !isMap || len(left) > 0 {
		return false
	}
	for _, e := range entries {
		if _, secret := e.(Secret); secret {
			return true
		}
	}
	return false
}

// secrets lists the secret leaves of an object by their path of map keys.
func (o Object) secrets() map[string]secretAt {
	found := map[string]secretAt{}
	collectSecrets(o.Content, nil, found)
	return found
}

type secretAt struct {
	Secret
	path []string
}

func secretPlace(attribute, key string) string { return attribute + "\x00" + key }

func collectSecrets(v any, at []string, found map[string]secretAt) {
	m, ok := v.(map[string]any)
	if !ok {
		return
	}
	for k, e := range m {
		here := append(append([]string{}, at...), k)
		if s, ok := e.(Secret); ok {
			found[secretPlace(s.Attribute, s.Key)] = secretAt{s, here}
			continue
		}
		collectSecrets(e, here, found)
	}
}
