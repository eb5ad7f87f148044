package composite

import "slices"

// Facts is what Compose needs beside the model.
type Facts struct {
	writeOnly map[string]map[string][]byte // attribute -> key -> value; a nil value is known by its place only
	generated map[string][]byte
}

// WriteOnly returns the secret leaves of a write-only attribute by key. A write-only string has the one key "".
func (f Facts) WriteOnly(attribute string) map[string]Secret {
	out := make(map[string]Secret, len(f.writeOnly[attribute]))
	for key, value := range f.writeOnly[attribute] {
		out[key] = Secret{Attribute: attribute, Key: key, value: slices.Clone(value), known: value != nil}
	}
	return out
}

// Generated returns the secret leaf of a value that the engine makes.
func (f Facts) Generated(name string) Secret {
	value, known := f.generated[name]
	return Secret{Attribute: name, value: value, known: known}
}

// GeneratedValue hands a generated value to a Compose that derives something public from it, such as a public key. It is
// nil in plans and reads, so leave out what is derived there: it is no part of the revision, and never drifts.
func (f Facts) GeneratedValue(name string) []byte { return slices.Clone(f.generated[name]) }
