package reflector

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/gate/prove"
)

const provedPriority = `signature selection.priority(
  rank: num in [0, 1], visits: int in [0, 1e6], total: int in [0, 1e8],
  prior: num in [0, 1], depth: int in [0, 1e4], n_nodes: int in [1, 1e6],
) -> num {
  assume visits <= total
  assume depth < n_nodes
}
`

const provedBinpack = `signature binpack.priority(
  item: num in [1, 1e6], bin: num in [1, 1e6], cap: num in [1, 1e6], prev: num in [0, 1e6],
  has_prev: int in [0, 1], idx: int in [0, 1e6], max_bin: num in [1, 1e6],
) -> num {
  assume item <= bin
  assume bin <= max_bin
  assume max_bin <= cap
}
`

// bredRules are random rules of the breeder, every other one changed a few times.
func bredRules(sig *dsl.Signature, n int) []*dsl.Rule {
	out := make([]*dsl.Rule, 0, n)
	for seed := 0; len(out) < n; seed++ {
		m := mutator{vocabulary: newVocabulary(sig), rng: rand.New(rand.NewPCG(uint64(seed), 1))}
		r := m.grower(nil).rule()
		if seed%2 == 1 {
			mate := m.grower(nil).rule()
			for range 6 {
				m.change(r, mate)
			}
		}
		if dsl.CheckRule(r, sig, dsl.Limits{}) == nil && dsl.Ops(r) > 2 && dsl.Ops(r) <= DefaultMaxOps {
			out = append(out, r)
		}
	}
	return out
}

// Most bred rules are decided within the gate's boxes. What is proved finite stays so at 100,000 random points and where a
// climb for large values leads; a witness satisfies every assumption, is whole in int inputs, and is
// confirmed by the reference evaluator.
func TestBredRulesAreDecided(t *testing.T) {
	for _, text := range []string{provedPriority, provedBinpack} {
		f, err := dsl.Parse("sig", text)
		if err != nil {
			t.Fatal(err)
		}
		sig := f.Decls[0].(*dsl.Signature)
		g, err := gate.New(gate.Config{Signature: sig})
		if err != nil {
			t.Fatal(err)
		}
		allow := allowedBy(t, sig)
		rng := rand.New(rand.NewPCG(7, 7))
		points := randomColumns(rng, sig, allow, 100_000)
		count := map[prove.Answer]int{}
		rules := bredRules(sig, 200)
		for _, r := range rules {
			proof, _, err := g.Prove(r, prove.GateBoxes)
			if err != nil {
				t.Fatal(err)
			}
			count[proof.Answer]++
			switch proof.Answer {
			case prove.Proved:
				survive(t, sig, r, points, allow, rng)
			case prove.Refuted:
				confirmWitness(t, sig, r, proof, allow)
			}
		}
		t.Logf("%s: %d proved, %d refuted, %d unknown of %d", sig.Name.Text, count[prove.Proved], count[prove.Refuted], count[prove.Unknown], len(rules))
		if decided := count[prove.Proved] + count[prove.Refuted]; decided*100 < 60*len(rules) {
			t.Errorf("%d of %d rules are decided", decided, len(rules))
		}
	}
}

// allowedBy evaluates a signature's assumptions by the reference evaluator.
func allowedBy(t *testing.T, sig *dsl.Signature) func([]float64) bool {
	to := &dsl.Signature{Name: sig.Name, Inputs: sig.Inputs, Result: dsl.BoolType}
	var all []*dsl.Reference
	for _, c := range sig.Clauses {
		if c.Kind != dsl.AssumeClause {
			continue
		}
		ref, err := dsl.NewReference(&dsl.Rule{Name: sig.Name, Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: c.Expr}}}}, to)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, ref)
	}
	return func(point []float64) bool {
		for _, ref := range all {
			if v, err := ref.Eval(point); err != nil || v == 0 {
				return false
			}
		}
		return true
	}
}

// randomPoint draws inputs within their domains, uniform or by magnitude.
func randomPoint(rng *rand.Rand, sig *dsl.Signature) []float64 {
	p := make([]float64, len(sig.Inputs))
	for i, in := range sig.Inputs {
		u := rng.Float64()
		switch {
		case rng.IntN(8) == 0:
			p[i] = in.Lo
		case in.Hi > 1000 && rng.IntN(2) == 0:
			p[i] = math.Exp(u*math.Log1p(in.Hi)) - 1
		default:
			p[i] = in.Lo + u*(in.Hi-in.Lo)
		}
		if p[i] = math.Min(math.Max(p[i], in.Lo), in.Hi); in.Int {
			p[i] = math.Floor(p[i])
		}
	}
	return p
}

// randomColumns draws n allowed points, a column for each input.
func randomColumns(rng *rand.Rand, sig *dsl.Signature, allow func([]float64) bool, n int) [][]float64 {
	cols := make([][]float64, len(sig.Inputs))
	for len(cols[0]) < n {
		if p := randomPoint(rng, sig); allow(p) {
			for i, x := range p {
				cols[i] = append(cols[i], x)
			}
		}
	}
	return cols
}

// survive runs a proved rule on the points and climbs from the largest value that it meets.
func survive(t *testing.T, sig *dsl.Signature, r *dsl.Rule, cols [][]float64, allow func([]float64) bool, rng *rand.Rand) {
	p, err := dsl.Compile(r, sig)
	if err != nil {
		t.Fatal(err)
	}
	best, at := -1.0, make([]float64, len(cols))
	visit := func(v float64, point func(i int) float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Fatalf("proved finite, but %v\n%s", v, dsl.FormatRule(r))
		}
		if math.Abs(v) > best {
			best = math.Abs(v)
			for i := range at {
				at[i] = point(i)
			}
		}
	}
	out := make([]float64, len(cols[0]))
	p.Batch(cols, out)
	for k, v := range out {
		visit(v, func(i int) float64 { return cols[i][k] })
	}
	next := make([]float64, len(at))
	for range 2000 {
		other := randomPoint(rng, sig)
		for i, in := range sig.Inputs {
			switch next[i] = at[i]; rng.IntN(4) {
			case 0:
				next[i] = other[i]
			case 1:
				next[i] = at[i] + (other[i]-at[i])/256
			}
			if in.Int {
				next[i] = math.Floor(next[i])
			}
		}
		if allow(next) {
			visit(p.Num(next), func(i int) float64 { return next[i] })
		}
	}
}

func confirmWitness(t *testing.T, sig *dsl.Signature, r *dsl.Rule, proof prove.Proof, allow func([]float64) bool) {
	w := proof.Witness
	if !allow(w) {
		t.Errorf("the witness %v breaks an assumption", w)
	}
	for i, in := range sig.Inputs {
		if w[i] < in.Lo || w[i] > in.Hi || in.Int && w[i] != math.Trunc(w[i]) {
			t.Errorf("the witness has %s = %v", in.Name.Text, w[i])
		}
	}
	ref, err := dsl.NewReference(r, sig)
	if err != nil {
		t.Fatal(err)
	}
	if v, err := ref.Eval(w); err != nil || !math.IsNaN(v) && !math.IsInf(v, 0) {
		t.Errorf("the witness %v gives %v, %v\n%s", w, v, err, dsl.FormatRule(r))
	}
}
