package table

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentdescent/adrun/dsl"
	"github.com/agentdescent/adrun/slots"
)

const shop = `decision,price,stock,payoff
monday,9.5,12,30
monday,7,0,0
tuesday,8,3,24
monday,8.25,4,15
tuesday,6,9,6
wednesday,5,2,0
wednesday,4,1,0
`

func read(t testing.TB, text string, o Options) *Table {
	t.Helper()
	table, err := Read("log.csv", strings.NewReader(text), o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestRead(t *testing.T) {
	table := read(t, shop, Options{})
	want := []Decision{
		{ID: "monday", Best: 30, Rows: []Row{{[]float64{9.5, 12}, 30, 2}, {[]float64{7, 0}, 0, 3}, {[]float64{8.25, 4}, 15, 5}}},
		{ID: "tuesday", Best: 24, Worst: 6, Rows: []Row{{[]float64{8, 3}, 24, 4}, {[]float64{6, 9}, 6, 6}}},
		{ID: "wednesday", Rows: []Row{{[]float64{5, 2}, 0, 7}, {[]float64{4, 1}, 0, 8}}},
	}
	if diff := cmp.Diff(want, table.Decisions); diff != "" {
		t.Error(diff)
	}
	if n := table.Trivial(); n != 1 {
		t.Errorf("%d trivial decisions, want 1: wednesday", n)
	}
	const signature = `# Which row of a decision to take: the one with the highest priority.
signature table.priority(price: num in [4, 9.5], stock: int in [0, 12]) -> num
`
	if diff := cmp.Diff(signature, table.SignatureText()); diff != "" {
		t.Error(diff)
	}
}

// The rewards worked out by hand: 30/30, 24/24 and nothing to win; 15/30 and 6/24.
func TestRewards(t *testing.T) {
	tests := map[string]struct {
		rule string
		want Score
	}{
		"dearest":      {"price", Score{Decisions: 3, Reward: 1, Optimal: 3, Payoff: 54, Best: 54}},
		"most stock":   {"stock", Score{Decisions: 3, Reward: (1 + 0.25 + 1) / 3., Optimal: 2, Payoff: 36, Best: 54}},
		"cheapest":     {"-price", Score{Decisions: 3, Reward: (0 + 0.25 + 1) / 3., Optimal: 1, Payoff: 6, Best: 54}},
		"first":        {"0", Score{Decisions: 3, Reward: 1, Optimal: 3, Payoff: 54, Best: 54}},
		"not finite":   {"log(stock - 3)", Score{Decisions: 3, Reward: (1 + 0.25 + 0) / 3., Optimal: 1, Payoff: 36, Best: 54, Unranked: 4}},
		"finite first": {"1 / stock", Score{Decisions: 3, Reward: (0.5 + 1 + 1) / 3., Optimal: 2, Payoff: 39, Best: 54, Unranked: 1}},
	}
	table := read(t, shop, Options{})
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, table.Evaluate(compile(t, table.Signature, "rule priority { return "+tt.rule+" }"))); diff != "" {
				t.Error(diff)
			}
		})
	}
	if got, want := table.Random(), (0.5+0.625+1)/3; got != want {
		t.Errorf("random choice: %v, want %v", got, want)
	}
}

