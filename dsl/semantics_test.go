package dsl_test

import (
	"math"
	"sync"
	"testing"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/dsl/fmath"
)

// TestSemantics holds the three evaluators to LANGUAGE.md section 4, expression by expression.
func TestSemantics(t *testing.T) {
	nan, inf, minus := math.NaN(), math.Inf(1), math.Copysign(0, -1)
	tenth := 0.1
	for _, tc := range []struct {
		expr string
		x, y float64
		want float64
	}{
		{"x / y", 1, 0, inf},
		{"x / y", -1, 0, -inf},
		{"x / y", 0, 0, nan},
		{"log(x)", -1, 0, nan},
		{"sqrt(x)", -1, 0, nan},
		{"sqrt(x)", minus, 0, minus},
		{"1 / x", minus, 0, -inf},
		{"x + 0", minus, 0, 0}, // -0 + 0 is 0: not to be simplified away
		{"x - 0", minus, 0, minus},
		{"0 - x", 0, 0, 0}, // 0 - 0 is 0: not -x
		{"-x", 0, 0, minus},
		{"x * 0", inf, 0, nan},
		{"x * 0", -1, 0, minus},
		{"x - x", inf, 0, nan},
		{"x % y", -7, 3, 2},
		{"x % y", 7, -3, -2},
		{"x % y", 7, 0, nan},
		{"x % y", 5.5, 2, 1.5},
		{"7 / 2", 0, 0, 3.5},
		{"-2 ** 2", 0, 0, -4},
		{"2 ** 3 ** 2", 0, 0, 512},
		{"2 ** -1", 0, 0, 0.5},
		{"x ** 2", tenth, 0, tenth * tenth},
		{"x ** 0.5", 4, 0, 2},
		{"x ** y", nan, 0, 1},
		{"min(x, y)", nan, 1, nan},
		{"min(x, y)", 1, nan, nan},
		{"max(x, y)", minus, 0, 0},
		{"min(x, y)", 0, minus, minus},
		{"min(x, y, 1)", 3, 2, 1},
		{"max(x, 5, y)", 3, 7, 7},
		{"clamp(x, 0, 1)", 3, 0, 1},
		{"clamp(x, 0, 1)", -3, 0, 0},
		{"clamp(x, 0, 1)", nan, 0, nan},
		{"floor(x)", -1.5, 0, -2},
		{"ceil(x)", -1.5, 0, -1},
		{"ceil(x)", -0.5, 0, minus},
		{"abs(x)", minus, 0, 0},
		{"x == y ? 1 : 2", nan, nan, 2},
		{"x != y ? 1 : 2", nan, nan, 1},
		{"x < y ? 1 : 2", nan, 1, 2},
		{"!(x < y) ? 1 : 2", nan, 1, 1},
		{"x >= y ? 1 : 2", nan, 1, 2},
		{"x <= y || x > y ? 1 : 2", nan, 1, 2},
		{"x == y ? 1 : 2", 0, minus, 1},
		{"x > 0 && y > 0 || x < -1 ? 1 : 0", -2, 1, 1},
		{"x > 0 && (y > 0 || x < -1) ? 1 : 0", -2, 1, 0},
		{"x <= 4 ? x * 2 : y", 4, 1, 8}, // cheap sides: no jump
		{"x < 4 ? x * 2 : y", 4, 1, 1},
		{"x >= 4 ? x * 2 : y", 4, 1, 8},
		{"x > 4 ? x * 2 : y", 4, 1, 1},
		{"x == 4 ? x * 2 : y", 4, 1, 8},
		{"x != 4 ? x * 2 : y", 4, 1, 1},
		{"x < 4 ? x * 2 : y", nan, 1, 1},
		{"abs(x) <= 4 ? x * 2 : abs(x)", -4, 0, -8},
		{"log1p(x) * exp(y) + tanh(x - 2)", 0, 0, fmath.Tanh(-2)}, // a product that waits for its sum
		{"+x", 3, 0, 3},
		{"exp(x)", -inf, 0, 0},
		{"log1p(x)", minus, 0, minus},
		{"tanh(x)", inf, 0, 1},
		{"x / 3", 1, 0, 1.0 / 3},
		{"x / 4", 5e-324, 0, 0},
		{"x / 0.25", math.MaxFloat64, 0, inf},
		{"x / 5e-324", 5e-324, 0, 1}, // a power of two without a reciprocal
		{"1e308 * 10", 0, 0, inf},
		{"0.1 + 0.2", 0, 0, 0.30000000000000004},
	} {
		rule := parse(t, "rule f(x, y) { return "+tc.expr+" }")
		evaluateEverywhere(t, rule, []float64{tc.x, tc.y}, tc.want)
	}
}

