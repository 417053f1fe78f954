package reflector

import (
	"math"
	"math/rand/v2"

	"github.com/agentdescent/adrun/dsl"
)

// tunable is a constant of a rule that may take another value.
type tunable struct {
	at *dsl.Num
	// whole says that only whole values make a difference: it is compared with whole numbers.
	whole bool
}

// maxTunable bounds the constants that are tuned at once: a search among more learns too slowly.
const maxTunable = 24

// tunables lists the constants of a rule in the order of its text, exponents apart: a power of a negative number is
// finite for whole exponents only.
func tunables(v *vocabulary, r *dsl.Rule) []tunable {
	sites := sitesOf(v, r)
	fixed, whole := map[*dsl.Num]bool{}, map[*dsl.Num]bool{}
	for _, s := range sites {
		switch e := (*s.at).(type) {
		case *dsl.Binary:
			x, _ := e.X.(*dsl.Num)
			y, _ := e.Y.(*dsl.Num)
			switch {
			case e.Op == dsl.Pow && y != nil:
				fixed[y] = true
			case e.Op >= dsl.Eq && e.Op <= dsl.Ge && y != nil:
				_, whole[y] = v.size(e.X)
			case e.Op >= dsl.Eq && e.Op <= dsl.Ge && x != nil:
				_, whole[x] = v.size(e.Y)
			}
		case *dsl.Call:
			if y, ok := e.Args[len(e.Args)-1].(*dsl.Num); ok && e.Fn.Text == "pow" {
				fixed[y] = true
			}
		}
	}
	var out []tunable
	for _, s := range sites {
		if n, ok := (*s.at).(*dsl.Num); ok && !fixed[n] && len(out) < maxTunable {
			out = append(out, tunable{at: n, whole: whole[n]})
		}
	}
	return out
}

// step is how far a constant moves at first.
func (t tunable) step() float64 {
	if t.whole {
		return math.Max(1, math.Abs(t.at.Value)/8)
	}
	return math.Max(0.05, math.Abs(t.at.Value)/4)
}

// set gives the constant a value that is read by people. A whole constant between two values takes either, the nearer
// one more often, so that the search sees both.
func (t tunable) set(x float64, rng *rand.Rand) {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
	case t.whole:
		t.at.Value = math.Floor(x + rng.Float64())
	default:
		t.at.Value = roundTo(x, 4)
	}
}
