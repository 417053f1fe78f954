package binpack

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl/fmath"
	"github.com/agentdescent/adrun/internal/derive"
)

// Family names a distribution of instances.
type Family string

const (
	// OR is the uniform class of OR-Library: sizes 20 to 100 with equal probability, capacity 150 (Falkenauer 1996).
	OR Family = "or"
	// Weibull has sizes 45·W rounded and clipped to 1 to 100, W Weibull-distributed with shape 3, capacity 100
	// (Castiñeiras, De Cauwer and O'Sullivan 2012; the parameters are those of Romera-Paredes et al. 2024).
	Weibull Family = "weibull"
	// Mixed is OR for even seeds and Weibull for odd ones.
	Mixed Family = "mixed"
)

// Families returns the names of all families.
func Families() []Family { return []Family{OR, Weibull, Mixed} }

// Parameters of the families.
const (
	orCapacity, orSmallest, orLargest = 150, 20, 100

	weibullCapacity, weibullLargest = 100, 100
	weibullScale, weibullShape      = 45.0, 3.0
)

// Generate returns the instance of a seed: so many items, 1 to MaxItems, of a family, drawn from the stream of (seed,
// family, items). OR-Library's own sets have 120, 250, 500 and 1000 items, FunSearch's Weibull set 5000. The instance is
// the same on every machine. An unknown family, or a number of items out of range, is an error.
func Generate(family Family, items int, seed int64) (Instance, error) {
	if items < 1 || items > MaxItems {
		return Instance{}, fmt.Errorf("binpack: an instance of %d items; expected 1 to %d", items, MaxItems)
	}
	if family == Mixed {
		family = [...]Family{OR, Weibull}[seed&1]
	}
	in := Instance{ID: fmt.Sprintf("%s-%d-%d", family, items, seed), Items: make([]int, items)}
	var size func(*rand.Rand) int
	switch family {
	case OR:
		in.Capacity, size = orCapacity, orSize
	case Weibull:
		in.Capacity, size = weibullCapacity, weibullSize
	default:
		return Instance{}, fmt.Errorf("binpack: unknown family %q; expected one of %q", family, Families())
	}
	r := derive.Rand(uint64(seed), "binpack."+string(family), uint64(items))
	for i := range in.Items {
		in.Items[i] = size(r)
	}
	return in, nil
}

func orSize(r *rand.Rand) int { return orSmallest + r.IntN(orLargest-orSmallest+1) }

// weibullSize inverts the distribution function: W = (−ln(1 − U))^(1/shape).
func weibullSize(r *rand.Rand) int {
	w := fmath.Pow(-fmath.Log1p(-r.Float64()), 1/weibullShape)
	return int(math.Round(min(max(weibullScale*w, 1), weibullLargest)))
}
