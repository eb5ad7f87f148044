package composite

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
)

// pendingRevision stands in state for a composition that was applied and not yet found ready.
const pendingRevision = "pending"

// revisionOf is the hash of a composition, free of the dialect, of secrets and of who owns it: the same declaration has
// the same revision in every cluster and state.
func revisionOf(objects []Object) string {
	lines := make([]string, 0, len(objects))
	for _, o := range objects {
		body := o.render(toDryRun)
		delete(body, "apiVersion")
		raw, err := json.Marshal(body)
		if err != nil { // plain data always encodes
			raw = []byte(err.Error())
		}
		lines = append(lines, o.Kind.Group+" "+string(raw))
	}
	slices.Sort(lines)
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	return hex.EncodeToString(sum[:6])
}

// Revision is what the revision attribute becomes once a composition is complete.
func Revision(objects []Object) string { return revisionOf(objects) }

// changed lists the objects whose declaration differs between two compositions, new ones included. Another API version is a
// difference here, though none of the revision: it is declared in place, and has to be served.
func changed(prior, next []Object) []Object {
	declaration := func(o Object) string { return o.Kind.Version + " " + revisionOf([]Object{o}) }
	before := make(map[string]string, len(prior))
	for _, o := range prior {
		before[identity(o)] = declaration(o)
	}
	var out []Object
	for _, o := range next {
		if before[identity(o)] != declaration(o) {
			out = append(out, o)
		}
	}
	return out
}

func identity(o Object) string { return o.Kind.Group + "/" + o.String() }

func identityOf(r Ref) string {
	return r.Kind.Group + "/" + memberName(r.Kind.Kind, r.Namespace, r.Name)
}