// parse returns the rule of a text.
func parse(tb testing.TB, src string) *dsl.Rule {
	tb.Helper()
	file, err := dsl.Parse("test.rule", src)
	if err != nil {
		tb.Fatal(err)
	}
	return file.Decls[0].(*dsl.Rule)
}

// signatureFor is a signature of numbers with the inputs of r.
func signatureFor(r *dsl.Rule) *dsl.Signature {
	sig := &dsl.Signature{Name: dsl.Ident{Text: "test." + r.Name.Text}, Result: dsl.NumType}
	for _, in := range r.Inputs {
		sig.Inputs = append(sig.Inputs, &dsl.Input{Name: in, Type: dsl.NumType, Hi: 1e8})
	}
	return sig
}

// evaluateEverywhere fails unless the program, the batch and the reference all give want.
func evaluateEverywhere(t *testing.T, rule *dsl.Rule, args []float64, want float64) {
	t.Helper()
	sig := signatureFor(rule)
	program, reference := compiled(t, rule, sig)
	got, err := reference.Eval(args)
	if err != nil {
		t.Fatal(err)
	}
	text := dsl.FormatRule(rule)
	cols := make([][]float64, len(args))
	for i, v := range args {
		for range 40 {
			cols[i] = append(cols[i], v)
		}
	}
	out := make([]float64, 40)
	program.Batch(cols, out)
	for name, v := range map[string]float64{"reference": got, "program": program.Num(args), "batch": out[39]} {
		if math.Float64bits(v) != math.Float64bits(want) {
			t.Errorf("%s of %v: the %s gives %v, want %v", text, args, name, v, want)
		}
	}
}

func TestWordsAndBools(t *testing.T) {
	words := dsl.Type{Kind: dsl.WordKind, Words: []string{"direct", "search", "reflect"}}
	sig := &dsl.Signature{Name: dsl.Ident{Text: "route"}, Result: words, Inputs: []*dsl.Input{
		{Name: dsl.Ident{Text: "easy"}, Type: dsl.BoolType},
		{Name: dsl.Ident{Text: "last"}, Type: words},
	}}
	rule := parse(t, "rule route { if easy { return direct } return last == search ? reflect : last }")
	p, err := dsl.Compile(rule, sig)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		easy, last float64
		want       string
	}{{1, 2, "direct"}, {0, 0, "direct"}, {0, 1, "reflect"}, {0, 2, "reflect"}} {
		if got := p.Word([]float64{tc.easy, tc.last}); got != tc.want {
			t.Errorf("easy %v last %v: %q, want %q", tc.easy, tc.last, got, tc.want)
		}
	}
	sig.Result = dsl.BoolType
	p, err = dsl.Compile(parse(t, "rule route { return !easy && last != direct }"), sig)
	if err != nil {
		t.Fatal(err)
	}
	if p.Bool([]float64{0, 0}) || p.Bool([]float64{1, 1}) || !p.Bool([]float64{0, 1}) {
		t.Error("!easy && last != direct")
	}
	if p.Type().Kind != dsl.BoolKind || p.Word([]float64{0, 1}) != "" {
		t.Error("a bool rule has the kind bool and no words")
	}
}

