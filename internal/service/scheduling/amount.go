package scheduling

import (
	"math"
	"math/big"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Resource is one of the three resources that are shared; its name is that of the attribute.
type Resource string

// The resources.
const (
	GPU    Resource = "gpu"
	CPU    Resource = "cpu"
	Memory Resource = "memory"
)

// Resources are all of them, in the order in which messages and objects have them.
var Resources = []Resource{GPU, CPU, Memory}

// Amount is an amount of a resource in units that add up exactly: millionths of a GPU, millicores, bytes.
type Amount struct {
	Units     int64
	Unlimited bool
	Unknown   bool // not known before the apply
}

// units of one GPU, and of one megabyte of KAI.
const (
	perGPU      = 1_000_000
	perMegabyte = 1_000_000 // the scheduler multiplies by 1000*1000, whatever its constant is called
)

// Known tells whether an amount is a number.
func (a Amount) Known() bool { return !a.Unknown && !a.Unlimited }

// Above tells whether an amount is more than another, as far as both are known. Nothing is above unlimited.
func (a Amount) Above(b Amount) bool {
	if a.Unknown || b.Unknown || b.Unlimited {
		return false
	}
	return a.Unlimited || a.Units > b.Units
}

// Plus adds amounts. What is too large for a number stays the largest one.
func (a Amount) Plus(b Amount) Amount {
	sum := a.Units + b.Units
	if a.Units > 0 && b.Units > 0 && sum < 0 {
		sum = math.MaxInt64
	}
	return Amount{Units: sum, Unlimited: a.Unlimited || b.Unlimited, Unknown: a.Unknown || b.Unknown}
}

// Minus is what is left of a known amount, at least nothing.
func (a Amount) Minus(b Amount) Amount { return Amount{Units: max(a.Units-b.Units, 0)} }

// GPUs is an amount of GPUs, rounded to a millionth.
func GPUs(n float64) Amount {
	units := math.Round(n * perGPU)
	if units > math.MaxInt64/2 {
		units = math.MaxInt64 / 2
	}
	return Amount{Units: int64(units)}
}

// QuantityAmount is an amount of CPU or memory. It is not exact where the quantity is finer than a millicore or a byte.
func QuantityAmount(r Resource, q resource.Quantity) (amount Amount, exact bool) {
	scale := resource.Scale(0)
	if r == CPU {
		scale = resource.Milli
	}
	units := q.ScaledValue(scale)
	back := resource.NewScaledQuantity(units, scale)
	return Amount{Units: units}, q.Cmp(*back) == 0
}

// Text is an amount as people write it: 24, 0.5, 64Gi.
func (a Amount) Text(r Resource) string {
	switch {
	case a.Unlimited:
		return "unlimited"
	case a.Unknown:
		return "not known yet"
	case r == GPU:
		return strconv.FormatFloat(a.Float(r), 'f', -1, 64)
	}
	return a.Quantity(r)
}

// Said is an amount with its unit, for messages: "24 GPUs", "64 CPUs", "64Gi of memory".
func (a Amount) Said(r Resource) string {
	text := a.Text(r)
	switch {
	case a.Unlimited || a.Unknown:
		return text + " " + string(r)
	case r == GPU && a.Units == perGPU:
		return "1 GPU"
	case r == GPU:
		return text + " GPUs"
	case r == CPU && a.Units == 1000:
		return "1 CPU"
	case r == CPU:
		return text + " CPUs"
	default:
		return text + " of memory"
	}
}

// Float is an amount in the unit of a Queue of KAI: GPUs, millicores, megabytes of 10^6 bytes; unlimited is -1.
func (a Amount) Float(r Resource) float64 {
	if a.Unlimited {
		return -1
	}
	unit := int64(1)
	switch r {
	case GPU:
		unit = perGPU
	case Memory:
		unit = perMegabyte
	case CPU:
	}
	f, _ := big.NewRat(a.Units, unit).Float64()
	return f
}

// FromFloat reads a number of a Queue of KAI. Any negative number is unlimited.
func FromFloat(r Resource, n float64) Amount {
	if n < 0 {
		return Amount{Unlimited: true}
	}
	unit := 1.0
	switch r {
	case GPU:
		unit = perGPU
	case Memory:
		unit = perMegabyte
	case CPU:
	}
	return Amount{Units: int64(math.Min(math.Round(n*unit), math.MaxInt64/2))}
}

// Quantity is an amount in the canonical spelling of Kubernetes, as Kueue writes it back.
func (a Amount) Quantity(r Resource) string {
	switch {
	case r == GPU:
		return resource.NewScaledQuantity(a.Units, resource.Micro).String()
	case r == CPU:
		return resource.NewMilliQuantity(a.Units, resource.DecimalSI).String()
	case a.Units%1024 == 0 && a.Units%1_000_000 != 0:
		return resource.NewQuantity(a.Units, resource.BinarySI).String()
	default:
		return resource.NewQuantity(a.Units, resource.DecimalSI).String()
	}
}

// Whole tells whether an amount of GPUs is a whole number, which is all that device plugins offer.
func (a Amount) Whole() bool { return !a.Known() || a.Units%perGPU == 0 }
