package reflector

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
)

// vocabulary is what rules of a signature are made of: its inputs by kind, the differences that its
// assumptions make meaningful, and the sizes that values of an input have.
type vocabulary struct {
	sig   *dsl.Signature
	nums  []*dsl.Input
	bools []*dsl.Input
	words []*dsl.Input
	// pairs are inputs (lo, hi) that an assume orders: hi − lo is never negative.
	pairs [][2]*dsl.Input
	// scale is the largest size that an input has in the signature's own cases, else that of its domain.
	scale map[string]float64
}

// newVocabulary reads the vocabulary off a signature; names, if any, are the inputs to use.
func newVocabulary(sig *dsl.Signature, names ...string) *vocabulary {
	v := &vocabulary{sig: sig, scale: map[string]float64{}}
	byName := map[string]*dsl.Input{}
	for _, in := range sig.Inputs {
		if len(names) > 0 && !slices.Contains(names, in.Name.Text) {
			continue
		}
		byName[in.Name.Text] = in
		switch in.Type.Kind {
		case dsl.NumKind:
			v.nums = append(v.nums, in)
			v.scale[in.Name.Text] = math.Max(math.Abs(in.Lo), math.Abs(in.Hi))
		case dsl.BoolKind:
			v.bools = append(v.bools, in)
		case dsl.WordKind:
			v.words = append(v.words, in)
		}
	}
	cases := map[string]float64{}
	for _, c := range sig.Clauses {
		switch c.Kind {
		case dsl.AssumeClause:
			v.pair(c.Expr, byName)
		case dsl.CaseClause:
			for _, a := range c.Args {
				if n, ok := a.Value.(*dsl.Num); ok {
					cases[a.Name.Text] = math.Max(cases[a.Name.Text], math.Abs(n.Value))
				}
			}
		}
	}
	for name, size := range cases {
		if _, num := v.scale[name]; num && size > 0 {
			v.scale[name] = size
		}
	}
	return v
}

// pair notes an assumption of the form x <= y.
func (v *vocabulary) pair(e dsl.Expr, byName map[string]*dsl.Input) {
	b, ok := e.(*dsl.Binary)
	if !ok {
		return
	}
	x, okX := b.X.(*dsl.Ref)
	y, okY := b.Y.(*dsl.Ref)
	if !okX || !okY {
		return
	}
	lo, hi := byName[x.Name], byName[y.Name]
	if b.Op == dsl.Gt || b.Op == dsl.Ge {
		lo, hi = hi, lo
	}
	isOrder := b.Op == dsl.Lt || b.Op == dsl.Le || b.Op == dsl.Gt || b.Op == dsl.Ge
	if isOrder && lo != nil && hi != nil && lo.Type.Kind == dsl.NumKind && hi.Type.Kind == dsl.NumKind {
		v.pairs = append(v.pairs, [2]*dsl.Input{lo, hi})
	}
}

// size is how large an expression's values are, for the constants it is compared with or added to;
// whole says that they are whole numbers.
func (v *vocabulary) size(e dsl.Expr) (size float64, whole bool) {
	switch e := e.(type) {
	case *dsl.Num:
		return math.Abs(e.Value), e.Value == math.Trunc(e.Value)
	case *dsl.Ref:
		for _, in := range v.nums {
			if in.Name.Text == e.Name {
				return v.scale[e.Name], in.Int
			}
		}
	case *dsl.Unary:
		return v.size(e.X)
	case *dsl.Binary:
		x, wx := v.size(e.X)
		y, wy := v.size(e.Y)
		switch e.Op {
		case dsl.Add, dsl.Sub:
			return math.Max(x, y), wx && wy
		case dsl.Mul:
			return x * y, wx && wy
		case dsl.Div:
			return x / math.Max(y, 1), false
		case dsl.Mod:
			return y, wx && wy
		}
	case *dsl.Call:
		if len(e.Args) > 0 && (e.Fn.Text == "min" || e.Fn.Text == "max" || e.Fn.Text == "abs" || e.Fn.Text == "clamp") {
			return v.size(e.Args[0])
		}
	}
	return 1, false
}

// constant draws a literal of about the given size: log-uniform, whole where the values are.
func constant(rng *rand.Rand, size float64, whole bool) *dsl.Num {
	if size <= 0 || math.IsInf(size, 0) || math.IsNaN(size) {
		size = 1
	}
	if whole && size >= 1 {
		return &dsl.Num{Value: math.Floor(fmath.Exp(rng.Float64()*fmath.Log(size+1))-1) + float64(rng.IntN(2))}
	}
	x := size * fmath.Exp(-3*rng.Float64())
	return &dsl.Num{Value: roundTo(x, 3)}
}

// roundTo keeps so many significant digits: a rule is read by people. What is too near the ends of the floats to be
// scaled stays as it is.
func roundTo(x float64, digits int) float64 {
	if x == 0 || math.IsInf(x, 0) || math.IsNaN(x) {
		return x
	}
	scale := math.Pow10(digits - 1 - decade(math.Abs(x)))
	if r := math.Round(x*scale) / scale; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return r
	}
	return x
}

// decade is the exponent of the power of ten at or below x > 0.
func decade(x float64) int {
	d := 0
	for ; x >= 10 && d < 400; d++ {
		x /= 10
	}
	for ; x < 1 && d > -400; d-- {
		x *= 10
	}
	return d
}
