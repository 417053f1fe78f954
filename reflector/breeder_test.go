package reflector

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/gate"
	"github.com/agentdescent/adrun/slots"
)

const testSignature = `signature test.pick(
  a: int in [0, 100], b: int in [0, 100], hot: bool, mode: red | blue, x: num in [-5, 5],
) -> num {
  assume a <= b
  case (a = 3, b = 40, hot = true, mode = red, x = 1.5)
}
`

func parseSignature(t testing.TB, text string) *dsl.Signature {
	t.Helper()
	f, err := dsl.Parse("test.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	return f.Decls[0].(*dsl.Signature)
}

func newGate(t testing.TB, sig *dsl.Signature) *gate.Gate {
	t.Helper()
	g, err := gate.New(gate.Config{Signature: sig})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Growing and every operator of change make rules that check: a refusal of a tree's types is a fault of ours.
func TestGrownAndChangedRulesCheck(t *testing.T) {
	sig := parseSignature(t, testSignature)
	rng := rand.New(rand.NewPCG(1, 2))
	m := mutator{vocabulary: newVocabulary(sig), rng: rng}
	origins := map[string]int{}
	for i := range 3000 {
		r := m.grower(nil).rule()
		mate := m.grower(nil).rule()
		origins[m.change(r, mate)]++
		if i%2 == 0 {
			simplify(r)
		}
		if err := dsl.CheckRule(r, sig, dsl.Limits{}); err != nil {
			t.Fatalf("%v\n%s", err, dsl.FormatRule(r))
		}
	}
	for _, want := range []string{"nudge", "regrow", "operator", "insert guard", "copy guard", "drop guard", "swap guards", "wrap", "hoist", "crossover", "graft guard"} {
		if origins[want] == 0 {
			t.Errorf("no change by %q in %v", want, origins)
		}
	}
}

// Simplifying a rule changes no bit of any value, and costs nothing.
func TestSimplifyKeepsBits(t *testing.T) {
	sig := parseSignature(t, testSignature)
	g := newGate(t, sig)
	rng := rand.New(rand.NewPCG(3, 4))
	m := mutator{vocabulary: newVocabulary(sig), rng: rng}
	smaller := 0
	for range 2000 {
		r := m.grower(nil).rule()
		for range 3 {
			m.change(r, nil)
		}
		short := dsl.CloneRule(r)
		simplify(short)
		before, after := dsl.Ops(r), dsl.Ops(short)
		if after > before {
			t.Fatalf("%d ops became %d:\n%s%s", before, after, dsl.FormatRule(r), dsl.FormatRule(short))
		}
		if after < before {
			smaller++
		}
		long, err := dsl.NewReference(r, sig)
		if err != nil {
			t.Fatal(err)
		}
		brief, err := dsl.NewReference(short, sig)
		if err != nil {
			t.Fatal(err)
		}
		for k := range g.Grid().Len() {
			x, errX := long.Eval(g.Grid().Point(k))
			y, errY := brief.Eval(g.Grid().Point(k))
			if errX != nil || errY != nil || math.Float64bits(x) != math.Float64bits(y) {
				t.Fatalf("%v became %v (%v, %v) at %v:\n%s%s", x, y, errX, errY, g.Grid().Point(k), dsl.FormatRule(r), dsl.FormatRule(short))
			}
		}
	}
	if smaller < 50 {
		t.Errorf("only %d of 2000 rules became smaller: the test shows nothing", smaller)
	}
}

func TestSimplifyExamples(t *testing.T) {
	for before, want := range map[string]string{
		"x * 1 - 0":                         "x",
		"1 * x / 1":                         "x",
		"x + 0":                             "x + 0", // -0 + 0 is +0
		"--x":                               "x",
		"true ? x : a":                      "x",
		"x > 0 ? a : a":                     "a",
		"2 * 3 + 1":                         "7",
		"1 / 0":                             "1 / 0", // no literal is infinite
		"2 < 1 ? x : a":                     "a",
		"!(!hot) ? x : a":                   "hot ? x : a",
		"min(x * 1, a)":                     "min(x, a)",
		"x * 0":                             "x * 0", // NaN and -0
		"(x > 0 ? true : true) ? a - b : x": "a - b",
	} {
		e, err := dsl.ParseExpr("e", before)
		if err != nil {
			t.Fatal(err)
		}
		r := &dsl.Rule{Name: dsl.Ident{Text: "pick"}, Body: &dsl.Block{Stmts: []dsl.Stmt{&dsl.Return{Value: e}}}}
		simplify(r)
		if got := dsl.FormatExpr(r.Body.Stmts[0].(*dsl.Return).Value); got != want {
			t.Errorf("%s: got %s, want %s", before, got, want)
		}
	}
}

// A local that nothing reads goes with what is assigned to it, not before.
func TestSimplifyUnreadLocals(t *testing.T) {
	sig := parseSignature(t, testSignature)
	for before, want := range map[string]string{
		"let d = a\nlet e = d\nreturn x":                       "return x",
		"let d = a\nif hot { d = 3 }\nreturn x":                "let d = a\nif hot { d = 3 }\nreturn x",
		"let d = a\nlet e = d\nif hot { e = 3 }\nreturn x + 1": "let d = a\nlet e = d\nif hot { e = 3 }\nreturn x + 1",
	} {
		parse := func(body string) *dsl.Rule {
			f, err := dsl.Parse("", "rule pick {\n"+body+"\n}\n")
			if err != nil {
				t.Fatal(err)
			}
			return f.Decls[0].(*dsl.Rule)
		}
		r, w := parse(before), parse(want)
		simplify(r)
		if err := dsl.CheckRule(r, sig, dsl.Limits{}); err != nil || dsl.Identity(r) != dsl.Identity(w) {
			t.Errorf("%v\n%s", err, dsl.FormatRule(r))
		}
	}
}

// A constant stays one at the ends of the floats.
func TestRoundTo(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0, 1234.5678: 1230, -0.00123456: -0.00123, 1e-300: 1e-300,
		math.MaxFloat64: math.MaxFloat64, 2.2e-308: 2.2e-308, math.SmallestNonzeroFloat64: math.SmallestNonzeroFloat64,
	} {
		if got := roundTo(x, 3); got != want {
			t.Errorf("%v: %v, want %v", x, got, want)
		}
	}
}

// bench is the trial of a lease: a gate, and rewards that a function gives.
type bench struct {
	gate   *gate.Gate
	reward func(p *dsl.Program, task int) float64
	tasks  []slots.Task
	left   int
	admits []*dsl.Rule
}

func (b *bench) Tasks() []slots.Task { return b.tasks }
func (b *bench) Left() int           { return b.left }

func (b *bench) Admit(r *dsl.Rule) (*slots.Candidate, bool) {
	v := b.gate.CheckAST(r)
	if !v.OK {
		return nil, false
	}
	b.admits = append(b.admits, v.Rule)
	return &slots.Candidate{Identity: dsl.Identity(v.Rule), Rule: v.Rule, Program: v.Program}, true
}

func (b *bench) AdmitText(string) (*slots.Candidate, bool) { return nil, false }

func (b *bench) Try(_ context.Context, c *slots.Candidate, tasks []int) ([]float64, error) {
	if len(tasks) > b.left {
		return nil, slots.ErrTrialsSpent
	}
	b.left -= len(tasks)
	out := make([]float64, len(tasks))
	for i, k := range tasks {
		out[i] = b.reward(c.Program.(*dsl.Program), k)
	}
	return out, nil
}

// newLease is a lease on a problem of ours: find |b − a − 7| + 2·x from rules that start at 0.
func newLease(t testing.TB, seed uint64, trials int) (*slots.ProposalContext, *bench) {
	sig := parseSignature(t, testSignature)
	g := newGate(t, sig)
	v := g.Check("rule pick { return 0 }\n")
	if !v.OK {
		t.Fatal(v.Diags)
	}
	b := &bench{gate: g, left: trials, reward: func(p *dsl.Program, task int) float64 {
		point := g.Grid().Point(task)
		want := math.Abs(point[1]-point[0]-7) + 2*point[4]
		return math.Exp(-math.Abs(p.Num(point)-want) / 20)
	}}
	for range 24 {
		b.tasks = append(b.tasks, slots.Task{})
	}
	c := &slots.Candidate{Identity: dsl.Identity(v.Rule), Rule: v.Rule, Program: v.Program}
	return &slots.ProposalContext{Signature: sig, Candidate: c, Seed: seed, Trial: b, Population: &slots.Population{}}, b
}

// A lease is a function of its seed: the same proposal and elites, and other ones for another seed. What it
// proposes passes the gate as text too, and is better than what it began with.
func TestBreederIsSeededAndGated(t *testing.T) {
	texts := map[uint64]string{}
	for _, seed := range []uint64{1, 2} {
		var again []string
		for range 2 {
			pc, b := newLease(t, seed, 6000)
			p, err := Breeder{}.Propose(context.Background(), pc)
			if err != nil {
				t.Fatal(err)
			}
			if p == nil || p.Rule == nil {
				t.Fatal("no proposal")
			}
			text := dsl.FormatRule(p.Rule)
			if v := b.gate.Check(text); !v.OK {
				t.Errorf("the gate refuses the text of the proposal: %v\n%s", v.Diags, text)
			}
			if dsl.Ops(p.Rule) > DefaultMaxOps {
				t.Errorf("%d ops", dsl.Ops(p.Rule))
			}
			if len(p.Elites) == 0 || p.Elites[0].N != 24 || p.Elites[0].Score < 0.5 {
				t.Errorf("seed %d: best elite %+v", seed, p.Elites[0])
			}
			again = append(again, text)
		}
		if again[0] != again[1] {
			t.Errorf("seed %d proposed two rules (-first +second):\n%s", seed, cmp.Diff(again[0], again[1]))
		}
		texts[seed] = again[0]
	}
	if texts[1] == texts[2] {
		t.Error("two seeds proposed the same rule")
	}
}

// New material reads the named inputs only.
func TestBreederInputs(t *testing.T) {
	pc, b := newLease(t, 1, 2000)
	if _, err := (Breeder{Inputs: []string{"a", "b"}}).Propose(context.Background(), pc); err != nil {
		t.Fatal(err)
	}
	if len(b.admits) < 20 {
		t.Fatalf("only %d rules were bred", len(b.admits))
	}
	for _, r := range b.admits {
		if read := dsl.NamesRead(r.Body, []string{"hot", "mode", "x"}); len(read) > 0 {
			t.Fatalf("%v was read:\n%s", read, dsl.FormatRule(r))
		}
	}
}

// A lease with nothing to spend proposes nothing, and says so without an error.
func TestBreederWithoutTrials(t *testing.T) {
	pc, _ := newLease(t, 1, 0)
	p, err := Breeder{}.Propose(context.Background(), pc)
	if err != nil || p.Rule != nil {
		t.Errorf("got %v, %v", p, err)
	}
}

// A rule of more operators than are bred by default is bred from, tuned and changed like any other.
func TestLargeArtifacts(t *testing.T) {
	for _, b := range []Breeder{{}, {Constants: true}, {Constants: true, MaxOps: 5}} {
		pc, trial := newLease(t, 1, 2000)
		v := trial.gate.Check("rule pick(a, b, x) { return abs(b - a - 15) + 0.5 * x" + strings.Repeat(" + x * 0.001", 20) + " }\n")
		if !v.OK {
			t.Fatal(v.Diags)
		}
		pc.Candidate = &slots.Candidate{Identity: dsl.Identity(v.Rule), Rule: v.Rule, Program: v.Program}
		p, err := b.Propose(context.Background(), pc)
		if err != nil || p.Rule == nil {
			t.Errorf("%+v: %+v, %v", b, p, err)
		}
		if p, err := (Mutant{}).Propose(context.Background(), pc); err != nil || p == nil {
			t.Errorf("no change: %v", err)
		}
	}
}
