package dsl

import (
	"math"
	"math/rand/v2"
	"testing"
)

// FuzzCompiled holds that whatever passes the check compiles, and that program, batch and reference agree bit for bit.
func FuzzCompiled(f *testing.F) {
	f.Add("rule f(x) { return x }", uint64(0))
	for _, src := range seedTexts() {
		f.Add(src, uint64(len(src)))
	}
	f.Fuzz(func(t *testing.T, src string, seed uint64) {
		file, err := Parse("f", src)
		if err != nil {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		info := Check(file, nil, CheckOptions{})
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *Rule:
				fuzzRule(t, d, info.Signatures[d], rng)
			case *Policy:
				if slot := info.Slots[d]; slot != nil && CheckPolicy(d, slot, Limits{}) == nil {
					fuzzPolicy(t, d, slot, rng)
				}
			}
		}
	})
}

// fuzzRule compares the evaluators of r under sig, or where it is bound to none under numbers of any size.
func fuzzRule(t *testing.T, r *Rule, sig *Signature, rng *rand.Rand) {
	if sig == nil {
		sig = signatureOf(r)
	}
	p, err := Compile(r, sig) // must not panic, whatever the check says
	if CheckRule(r, sig, Limits{}) != nil {
		return
	}
	if err != nil {
		t.Fatalf("passes the check but: %v", err)
	}
	reference, err := NewReference(r, sig)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 40
	cols, args := make([][]float64, len(sig.Inputs)), make([]float64, len(sig.Inputs))
	want, out := make([]float64, rows), make([]float64, rows)
	for row := range want {
		for i, in := range sig.Inputs {
			args[i] = fuzzArg(in, rng)
			cols[i] = append(cols[i], args[i])
		}
		if want[row], err = reference.Eval(args); err != nil {
			t.Fatal(err)
		}
		same(t, p.Num(args), want[row])
	}
	p.Batch(cols, out)
	for row := range want {
		same(t, out[row], want[row])
	}
}

func fuzzPolicy(t *testing.T, p *Policy, slot *Slot, rng *rand.Rand) {
	for _, h := range p.Hooks {
		for _, decl := range slot.Hooks {
			if decl.Name.Text != h.Name.Text {
				continue
			}
			program, err := CompileHook(p, h, decl, nil)
			if err != nil {
				t.Fatalf("passes the check but: %v", err)
			}
			reference, err := NewReferenceHook(p, h, decl, nil)
			if err != nil {
				t.Fatal(err)
			}
			args := make([]float64, len(decl.Inputs))
			got, want := make([]float64, len(p.States)), make([]float64, len(p.States))
			for i, s := range p.States {
				got[i], want[i] = s.Value, s.Value
			}
			for range 20 {
				for i, in := range decl.Inputs {
					args[i] = fuzzArg(in, rng)
				}
				v, err := reference.Step(args, want)
				if err != nil {
					t.Fatal(err)
				}
				same(t, program.Step(args, got), v)
				for i := range got {
					same(t, got[i], want[i])
				}
			}
		}
	}
}

func same(t *testing.T, got, want float64) {
	t.Helper()
	if math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("got %v (%#x), the reference says %v (%#x)", got, math.Float64bits(got), want, math.Float64bits(want))
	}
}

// fuzzArg draws a value of any kind, special numbers among them.
func fuzzArg(in *Input, rng *rand.Rand) float64 {
	switch in.Type.Kind {
	case BoolKind:
		return float64(rng.IntN(2))
	case WordKind:
		return float64(rng.IntN(len(in.Type.Words)))
	}
	special := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, in.Lo, in.Hi}
	if n := rng.IntN(2 * len(special)); n < len(special) {
		return special[n]
	}
	return rng.NormFloat64() * math.Pow(10, float64(rng.IntN(7)-2))
}
