package composite

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/k0smos/terraform-provider-k0smos/internal/kube"
)

// record is what a resource instance remembers in private state: facts that are not the user's and hold no secret.
type record struct {
	Owner     string                       `json:"owner,omitempty"`
	Pin       kube.Pin                     `json:"pin"`
	Salt      string                       `json:"salt,omitempty"`
	Members   []Ref                        `json:"members,omitempty"`   // objects of the last apply, for pruning
	Partial   bool                         `json:"partial,omitempty"`   // adds fields to objects of others, owns none
	Accepted  map[string]map[string]string `json:"accepted,omitempty"`  // object -> field -> hash of what the server made of ours at once
	WriteOnly map[string]map[string]string `json:"writeOnly,omitempty"` // attribute -> key -> hash of the applied value
	Adopted   []string                     `json:"adopted,omitempty"`   // objects that others made: they keep their own label of who manages them
	Pending   string                       `json:"pending,omitempty"`   // why the last run did not complete
	Imported  bool                         `json:"imported,omitempty"`  // by an import; the first read completes it
	Foreign   string                       `json:"foreign,omitempty"`   // an import found objects that were not ours: whose
}

// recordKey is the key in private state.
const recordKey = "k0smos"

type privateReader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

type privateWriter interface {
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

func newRecord() *record {
	return &record{Owner: randomHex(), Salt: randomHex()}
}

func loadRecord(ctx context.Context, from privateReader) (*record, diag.Diagnostics) {
	raw, diags := from.GetKey(ctx, recordKey)
	r := &record{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, r); err != nil {
			diags.AddError("Private state is unreadable", "The provider's private data of this resource is not valid JSON: "+err.Error()+".\n\nImport the resource again: `terraform state rm`, then `terraform import`.")
		}
	}
	if r.Owner == "" {
		r.Owner = randomHex()
	}
	if r.Salt == "" {
		r.Salt = randomHex()
	}
	return r, diags
}

func (r *record) save(ctx context.Context, to privateWriter) diag.Diagnostics {
	raw, err := json.Marshal(r)
	if err != nil {
		return diag.Diagnostics{diag.NewErrorDiagnostic("Private state cannot be written", err.Error())}
	}
	return to.SetKey(ctx, recordKey, raw)
}

// hash is a salted fingerprint: equal values of one resource instance compare, and nothing else can be learned.
func (r *record) hash(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		raw = fmt.Appendf(nil, "%v", value)
	}
	sum := sha256.Sum256(append([]byte(r.Salt), raw...))
	return hex.EncodeToString(sum[:8])
}

// accept remembers what the API server, or a webhook, made of a field as soon as it was applied: a quantity in its
// canonical spelling, for example. Found again in that form it is no drift.
func (r *record) accept(object, field string, live any) {
	if r.Accepted == nil {
		r.Accepted = map[string]map[string]string{}
	}
	if r.Accepted[object] == nil {
		r.Accepted[object] = map[string]string{}
	}
	r.Accepted[object][field] = r.hash(live)
}

func (r *record) accepts(object, field string, live any) bool {
	hash, ok := r.Accepted[object][field]
	return ok && hash == r.hash(live)
}

func randomHex() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(b)
}