func compile(t testing.TB, sig *dsl.Signature, text string) *dsl.Program {
	t.Helper()
	f, err := dsl.Parse("test.rule", text)
	if err != nil {
		t.Fatal(err)
	}
	if err := dsl.Check(f, []*dsl.Signature{sig}, dsl.CheckOptions{}).Diags.Err(); err != nil {
		t.Fatal(err)
	}
	p, err := dsl.Compile(f.Decls[0].(*dsl.Rule), sig)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSpan(t *testing.T) {
	table := read(t, "decision,x,payoff\na,1,-30\na,2,-10\na,3,-20\nb,1,-5\nb,2,-5\nc,1,-1e308\nc,3,1e308\n", Options{Scale: Span})
	least := read(t, "decision,x,payoff\na,1,0\na,2,5e-324\n", Options{Scale: Span})
	for row, want := range []float64{0, 1} {
		if got := least.reward(&least.Decisions[0], least.Decisions[0].Rows[row].Payoff); got != want {
			t.Errorf("the least of spans, row %d: %v, want %v", row, got, want)
		}
	}
	for x, want := range map[float64]float64{1: (0 + 1 + 0) / 3., 2: (1 + 1 + 0) / 3., 3: (0.5 + 1 + 1) / 3.} {
		got := table.Evaluate(Func(func(args []float64) float64 { return -math.Abs(args[0] - x) }))
		if got.Reward != want {
			t.Errorf("x = %v: %v, want %v", x, got.Reward, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	tests := map[string]struct {
		text string
		opts Options
		want string
	}{
		"empty":             {"", Options{}, "log.csv:1: empty file; expected a header line with the names of the columns"},
		"no rows":           {"decision,x,payoff\n", Options{}, "log.csv:1: no rows below the header"},
		"no decision":       {"day,x,payoff\na,1,2\n", Options{}, `log.csv:1: no column "decision", that names the decision of a row; the columns are day, x, payoff`},
		"lines of a Mac":    {"decision,x,payoff\ra,1,2\r", Options{}, `log.csv:1: no column "payoff", that holds the payoff of a row; the columns are decision, x, "payoff\ra", 1, 2`},
		"no payoff":         {"decision,x,gain\na,1,2\n", Options{}, `log.csv:1: no column "payoff", that holds the payoff of a row; the columns are decision, x, gain`},
		"no inputs":         {"decision,payoff\na,1\n", Options{}, "log.csv:1: no column is left for the inputs of a rule"},
		"twice":             {"decision,x,x,payoff\na,1,1,2\n", Options{}, `log.csv:1: column "x" appears twice`},
		"no name":           {"decision,x,,payoff\na,1,1,2\n", Options{}, "log.csv:1: column 3 has no name"},
		"ignored":           {"decision,x,payoff\na,1,2\n", Options{Ignore: []string{"y"}}, `log.csv:1: no column "y", which is to be ignored; the columns are decision, x, payoff`},
		"short row":         {"decision,x,payoff\na,1\n", Options{}, "log.csv:2: 2 cells where the header has 3 columns"},
		"no id":             {"decision,x,payoff\n ,1,2\n", Options{}, "log.csv:2: decision: empty; every row belongs to a decision"},
		"text":              {"decision,x,payoff\na,red,2\n", Options{}, `log.csv:2: x: "red" is not a number (a column that is not for the rule can be ignored)`},
		"NaN":               {"decision,x,payoff\na,NaN,2\n", Options{}, "log.csv:2: x: NaN is not finite (a column that is not for the rule can be ignored)"},
		"infinite":          {"decision,x,payoff\na,1,1e999\n", Options{}, "log.csv:2: payoff: 1e999 is not finite"},
		"blank cell":        {"decision,x,payoff\na,1,\n", Options{}, "log.csv:2: payoff: empty; expected a number"},
		"negative":          {"decision,x,payoff\na,1,-2\n", Options{}, `log.csv:2: payoff: -2 is negative, and a share of the best payoff then means nothing; the scale "span" takes payoffs of any sign`},
		"line of quotes":    {"decision,x,payoff\n\"a\nb\",1,2\nc,oops,1\n", Options{}, `log.csv:4: x: "oops" is not a number (a column that is not for the rule can be ignored)`},
		"bad quote":         {"decision,x,payoff\na,1,2\nb,\"1,2\n", Options{}, "log.csv:3: column 8: extraneous or missing \" in quoted-field"},
		"colliding columns": {"decision,a b,a-b,payoff\na,1,1,2\n", Options{}, `log.csv:1: the columns "a b" and "a-b" would both be the input a_b; rename one`},
		"one for both":      {shop, Options{Decision: "payoff"}, `log.csv:1: column "payoff" cannot be both the decision and the payoff`},
		"scale":             {shop, Options{Scale: "log"}, `table: scale is "log"; expected "" or "span"`},
		"several": {"decision,x,payoff\na,q,-1\n,1,2\n", Options{}, `log.csv:2: x: "q" is not a number (a column that is not for the rule can be ignored)
log.csv:2: payoff: -1 is negative, and a share of the best payoff then means nothing; the scale "span" takes payoffs of any sign
log.csv:3: decision: empty; every row belongs to a decision`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Read("log.csv", strings.NewReader(tt.text), tt.opts)
			if err == nil {
				t.Fatal("no error")
			}
			if diff := cmp.Diff(tt.want, err.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, err := Read("log.csv", strings.NewReader("decision,x,payoff\n"+strings.Repeat("a,b,c\n", 1000)), Options{})
	if n := strings.Count(err.Error(), "\n") + 1; n != maxErrors+1 || !errors.Is(err, errEnough) {
		t.Errorf("%d lines", n)
	}
}

func TestColumnsBecomeInputs(t *testing.T) {
	text := "\uFEFFid;Price (EUR); max ;2nd;or;result;größe;big;note;won\n" +
		"a;1;-3;0.5;1;1;1;1e6;hello;1\n" +
		"a;2;5;-0;1e20;1;1;-2;world;2\n"
	table := read(t, text, Options{Decision: "id", Payoff: "won", Ignore: []string{"note"}, Comma: ';', Name: "shop.pick"})
	const want = `# Which row of a decision to take: the one with the highest priority.
signature shop.pick(
  Price_EUR: int in [1, 2], # column "Price (EUR)"
  max_: int in [-3, 5], # column "max"
  c_2nd: num in [0, 0.5], # column "2nd"
  or_: num in [1, 1e20], # column "or"
  result_: int in [1, 1], # column "result"
  gr_e: int in [1, 1], # column "größe"
  big: int in [-2, 1000000],
) -> num
`
	if diff := cmp.Diff(want, table.SignatureText()); diff != "" {
		t.Error(diff)
	}
	if initial, want := table.Initial(), "rule pick { return Price_EUR }\n"; initial != want {
		t.Errorf("initial rule %q, want %q", initial, want)
	}
	compile(t, table.Signature, table.Initial())
}

func TestMarkBeforeAQuotedHeader(t *testing.T) {
	plain := read(t, shop, Options{})
	quoted := read(t, "\uFEFF\"decision\""+strings.TrimPrefix(shop, "decision"), Options{})
	if diff := cmp.Diff(plain.Decisions, quoted.Decisions); diff != "" {
		t.Error(diff)
	}
}

func TestThePayoffIsNoInput(t *testing.T) {
	sig, err := parseSignature("signature shop.pick(stock: num in [0, 10], payoff: num in [0, 100]) -> num")
	if err != nil {
		t.Fatal(err)
	}
	const want = "log.csv:1: the input payoff is the payoff, which nobody knows before the choice; rename one"
	if _, err := Read("log.csv", strings.NewReader(shop), Options{Signature: sig}); fmt.Sprint(err) != want {
		t.Errorf("got %v", err)
	}
}

func TestGivenSignature(t *testing.T) {
	sig, err := parseSignature(`signature shop.pick(kind: food | tool, fresh: bool, n: int in [0, 10]) -> num`)
	if err != nil {
		t.Fatal(err)
	}
	table := read(t, "n,decision,remark,kind,fresh,payoff\n3,a,x,tool,true,1\n40,a,y,food,0,2\n", Options{Signature: sig})
	want := []Row{{[]float64{1, 1, 3}, 1, 2}, {[]float64{0, 0, 10}, 2, 3}}
	if diff := cmp.Diff(want, table.Decisions[0].Rows); diff != "" {
		t.Error(diff)
	}
	if table.Clamped != 1 {
		t.Errorf("%d cells clamped, want 1", table.Clamped)
	}
	_, err = Read("log.csv", strings.NewReader("decision,kind,fresh,n,payoff\na,toy,maybe,1.5,1\n"), Options{Signature: sig})
	if diff := cmp.Diff("log.csv:2: kind: \"toy\" is none of food, tool\nlog.csv:2: fresh: \"maybe\" is neither true nor false\nlog.csv:2: n: 1.5 is not whole, and the signature says int", fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	_, err = Read("log.csv", strings.NewReader("decision,kind,n,payoff\na,tool,1,1\n"), Options{Signature: sig})
	if diff := cmp.Diff(`log.csv:1: no column "fresh", an input of the signature; the columns are decision, kind, n, payoff`, fmt.Sprint(err)); diff != "" {
		t.Error(diff)
	}
	words, err := parseSignature(`signature pick(n: int in [0, 10]) -> yes | no`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = Read("log.csv", strings.NewReader("decision,n,payoff\na,1,1\n"), Options{Signature: words}); err == nil || !strings.Contains(err.Error(), "gives no number") {
		t.Errorf("a rule of words as a priority: %v", err)
	}
}

// Whatever the data: rewards are in [0, 1], knowing the payoff earns 1, and the mean over all rows is Random.
// A signature that was made from one file finds the columns of another, also where its names are not theirs.
func TestMadeSignatureReadsAgain(t *testing.T) {
	const renamed = "decision,round trip,max,payoff\na,1,2,3\na,4,5,6\n"
	made := read(t, renamed, Options{})
	got := read(t, "max,payoff,decision,round trip\n2,3,a,1\n5,6,a,4\n", Options{Signature: made.Signature})
	for i, row := range got.Decisions[0].Rows {
		if want := made.Decisions[0].Rows[i].Inputs; !cmp.Equal(row.Inputs, want) {
			t.Errorf("row %d: %v, want %v", i, row.Inputs, want)
		}
	}
	// A column of exactly that name comes first.
	got = read(t, "decision,round trip,round_trip,max,payoff\na,1,4,2,3\n", Options{Signature: made.Signature})
	if v := got.Decisions[0].Rows[0].Inputs[0]; v != 4 {
		t.Errorf("round_trip is %v, want 4", v)
	}
}

func TestRewardProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.SampledFrom([]Scale{Ratio, Span}).Draw(t, "scale")
		lowest := 0.0
		if scale == Span {
			lowest = -math.MaxFloat64
		}
		payoffs := rapid.SliceOfN(rapid.Float64Range(lowest, math.MaxFloat64), 1, 12).Draw(t, "payoffs")
		var text strings.Builder
		text.WriteString("decision,x,payoff\n")
		for i, p := range payoffs {
			fmt.Fprintf(&text, "d%d,%v,%v\n", i%3, p, p)
		}
		table, err := Read("log.csv", strings.NewReader(text.String()), Options{Scale: scale})
		if err != nil {
			t.Fatal(err)
		}
		if s := table.Evaluate(Func(func(args []float64) float64 { return args[0] })); s.Reward != 1 || s.Optimal != s.Decisions {
			t.Errorf("the oracle earns %v", s)
		}
		multiplier := rapid.Float64Range(-1, 1).Draw(t, "multiplier")
		for i := range table.Decisions {
			c := table.Choose(&table.Decisions[i], Func(func(args []float64) float64 { return multiplier * args[0] }))
			if !(c.Reward >= 0 && c.Reward <= 1) {
				t.Errorf("reward %v", c.Reward)
			}
		}
		if r := table.Random(); !(r >= 0 && r <= 1) {
			t.Errorf("random choice earns %v", r)
		}
	})
}

func TestFingerprint(t *testing.T) {
	base := read(t, shop, Options{}).Fingerprint
	if read(t, shop, Options{}).Fingerprint != base {
		t.Error("not stable")
	}
	for what, other := range map[string]string{
		"a payoff": read(t, strings.Replace(shop, "30", "31", 1), Options{}).Fingerprint,
		"an input": read(t, strings.Replace(shop, "9.5", "9.4", 1), Options{}).Fingerprint,
		"scale":    read(t, shop, Options{Scale: Span}).Fingerprint,
		"ignored":  read(t, shop, Options{Ignore: []string{"stock"}}).Fingerprint,
	} {
		if other == base {
			t.Errorf("blind to %s", what)
		}
	}
}

func TestProblem(t *testing.T) {
	table := read(t, shop, Options{})
	sealed := read(t, "decision,price,stock,payoff\nfriday,5,1,4\nfriday,40,1,8\n", Options{Signature: table.Signature})
	p, err := NewProblem("shop", table, sealed)
	if err != nil {
		t.Fatal(err)
	}
	d := p.Describe()
	if diff := cmp.Diff([]slots.Task{{ID: "monday"}, {ID: "tuesday"}, {ID: "wednesday"}}, d.Tasks); diff != "" {
		t.Error(diff)
	}
	candidate := &slots.Candidate{Program: compile(t, d.Signature, "rule priority { return -price }")}
	for id, want := range map[string]float64{"monday": 0, "tuesday": 0.25, "wednesday": 1, "friday": 0.5} {
		got, err := p.Evaluate(context.Background(), candidate, slots.Task{ID: id}, 0)
		if err != nil || got.Reward != want || got.Failure != "" {
			t.Errorf("%s: %+v, %v; want %v", id, got, err, want)
		}
	}
	candidate.Program = compile(t, d.Signature, "rule priority { return log(-price) }")
	if got, err := p.Evaluate(context.Background(), candidate, slots.Task{ID: "monday"}, 0); err != nil || got.Reward != 0 || got.Failure == "" {
		t.Errorf("a rule that rates nothing: %+v, %v", got, err)
	}
	if _, err := p.Evaluate(context.Background(), candidate, slots.Task{ID: "sunday"}, 0); err == nil {
		t.Error("an unknown decision was scored")
	}
	if _, err := NewProblem("shop", table, table); err == nil || strings.Count(err.Error(), "in both tables") != 3 {
		t.Errorf("a sealed table that is not: %v", err)
	}
	if _, err := NewProblem("shop", table, read(t, "decision,cost,payoff\nz,1,1\n", Options{})); err == nil || !strings.Contains(err.Error(), "another signature") {
		t.Errorf("a sealed table of other inputs: %v", err)
	}
}

// FuzzRead: whatever the bytes, there is an error or a table whose rules can be written and whose rewards are in [0, 1].
func FuzzRead(f *testing.F) {
	f.Add(shop)
	f.Add("decision,x,payoff\n\"a\nb\",1,2\n")
	f.Add("decision,π,payoff\na,-0,1e-320\n")
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Read("log.csv", strings.NewReader(text), Options{})
		if err != nil {
			return
		}
		rule := compile(t, table.Signature, table.Initial())
		if s := table.Evaluate(rule); !(s.Reward >= 0 && s.Reward <= 1) {
			t.Errorf("reward %v", s.Reward)
		}
		if again, err := parseSignature(table.SignatureText()); err != nil || dsl.FormatDecl(again) != dsl.FormatDecl(table.Signature) {
			t.Errorf("the signature does not read back: %v", err)
		}
	})
}

func BenchmarkEvaluate(b *testing.B) {
	var text strings.Builder
	text.WriteString("decision,x,y,payoff\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "d%d,%d,%d,%d\n", i/10, i%17, i%23, i%29)
	}
	table := read(b, text.String(), Options{})
	rule := compile(b, table.Signature, "rule priority { return x / (1 + y) }")
	b.ReportAllocs()
	for b.Loop() {
		table.Evaluate(rule)
	}
}
