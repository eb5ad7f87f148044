package tf

import (
	"fmt"
	"regexp"

	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"k8s.io/apimachinery/pkg/api/resource"
)

// Quantity is a Kubernetes quantity as text: "500m" cores, "64Gi" bytes. "1000m" and "1" are the same.
type Quantity = Parsed[resource.Quantity, quantityFormat]

// QuantityType is the CustomType of a quantity attribute.
type QuantityType = ParsedType[resource.Quantity, quantityFormat]

// QuantityOf is the quantity spelled as given.
func QuantityOf(text string) Quantity { return Quantity{basetypes.NewStringValue(text)} }

// NullQuantity is the quantity that is not set.
func NullQuantity() Quantity { return Quantity{basetypes.NewStringNull()} }

// UnknownQuantity is the quantity that is not known yet.
func UnknownQuantity() Quantity { return Quantity{basetypes.NewStringUnknown()} }

type quantityFormat struct{}

// quantitySpelling is narrower than what the Kubernetes parser takes: two digits of exponent and forty of
// each part are enough for anything real, and keep "1e-2000000000" from eating the machine.
var quantitySpelling = regexp.MustCompile(`^[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})([numkMGTPE]|[KMGTPE]i|[eE][+-]?\d{1,2})?$`)

// Kubernetes silently cuts binary quantities at 2^63-1; what is near that is no real amount of anything.
var largestQuantity, smallestQuantity = resource.MustParse("8E"), resource.MustParse("-8E")

// ParseQuantity reads a Kubernetes quantity.
func ParseQuantity(text string) (resource.Quantity, error) {
	if quantitySpelling.MatchString(text) {
		if q, err := resource.ParseQuantity(text); err == nil && q.Cmp(largestQuantity) <= 0 && q.Cmp(smallestQuantity) >= 0 {
			return q, nil
		}
	}
	return resource.Quantity{}, fmt.Errorf("%s is not a quantity. Allowed is a Kubernetes quantity: a number, with at most 40 digits "+
		"on either side of the point, and one of the suffixes n, u, m, k, M, G, T, P, E (powers of 1000), "+
		"Ki, Mi, Gi, Ti, Pi, Ei (powers of 1024) or e with an exponent, without spaces, and not beyond 8E; for example \"500m\", \"16\" or \"64Gi\"", quote(text))
}

func (quantityFormat) Name() string                                 { return "quantity" }
func (quantityFormat) Parse(text string) (resource.Quantity, error) { return ParseQuantity(text) }
func (quantityFormat) Same(a, b resource.Quantity) bool             { return a.Cmp(b) == 0 }
