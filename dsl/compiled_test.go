package dsl_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/dsltest"
)

// sameBits fails unless got is want bit for bit. NaN is one value: the one that math.NaN returns.
func sameBits(t interface{ Fatalf(string, ...any) }, what string, got, want float64) {
	if math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s: got %v (%#x), the reference says %v (%#x)", what, got, math.Float64bits(got), want, math.Float64bits(want))
	}
}

// compiled is a rule as a program and as its reference.
func compiled(t rapid.TB, rule *dsl.Rule, sig *dsl.Signature) (*dsl.Program, *dsl.Reference) {
	t.Helper()
	program, err := dsl.Compile(rule, sig)
	if err != nil {
		t.Fatalf("%v\n%s", err, dsl.FormatRule(rule))
	}
	reference, err := dsl.NewReference(rule, sig)
	if err != nil {
		t.Fatalf("%v\n%s", err, dsl.FormatRule(rule))
	}
	return program, reference
}

func TestCompiledRuleEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		rule := dsltest.Rule(t, sig)
		if err := dsl.CheckRule(rule, sig, dsl.Limits{}); err != nil {
			t.Fatalf("%v\n%s", err, dsl.FormatRule(rule))
		}
		program, reference := compiled(t, rule, sig)
		for range 20 {
			args := dsltest.Args(t, sig.Inputs)
			want, err := reference.Eval(args)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, dsl.FormatRule(rule)+program.String(), program.Num(args), want)
		}
	})
}

// drawColumns draws columns: some with a value a row, some with one value for all rows.
func drawColumns(t *rapid.T, inputs []*dsl.Input, rows int) [][]float64 {
	cols := make([][]float64, len(inputs))
	first := dsltest.Args(t, inputs)
	for i := range cols {
		cols[i] = []float64{first[i]}
	}
	single := rapid.SliceOfN(rapid.Bool(), len(inputs), len(inputs)).Draw(t, "single")
	for range rows - 1 {
		for i, v := range dsltest.Args(t, inputs) {
			if !single[i] {
				cols[i] = append(cols[i], v)
			}
		}
	}
	return cols
}

func TestBatchEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		rule := dsltest.Rule(t, sig)
		program, reference := compiled(t, rule, sig)
		rows := rapid.SampledFrom([]int{1, 7, 8, 33, 40}).Draw(t, "rows")
		cols := drawColumns(t, sig.Inputs, rows)
		out := make([]float64, rapid.SampledFrom([]int{rows, rows, 300, 600}).Draw(t, "repeat"))
		long := make([][]float64, len(cols)) // the drawn rows over and over
		for i, col := range cols {
			if len(col) == 1 {
				long[i] = col
				continue
			}
			for r := range out {
				long[i] = append(long[i], col[r%rows])
			}
		}
		for range 2 { // the second time in used memory
			clear(out)
			program.Batch(long, out)
			args := make([]float64, len(cols))
			for r := range out {
				for i, col := range long {
					args[i] = col[min(r, len(col)-1)]
				}
				want, err := reference.Eval(args)
				if err != nil {
					t.Fatal(err)
				}
				sameBits(t, dsl.FormatRule(rule), out[r], want)
			}
		}
	})
}

// TestBatchInTheMemoryOfOthers runs several programs in one Scratch, there and back: nothing of one may be left to the next.
func TestBatchInTheMemoryOfOthers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sig := dsltest.Signature(t)
		rows := rapid.SampledFrom([]int{33, 40, 300}).Draw(t, "rows")
		var programs []*dsl.Program
		var inputs [][][]float64
		for range rapid.IntRange(2, 4).Draw(t, "rules") {
			program, err := dsl.Compile(dsltest.Rule(t, sig), sig)
			if err != nil {
				t.Fatal(err)
			}
			programs = append(programs, program)
			cols := drawColumns(t, sig.Inputs, 33)
			for i, col := range cols {
				for r := 33; len(col) > 1 && r < rows; r++ {
					cols[i] = append(cols[i], col[r%33])
				}
			}
			inputs = append(inputs, cols)
		}
		var scratch dsl.Scratch
		out, args := make([]float64, rows), make([]float64, len(sig.Inputs))
		for turn := range 2 * len(programs) {
			k := turn % len(programs)
			programs[k].BatchIn(&scratch, inputs[k], out)
			for r := range out {
				for i, col := range inputs[k] {
					args[i] = col[min(r, len(col)-1)]
				}
				sameBits(t, programs[k].String(), out[r], programs[k].Num(args))
			}
		}
	})
}

func TestCompiledPolicyEqualsReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		policy, slot := dsltest.Policy(t)
		if err := dsl.CheckPolicy(policy, slot, dsl.Limits{}); err != nil {
			t.Fatalf("%v\n%s", err, dsl.FormatDecl(policy))
		}
		params := make([]float64, len(policy.Params))
		for i := range params {
			params[i] = rapid.Float64Range(-2, 2).Draw(t, "value")
		}
		state, wantState := make([]float64, len(policy.States)), make([]float64, len(policy.States))
		for range 3 {
			for i, hook := range policy.Hooks {
				decl := slot.Hooks[i]
				program, err := dsl.CompileHook(policy, hook, decl, params)
				if err != nil {
					t.Fatalf("%v\n%s", err, dsl.FormatDecl(policy))
				}
				reference, err := dsl.NewReferenceHook(policy, hook, decl, params)
				if err != nil {
					t.Fatal(err)
				}
				args := dsltest.Args(t, decl.Inputs)
				if hook.On {
					want, err := reference.Apply(args, wantState)
					if err != nil {
						t.Fatal(err)
					}
					if got := program.Apply(args, state); got != want {
						t.Fatalf("%s%s: got %v, the reference says %v", dsl.FormatDecl(policy), program, got, want)
					}
				} else {
					want, err := reference.Step(args, wantState)
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, dsl.FormatDecl(policy)+program.String(), program.Step(args, state), want)
				}
				for i := range state {
					sameBits(t, dsl.FormatDecl(policy)+program.String(), state[i], wantState[i])
				}
			}
		}
	})
}

// Selects on one condition share a branch, which has to stand where every one of them is computed for all its readers.
func TestSharedBranchesServeEveryReader(t *testing.T) {
	const signature = "signature r(a: num in [0, 9], b: num in [0, 9], c: num in [0, 9]) -> num\n"
	for _, body := range []string{
		"return (b > 1 ? x * log(1 + c) : 1) + y",
		"return (b > 1 ? y * log(1 + c) : 1) + x",
		"return (b > 1 ? x * log(1 + c) : 1) + (c > 1 ? y * log(1 + b) : 2)",
		"return (b > 1 ? y * log(1 + c) : 1) + (c > 1 ? x * log(1 + b) : 2)",
		"return b > 1 ? (c > 1 ? x * log(1 + c) : y) : 3",
		"return b > 1 ? (c > 1 ? y * log(1 + c) : x) : 3",
	} {
		text := signature + "rule r { let x = 0 let y = 0 if a > 1 { x = exp(b) y = exp(c) } else { x = pow(b, 2.5) y = pow(c, 1.5) } " + body + " }"
		f, err := dsl.Parse("shared", text)
		if err != nil {
			t.Fatal(err)
		}
		sig, rule := f.Decls[0].(*dsl.Signature), f.Decls[1].(*dsl.Rule)
		program, reference := compiled(t, rule, sig)
		// The second point finds in the registers what the first left there.
		for i := range 64 {
			args := []float64{float64(i & 3), float64(i >> 2 & 3), float64(i >> 4 & 3)}
			want, err := reference.Eval(args)
			if err != nil {
				t.Fatal(err)
			}
			sameBits(t, body+program.String(), program.Num(args), want)
		}
	}
}