// learner is a policy with state, and its slot.
const learner = `
slot arm per task {
  weight(total: num in [0, 1e9]) -> num
  on record(score: num in [0, 1])
}
policy bandit fills arm {
  param c = 0.5 in [0, 1]
  state sum = 0 in [0, 3]
  state trials = 0 in [0, 1e9]
  on record(score) {
    sum += score > 0.5 ? score * 2 : 0 / score
    trials += 1
    if trials > 2 { sum = sum - 5 }
  }
  weight(total) { return trials > 0 ? sum / trials + c : total }
}`

func TestPolicyState(t *testing.T) {
	file, err := dsl.Parse("test.rule", learner)
	if err != nil {
		t.Fatal(err)
	}
	slot, policy := file.Decls[0].(*dsl.Slot), file.Decls[1].(*dsl.Policy)
	weight, err := dsl.CompileHook(policy, policy.Hooks[1], slot.Hooks[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	eager, err := dsl.CompileHook(policy, policy.Hooks[1], slot.Hooks[0], []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	record, err := dsl.CompileHook(policy, policy.Hooks[0], slot.Hooks[1], nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dsl.CompileHook(policy, policy.Hooks[0], slot.Hooks[1], []float64{1, 2}); err == nil {
		t.Error("two params for a policy of one: compiled")
	}
	if _, err := dsl.CompileHook(policy, policy.Hooks[0], slot.Hooks[0], nil); err == nil {
		t.Error("an on hook under the declaration of a hook that decides: compiled")
	}
	state := []float64{0, 0}
	if got := weight.Step([]float64{9}, state); got != 9 {
		t.Errorf("weight before any trial: %v", got)
	}
	steps := []struct {
		score   float64
		effects dsl.Effects
		state   [2]float64
		weight  float64
	}{
		{1, dsl.Effects{}, [2]float64{2, 1}, 2.5},
		{1, dsl.Effects{Clamped: 1}, [2]float64{3, 2}, 2},           // 4 is above 3
		{0, dsl.Effects{Clamped: 1, NaN: 1}, [2]float64{0, 3}, 0.5}, // 0 / 0 keeps 3; 3 - 5 is below 0
	}
	for i, s := range steps {
		if got := record.Apply([]float64{s.score}, state); got != s.effects {
			t.Errorf("step %d: effects %+v, want %+v", i, got, s.effects)
		}
		if [2]float64(state) != s.state {
			t.Errorf("step %d: state %v, want %v", i, state, s.state)
		}
		if got := weight.Step([]float64{9}, state); got != s.weight {
			t.Errorf("step %d: weight %v, want %v", i, got, s.weight)
		}
		if got := eager.Step([]float64{9}, state); got != s.weight+0.5 {
			t.Errorf("step %d: weight with c = 1: %v, want %v", i, got, s.weight+0.5)
		}
	}
}

func TestEvaluationsDoNotAllocate(t *testing.T) {
	p := speedProgram(t, "r3")
	args := []float64{0.5, 3, 100, 0.1, 12, 50}
	cols, out := speedColumns(600), make([]float64, 600)
	few := out[:5]
	total := 0.0
	for name, f := range map[string]func(){
		"Num":             func() { total += p.Num(args) },
		"Step":            func() { total += p.Step(args, nil) },
		"Batch":           func() { p.Batch(cols, out) },
		"Batch of 5 rows": func() { p.Batch(cols, few) },
	} {
		f()
		if n := testing.AllocsPerRun(200, f); n != 0 {
			t.Errorf("%s allocates %v times", name, n)
		}
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	p := speedProgram(t, "r3")
	cols := speedColumns(500)
	want := make([]float64, 500)
	p.Batch(cols, want)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			out := make([]float64, 500)
			for range 20 {
				p.Batch(cols, out)
				for i, v := range out {
					if v != want[i] {
						t.Errorf("row %d: %v, alone %v", i, v, want[i])
						return
					}
				}
			}
		})
	}
	group.Wait()
}
